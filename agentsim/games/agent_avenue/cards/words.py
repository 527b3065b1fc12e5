"""Cards in English sentences, made from their data: what card files, the command line and reports show a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentsim.games.agent_avenue.cards import Card
from agentsim.games.agent_avenue.cards.market import Effect, MarketCard

__all__ = ["agent_text", "card_text", "effect_text"]

_WHO = {"own": "", "rival": "the opponent", "both": "both players"}
_STOPS = {"home": "stops exactly on either home space", "market": "stops on a Black Market space",
          "division_m": "stops on your own Division M pawn"}
_FROM_HAND = {"any": "recruit any agent from your hand",
              "new_name": "recruit an agent from your hand whose name you do not have in play",
              "pair": "show two agents of one name from your hand, recruit one and keep the other"}
_TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times", 6: "six times", 7: "seven times",
          8: "eight times", 9: "nine times"}


def card_text(card: MarketCard, agents: Iterable[Card] = ()) -> str:
    """What a Black Market card does, in one or more English sentences.

    ``agents`` are the agents of the game: their printed names are used, and the moves that a card changes are told as
    they come out. Without them an agent is called by its id.
    """
    table = {agent.id: agent for agent in agents}
    clauses = [effect_text(effect, table) for effect in card.effects]
    if card.kind == "instant" and len(clauses) > 1:
        clauses = [f"first {clauses[0]}", *(f"then {clause}" for clause in clauses[1:])]
    told = [f"{clause[0].upper()}{clause[1:]}." for clause in clauses]
    absent = dict.fromkeys(effect.agent for effect in card.effects if table and effect.agent not in ("", *table))
    told += [f"(There is no {_name(agent, table)} in this game.)" for agent in absent]
    return " ".join(told)


def effect_text(effect: Effect, agents: Mapping[str, Card] | None = None) -> str:
    """What one effect does, as a clause without a capital and without a full stop; ``agents`` by id."""
    agents = agents or {}
    if effect.when == "recruit":
        return f"when you recruit {_a(_name(effect.agent, agents))}, {_changed_move(effect)}{_moves(effect, agents)}"
    if effect.when == "landing":
        owed = " (the landing is owed all the same)" if effect.on == "market" else ""
        return f"when your spy pawn {_STOPS[effect.on]}, {_move(effect.spaces)}{owed}"
    if effect.when == "end":
        return f"in End, {_win(effect, agents)}"
    return _instant(effect, agents)


def agent_text(card: Card) -> str:
    """What an agent does besides moving the spy pawn: its sets and its Division M symbols; empty if nothing."""
    found = []
    if card.wins_at:
        found.append(f"{card.wins_at} or more in play win")
    if card.loses_at:
        found.append(f"{card.loses_at} or more in play lose")
    if any(symbol != 0 for symbol in card.symbols):
        words = {"home": "home", 0: "nothing"}
        symbols = ", ".join(words.get(symbol, f"up to {symbol}") for symbol in card.symbols)
        found.append(f"Division M pawn: {symbols}")
    return "; ".join(found)


def _changed_move(effect: Effect) -> str:
    if effect.do == "set":
        return f"{_move(effect.spaces)}, whatever it says" if effect.spaces else "do not move"
    if effect.do == "negate":
        return "move forward instead of backward"
    if effect.do == "add":
        more = "further" if effect.spaces >= 0 else "less far"
        return f"move {abs(effect.spaces)} {more}" if effect.spaces else "move as it says"
    if effect.by in (0, 1):
        return "move as it says" if effect.by else "do not move"
    far = "as far" if effect.by > 0 else "as far, the other way"
    return f"move {_TIMES.get(abs(effect.by), 'just')} {far}"


def _moves(effect: Effect, agents: Mapping[str, Card]) -> str:
    """The changed moves as they come out: `` (-2, +12, -2)``."""
    card = agents.get(effect.agent)
    if card is None or effect.do == "set":
        return ""
    moves = (card.first, card.second, card.third)
    if effect.do == "negate":
        changed = [abs(move) for move in moves]
    elif effect.do == "multiply":
        changed = [move * effect.by for move in moves]
    else:
        changed = [move + effect.spaces for move in moves]
    return f" ({', '.join(signed(move) for move in changed)})"


def _win(effect: Effect, agents: Mapping[str, Card]) -> str:
    if effect.condition == "names":
        return f"you win with {effect.at_least} or more different agents in play"
    if effect.condition == "set":
        return f"you win with {effect.at_least} or more {_name(effect.agent, agents)}s in play"
    if effect.condition == "losing_set":
        card = agents.get(effect.agent)
        name = _name(effect.agent, agents)
        if card is not None and card.loses_at:
            return f"{card.loses_at} or more {name}s in play are a win for you, not a loss"
        # Without a number there is no losing set: the card does nothing, and says so.
        without = " (under these rules no number of them loses)" if card is not None else ""
        return f"as many {name}s in play as would lose are a win for you, not a loss{without}"
    if effect.condition == "rival_on_home":
        return "you win if the opponent's spy pawn stands on your home space"
    return (f"you win if the opponent's spy pawn stands at most {_spaces(effect.spaces)} from your Division M pawn"
            if effect.spaces else "you win if the opponent's spy pawn stands on your Division M pawn's space")


def _instant(effect: Effect, agents: Mapping[str, Card]) -> str:
    order = ", the active side first" if effect.who == "both" else ""
    if effect.do == "move":
        pawns = {"rival": "the opponent's spy pawn moves", "both": "both spy pawns move"}
        return _move(effect.spaces, pawns.get(effect.who, "move")) + order
    if effect.do == "recruit":
        if effect.source == "deck":
            clause = "recruit the top card of the agent deck"
        else:
            clause = (f"recruit {_a(_name(effect.agent, agents))} from your hand" if effect.agent
                      else _FROM_HAND[effect.of])
        if effect.who == "own":
            return clause
        return _of_others(clause, effect.who) + order
    if effect.do == "take_back":
        again = "; you may recruit it at once" if effect.may_recruit else ""
        return f"take one of your agents in play back into your hand{again}"
    if effect.do == "division_m":
        return ("put your Division M pawn on your home space" if effect.symbol == "home" else
                f"move your Division M pawn up to {_spaces(int(effect.symbol))}, either way" if effect.symbol else
                "nothing happens")
    return {"take": "take one of the opponent's agents in play into your hand",
            "clear": "every agent in play leaves the game", "nothing": "nothing happens"}[effect.do]


def _of_others(clause: str, who: str) -> str:
    """The clause about somebody else: ``recruit ... from your hand`` of the opponent, of both players."""
    changed = clause.replace("your hand", "their hand").replace("you do not have", "they do not have")
    if who == "rival":
        for verb in ("recruit", "show", "keep"):
            changed = changed.replace(f"{verb} ", f"{verb}s ")
    return f"{_WHO[who]} {changed}"


def _move(spaces: int, verb: str = "move") -> str:
    if not spaces:
        return f"{verb} 0"
    return f"{verb} {'forward' if spaces > 0 else 'backward'} {abs(spaces)}"


def _spaces(number: int) -> str:
    return f"{number} space" if number == 1 else f"{number} spaces"


def _name(agent: str, agents: Mapping[str, Card]) -> str:
    card = agents.get(agent)
    english = dict(card.names).get("en", "") if card is not None else ""
    return english.lower() or agent.replace("_", " ")


def _a(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def signed(number: int) -> str:
    """A move as it is printed: ``+2``, ``-1``, ``0``."""
    return f"{number:+d}" if number else "0"
