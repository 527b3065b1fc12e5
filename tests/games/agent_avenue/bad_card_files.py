"""Card files with one mistake each, and what is said about it."""

from __future__ import annotations

from agentsim.games.agent_avenue.cards import load_market

AGENTS = "double_agent, enforcer, codebreaker, saboteur, daredevil, sentinel, sidekick, mole"
ALL_AGENTS = f"{AGENTS}, handler"
SHIPPED = ", ".join(card.id for card in load_market() + load_market("market_division_m"))
EFFECT_WORDS = "when, do, agent, spaces, by, at_least, on, if, from, of, who, may_recruit, symbol"
MARKET_WORDS = "kind, effects, copies, spaces, by, at_least, symbol, promo, provenance, names"
AGENT_WORDS = "copies, first, second, third, wins_at, loses_at, m_first, m_second, m_third, provenance, names"

# Each: the file, the line that the complaint names (0: none), and all that is said after the place.
BAD: dict[str, tuple[str, int, str]] = {
    "nothing in it": (
        "# only a remark\n", 0,
        "holds no card (allowed: tables [agents.<id>] and [market.<id>])"),
    "empty table": (
        "[market]\n", 0,
        "holds no card (allowed: tables [agents.<id>] and [market.<id>])"),
    "top-level key": (
        ('title = "mine"\n'
        "[market.watchtower]\n"
        "copies = 2\n"), 1,
        "title: unknown key (allowed: agents, market, replace)"),
    "misspelled group": (
        ("[agnets.spy]\n"
        "first = 1\n"), 1,
        "agnets: unknown table (allowed: [agents.<id>], [market.<id>]); did you mean 'agents'?"),
    "market card without its group": (
        ("[push]\n"
        'kind = "instant"\n'), 1,
        "push: unknown table (allowed: [agents.<id>], [market.<id>]); did you mean 'market.push'?"),
    "group that is no table": (
        "market = 3\n", 1,
        "market: must be tables such as [market.my_card], got 3"),
    "card that is no table": (
        ("[market]\n"
        "push = 3\n"), 2,
        "market.push: must be a table, got 3 (allowed: a table [market.push])"),
    "agents twice": (
        ("[agents.mole]\n"
        "first = 1\n"
        "[cards.mole]\n"
        "first = 1\n"), 3,
        "cards: agents stand in [cards...] and in [agents...] (allowed: [agents.<id>])"),
    "replace": (
        ('replace = ["agent"]\n'
        "[agents.mole]\n"
        "first = 1\n"), 1,
        "replace: unknown value 'agent' (allowed: agents, market); did you mean 'agents'?"),
    "replace that is no list": (
        ("replace = true\n"
        "[agents.mole]\n"
        "first = 1\n"), 1,
        'replace: must be a list, got True (allowed: ["agents"], ["market"] or both)'),
    "misspelled agent": (
        ("[agents.sentinal]\n"
        "third = 5\n"), 2,
        "agents.sentinal.third: unknown agent 'sentinal'; a new one needs copies, first, second, third "
        "(allowed: "
        + ALL_AGENTS
        + "); did you mean 'sentinel'?"),
    "misspelled number": (
        ("[agents.sentinel]\n"
        "copies = 2\n"
        "thrid = 5\n"), 3,
        "agents.sentinel.thrid: agents have no 'thrid' (allowed: "
        + AGENT_WORDS
        + "); did you mean 'third'?"),
    "new agent without a move": (
        ("[agents.courier]\n"
        "copies = 2\n"
        "first = 1\n"
        "second = 1\n"), 1,
        "agents.courier.third: the new agent 'courier' has no 'third' (allowed: -20 to 20)"),
    "move out of bounds": (
        ("[agents.sentinel]\n"
        "third = 50\n"), 2,
        "agents.sentinel.third: 50 is out of range (allowed: -20 to 20)"),
    "move that is no number": (
        ("[agents.sentinel]\n"
        'third = "far"\n'), 2,
        "agents.sentinel.third: 'far' is not a whole number (allowed: -20 to 20)"),
    "half a copy": (
        ("[agents.sentinel]\n"
        "copies = 2.5\n"), 2,
        "agents.sentinel.copies: 2.5 is not a whole number (allowed: 0 to 15)"),
    "symbol": (
        ("[agents.sentinel]\n"
        'm_first = "hom"\n'), 2,
        "agents.sentinel.m_first: 'hom' is no Division M symbol (allowed: home, 0 to 9)"),
    "both win and loss": (
        ("[agents.sentinel]\n"
        "wins_at = 3\n"
        "loses_at = 3\n"), 3,
        "agents.sentinel.loses_at: 3 in play would both win and lose (allowed: another number, or 0 for never)"),
    "id of an agent": (
        ('[agents."Big Boss"]\n'
        "copies = 1\n"
        "first = 1\n"
        "second = 1\n"
        "third = 1\n"), 1,
        ("agents.Big Boss: 'Big Boss' cannot be the id of a card (allowed: a to z, 0 to 9 and _, a letter "
        "first, at most 40)")),
    "provenance": (
        ("[agents.mole]\n"
        'provenance = "mine"\n'), 2,
        "agents.mole.provenance: unknown value 'mine' (allowed: publisher, stand-in, house)"),
    "language": (
        ("[agents.mole]\n"
        'names = { es = "Topo" }\n'), 2,
        "agents.mole.names.es: unknown language 'es' (allowed: en, fr, de)"),
    "name of two lines": (
        ("[agents.mole]\n"
        'names = { en = "a\\nb" }\n'), 2,
        "agents.mole.names.en: 'a\\nb' is no name (allowed: one line of text, at most 60 characters)"),
    "names": (
        ("[agents.mole]\n"
        'names = "Mole"\n'), 2,
        "agents.mole.names: must be a table, got 'Mole' (allowed: { en = \"Printed Name\" })"),
    "misspelled card": (
        ("[market.watchtwer]\n"
        "spaces = 3\n"), 2,
        "market.watchtwer.spaces: unknown Black Market card 'watchtwer'; a new one needs kind, effects "
        "(allowed: "
        + SHIPPED
        + "); did you mean 'watchtower'?"),
    "new card without effects": (
        ("[market.push]\n"
        'kind = "instant"\n'), 1,
        "market.push.effects: the new Black Market card 'push' has no 'effects' (allowed: a list of effects)"),
    "kind": (
        ("[market.push]\n"
        'kind = "instnat"\n'
        'effects = [{ do = "take" }]\n'), 2,
        "market.push.kind: unknown value 'instnat' (allowed: ongoing, instant); did you mean 'instant'?"),
    "misspelled attribute": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "take" }]\n'
        "copis = 2\n"), 4,
        "market.push.copis: Black Market cards have no 'copis' (allowed: "
        + MARKET_WORDS
        + "); did you mean 'copies'?"),
    "copies": (
        ("[market.watchtower]\n"
        "copies = 64\n"), 2,
        "market.watchtower.copies: 64 is out of range (allowed: 0 to 63)"),
    "promo": (
        ("[market.watchtower]\n"
        "promo = 3\n"), 2,
        "market.watchtower.promo: 3 is neither true nor false (allowed: true, false)"),
    "number that the card has not": (
        ("[market.watchtower]\n"
        "by = 3\n"), 2,
        "market.watchtower.by: no effect of watchtower has 'by' (allowed: copies, spaces)"),
    "other kind without effects": (
        ("[market.watchtower]\n"
        'kind = "instant"\n'), 2,
        "market.watchtower.kind: is changed from ongoing to instant without new effects (allowed: ongoing)"),
    "id that is an end": (
        ("[market.daredevils]\n"
        'kind = "instant"\n'
        'effects = [{ do = "take" }]\n'), 1,
        "market.daredevils: 'daredevils' is what logs call another end of a game (allowed: another id)"),
    "no effects": (
        ("[market.push]\n"
        'kind = "instant"\n'
        "effects = []\n"), 3,
        ('market.push.effects: a card needs at least one effect (allowed: a list such as [{ do = "move", spaces '
        '= 1 }]; do = "nothing" is a blank)')),
    "effects that are no list": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = { do = "take" }\n'), 3,
        ("market.push.effects: must be a list, got {'do': 'take'} (allowed: a list such as [{ do = \"move\", "
        'spaces = 1 }]; do = "nothing" is a blank)')),
    "effect that is no table": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = ["take"]\n'), 3,
        "market.push.effects[1]: must be a table, got 'take' (allowed: { do = \"move\", spaces = 1 })"),
    "unknown word": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "move", space = 1 }]\n'), 3,
        "market.push.effects[1].space: effects have no 'space' (allowed: "
        + EFFECT_WORDS
        + "); did you mean 'spaces'?"),
    "instant with when": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ when = "end", do = "win" }]\n'), 3,
        "market.push.effects[1].when: an instant card works when it is taken: its effects have no 'when'"),
    "ongoing without when": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ do = "move", spaces = 1 }]\n'), 3,
        ("market.engine.effects[1].when: an effect of an ongoing card must say when it works (allowed: recruit, "
        "landing, end)")),
    "when": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "recriut", do = "negate" }]\n'), 3,
        ("market.engine.effects[1].when: unknown value 'recriut' (allowed: recruit, landing, end); did you mean "
        "'recruit'?")),
    "nothing to do": (
        ("[market.push]\n"
        'kind = "instant"\n'
        "effects = [{ spaces = 1 }]\n"), 3,
        ("market.push.effects[1].do: is missing (allowed: move, recruit, take_back, take, clear, division_m, "
        "nothing)")),
    "do": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "recuit", from = "deck" }]\n'), 3,
        ("market.push.effects[1].do: unknown value 'recuit' (allowed: move, recruit, take_back, take, clear, "
        "division_m, nothing); did you mean 'recruit'?")),
    "do of another trigger": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "landing", on = "home", do = "multiply", by = 2 }]\n'), 3,
        ("market.engine.effects[1].do: 'multiply' goes with when = 'recruit', not with when = 'landing' "
        "(allowed: move)")),
    "do of an ongoing card": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "add", spaces = 2 }]\n'), 3,
        ("market.push.effects[1].do: 'add' goes with when = 'recruit', not with an instant card (allowed: move, "
        "recruit, take_back, take, clear, division_m, nothing)")),
    "do of an instant card": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "end", do = "take" }]\n'), 3,
        "market.engine.effects[1].do: 'take' goes with instant cards, not with when = 'end' (allowed: win)"),
    "missing number": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "move" }]\n'), 3,
        "market.push.effects[1].spaces: do = 'move' needs 'spaces' (allowed: -20 to 20)"),
    "missing agent": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "recruit", do = "add", spaces = 2 }]\n'), 3,
        "market.engine.effects[1].agent: do = 'add' needs 'agent' (allowed: the name of an agent)"),
    "missing place": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "landing", do = "move", spaces = 2 }]\n'), 3,
        "market.engine.effects[1].on: do = 'move' needs 'on' (allowed: home, market, division_m)"),
    "superfluous": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "clear", spaces = 2 }]\n'), 3,
        "market.push.effects[1].spaces: 'spaces' means nothing for do = 'clear' (allowed: nothing else)"),
    "superfluous beside a number": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "recruit", agent = "mole", do = "multiply", by = 2, spaces = 2 }]\n'), 3,
        "market.engine.effects[1].spaces: 'spaces' means nothing for do = 'multiply' (allowed: agent, by)"),
    "unknown agent": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "recruit", agent = "sentinal", do = "negate" }]\n'), 3,
        "market.engine.effects[1].agent: unknown agent 'sentinal' (allowed: "
        + ALL_AGENTS
        + "); did you mean 'sentinel'?"),
    "win without a condition": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "end", do = "win" }]\n'), 3,
        ("market.engine.effects[1].if: do = 'win' needs 'if' (allowed: names, set, losing_set, rival_on_home, "
        "rival_near_division_m)")),
    "condition": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "end", do = "win", if = "name", at_least = 3 }]\n'), 3,
        ("market.engine.effects[1].if: unknown value 'name' (allowed: names, set, losing_set, rival_on_home, "
        "rival_near_division_m); did you mean 'names'?")),
    "condition without its number": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "end", do = "win", if = "set", agent = "mole" }]\n'), 3,
        "market.engine.effects[1].at_least: do = 'win' with if = 'set' needs 'at_least' (allowed: 1 to 15)"),
    "condition with a number": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "end", do = "win", if = "rival_on_home", spaces = 1 }]\n'), 3,
        ("market.engine.effects[1].spaces: 'spaces' means nothing for do = 'win' with if = 'rival_on_home' "
        "(allowed: if)")),
    "at least 0": (
        ("[market.engine]\n"
        'kind = "ongoing"\n'
        'effects = [{ when = "end", do = "win", if = "names", at_least = 0 }]\n'), 3,
        "market.engine.effects[1].at_least: 0 is out of range (allowed: 1 to 15)"),
    "recruit from nowhere": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "recruit" }]\n'), 3,
        "market.push.effects[1].from: do = 'recruit' needs 'from' (allowed: deck, hand)"),
    "recruit nobody": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "recruit", from = "hand" }]\n'), 3,
        ("market.push.effects[1].of: do = 'recruit' with from = 'hand' has neither 'agent' nor 'of' (allowed: "
        "an agent's name, or of = any, new_name, pair)")),
    "recruit twice": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "recruit", from = "hand", of = "any", agent = "mole" }]\n'), 3,
        ("market.push.effects[1].of: do = 'recruit' with from = 'hand' has both 'agent' and 'of' (allowed: an "
        "agent's name, or of = any, new_name, pair)")),
    "name off the deck": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "recruit", from = "deck", agent = "mole" }]\n'), 3,
        ("market.push.effects[1].agent: 'agent' means nothing for do = 'recruit' with from = 'deck' (allowed: "
        "from, who)")),
    "of": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "recruit", from = "hand", of = "pairs" }]\n'), 3,
        "market.push.effects[1].of: unknown value 'pairs' (allowed: any, new_name, pair); did you mean 'pair'?"),
    "who": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "move", spaces = 1, who = "opponent" }]\n'), 3,
        "market.push.effects[1].who: unknown value 'opponent' (allowed: own, rival, both)"),
    "may_recruit": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "take_back", may_recruit = "maybe" }]\n'), 3,
        "market.push.effects[1].may_recruit: 'maybe' is neither true nor false (allowed: true, false)"),
    "effect's symbol": (
        ("[market.push]\n"
        'kind = "instant"\n'
        'effects = [{ do = "division_m", symbol = 12 }]\n'), 3,
        "market.push.effects[1].symbol: 12 is no Division M symbol (allowed: home, 0 to 9)"),
    "second effect": (
        ("[market.push]\n"
        'kind = "instant"\n'
        "effects = [\n"
        '  { do = "take" },\n'
        '  { do = "move", spaces = 99 },\n'
        "]\n"), 3,
        "market.push.effects[2].spaces: 99 is out of range (allowed: -20 to 20)"),
}
