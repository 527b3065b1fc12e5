"""Card sets and rule sets of every mode at random: the whole vocabulary of effects, for tests under any rules."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from agentsim.errors import InputError
from agentsim.games.agent_avenue import ruleset
from agentsim.games.agent_avenue.cards.library import shipped_agents, shipped_market
from agentsim.games.agent_avenue.rules import Rules, make_rules
from tests.games.agent_avenue.house_rules import any_move, settings

AGENTS = tuple(card.id for card in shipped_agents())
MARKET = tuple(card.id for card in shipped_market())
OWN_AGENTS = ("courier", "forger")

agents = st.sampled_from((*AGENTS, *OWN_AGENTS))
moves = st.integers(-4, 6)
symbols = st.one_of(st.just("home"), st.integers(0, 3))
who: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}), st.sampled_from(("own", "rival", "both")).map(lambda word: {"who": word}))


def entry(**words: Any) -> st.SearchStrategy[dict[str, Any]]:
    """An effect; values that are strategies are drawn, ``from_`` and ``if_`` are the words that Python keeps."""
    fixed = {word.rstrip("_"): value if isinstance(value, st.SearchStrategy) else st.just(value)
             for word, value in words.items()}
    return st.fixed_dictionaries(fixed)


at_recruit = st.one_of(
    entry(when="recruit", agent=agents, do="set", spaces=moves), entry(when="recruit", agent=agents, do="negate"),
    entry(when="recruit", agent=agents, do="multiply", by=st.integers(-2, 3)),
    entry(when="recruit", agent=agents, do="add", spaces=moves))
at_landing = entry(when="landing", on=st.sampled_from(("home", "market", "division_m")), do="move", spaces=moves)
at_end = st.one_of(
    entry(when="end", do="win", if_="names", at_least=st.integers(2, 9)),
    entry(when="end", do="win", if_="set", agent=agents, at_least=st.integers(1, 5)),
    entry(when="end", do="win", if_="losing_set", agent=agents), entry(when="end", do="win", if_="rival_on_home"),
    entry(when="end", do="win", if_="rival_near_division_m", spaces=st.integers(0, 2)))
at_once = st.one_of(
    st.builds(dict.__or__, entry(do="move", spaces=moves), who),
    st.builds(dict.__or__, entry(do="recruit", from_="deck"), who),
    st.builds(dict.__or__, entry(do="recruit", from_="hand", agent=agents), who),
    st.builds(dict.__or__, entry(do="recruit", from_="hand", of=st.sampled_from(("any", "new_name", "pair"))), who),
    entry(do="take_back", may_recruit=st.booleans()), entry(do="take"), entry(do="clear"),
    entry(do="division_m", symbol=symbols), entry(do="nothing"))
ongoing = st.lists(st.one_of(at_recruit, at_landing, at_end), min_size=1, max_size=3)
instant = st.lists(at_once, min_size=1, max_size=3)


@st.composite
def mode_settings(draw: st.DrawFn) -> dict[str, Any]:
    """Settings of any mode that the box offers, with changed cards and cards of one's own."""
    found: dict[str, Any] = draw(st.one_of(st.just({}), settings()))
    mode, expansion = draw(st.sampled_from(ruleset.MODES)), draw(st.sampled_from(ruleset.EXPANSIONS))
    ring = found.get("rules.ring", 14)
    found |= {
        "rules.mode": mode, "rules.expansion": expansion, "rules.players": draw(st.integers(2, 4)),
        "rules.lone": draw(st.sampled_from(ruleset.LONES)), "rules.team_discards": draw(st.integers(0, 4)),
        "rules.corners": sorted(draw(st.sets(st.integers(0, ring - 1), min_size=1, max_size=5))),
        "rules.supply": draw(st.integers(1, 6)), "rules.m_trap": draw(st.sampled_from(ruleset.M_TRAPS)),
        "rules.picks": draw(st.sampled_from(ruleset.PICKS)), "rules.ceasefire": draw(st.booleans())}
    if draw(st.booleans()):
        found["rules.market"] = draw(st.sampled_from(ruleset.MARKETS))
    for name in draw(st.sets(st.sampled_from(OWN_AGENTS))):
        found |= {f"cards.{name}.{word}": draw(any_move) for word in ("first", "second", "third")}
        found[f"cards.{name}.copies"] = draw(st.integers(0, 6))
        found |= {f"cards.{name}.{word}": draw(symbols) for word in ("m_first", "m_second", "m_third")}
    if mode == "advanced":
        for name in draw(st.sets(st.sampled_from(("anchor", "bait", "compass")))):
            kind = draw(st.sampled_from(("ongoing", "instant")))
            found |= {f"market.{name}.kind": kind, f"market.{name}.copies": draw(st.integers(0, 3)),
                      f"market.{name}.effects": draw(ongoing if kind == "ongoing" else instant)}
        known = make_rules({key: value for key, value in found.items() if key in (
            "rules.mode", "rules.expansion", "rules.market", "rules.ceasefire")}).market_cards
        for card in draw(st.sets(st.sampled_from(known), max_size=4)):
            found[f"market.{card.id}.copies"] = draw(st.integers(0, 3))
    return found


@st.composite
def mode_rules(draw: st.DrawFn) -> Rules:
    """Rules of any mode that are accepted."""
    try:
        return make_rules(draw(mode_settings()))
    except InputError:
        assume(False)
        raise
