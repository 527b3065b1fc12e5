"""Cards in English: every effect has its sentence, and the shipped ones say what the rules pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentsim.games.agent_avenue.cards import Card, Effect, MarketCard, load_market
from agentsim.games.agent_avenue.cards.market import effect_entry, effect_of
from agentsim.games.agent_avenue.cards.sheets import card_sheets
from agentsim.games.agent_avenue.cards.words import agent_text, card_text, effect_text
from agentsim.games.agent_avenue.rules import make_rules
from tests.games.agent_avenue.helpers import the_game

EVERYTHING = make_rules({"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both",
                         "rules.ceasefire": True})

SENTENCES: dict[str, Effect] = {
    "when you recruit a sentinel, do not move": Effect("set", "recruit", "sentinel"),
    "when you recruit a sentinel, move backward 2, whatever it says": Effect("set", "recruit", "sentinel", spaces=-2),
    "when you recruit an enforcer, move 1 less far": Effect("add", "recruit", "enforcer", spaces=-1),
    "when you recruit an enforcer, move as it says": Effect("add", "recruit", "enforcer", spaces=0),
    "when you recruit an enforcer, move three times as far": Effect("multiply", "recruit", "enforcer", by=3),
    "when you recruit an enforcer, move twice as far, the other way": Effect("multiply", "recruit", "enforcer", by=-2),
    "when you recruit an enforcer, do not move": Effect("multiply", "recruit", "enforcer", by=0),
    "when your spy pawn stops on your own Division M pawn, move backward 1": Effect("move", "landing", on="division_m",
                                                                                    spaces=-1),
    "in End, you win with 4 or more moles in play": Effect("win", "end", "mole", at_least=4, condition="set"),
    "in End, as many moles in play as would lose are a win for you, not a loss": Effect("win", "end", "mole",
                                                                                        condition="losing_set"),
    "in End, you win if the opponent's spy pawn stands on your Division M pawn's space": Effect(
        "win", "end", condition="rival_near_division_m"),
    "in End, you win if the opponent's spy pawn stands at most 2 spaces from your Division M pawn": Effect(
        "win", "end", condition="rival_near_division_m", spaces=2),
    "the opponent's spy pawn moves forward 2": Effect("move", spaces=2, who="rival"),
    "both spy pawns move backward 1, the active side first": Effect("move", spaces=-1, who="both"),
    "the opponent recruits the top card of the agent deck": Effect("recruit", source="deck", who="rival"),
    "the opponent shows two agents of one name from their hand, recruits one and keeps the other": Effect(
        "recruit", source="hand", of="pair", who="rival"),
    "both players recruit a mole from their hand, the active side first": Effect("recruit", agent="mole", source="hand",
                                                                                 who="both"),
    "take one of your agents in play back into your hand": Effect("take_back"),
    "move your Division M pawn up to 1 space, either way": Effect("division_m", symbol=1),
    "nothing happens": Effect("nothing"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences(sentence: str) -> None:
    effect = SENTENCES[sentence]
    assert effect_text(effect) == sentence
    assert effect_of(effect_entry(effect)) == effect


def test_every_shipped_card_has_a_sentence_of_its_own() -> None:
    texts = [card_text(card, EVERYTHING.cards) for card in EVERYTHING.market_cards]
    assert len(texts) == 31
    assert all(re.fullmatch(r"[A-Z][^{}\[\]_]+\.", text) for text in texts)
    # Defection does what Mind Control does.
    assert len(set(texts)) == 30


def test_numbers_in_sentences_are_those_of_the_rules_pages(repository: Path) -> None:
    rows = []
    for page in ("market", "division_m"):
        text = (repository / "docs" / "rules" / f"agent_avenue_{page}.md").read_text(encoding="utf-8")
        rows += re.findall(r"^\| `(\w+)` \|[^|]+\| (ongoing|instant) \| (.+) \|$", text, flags=re.MULTILINE)
    assert [name for name, _, _ in rows] == [card.id for card in EVERYTHING.market_cards]
    for (name, kind, told), card in zip(rows, EVERYTHING.market_cards, strict=True):
        numbers = re.findall(r"[-+]?\d+", told)
        assert kind == card.kind, name
        assert set(numbers) <= set(re.findall(r"[-+]?\d+", card_text(card, EVERYTHING.cards))), name


def test_sentences_follow_the_cards_of_the_game() -> None:
    twin = next(card for card in load_market() if card.id == "sinister_twin")
    assert card_text(twin) == "When you recruit a double agent, move twice as far."
    rules = make_rules({"cards.double_agent.second": 3, "cards.double_agent.names.en": "Janus"})
    assert card_text(twin, rules.cards) == "When you recruit a janus, move twice as far (-2, +6, -2)."
    leader = next(card for card in load_market() if card.id == "leader_of_the_pack")
    assert "4 or more daredevils" in card_text(leader, make_rules({"cards.daredevil.loses_at": 4}).cards)
    assert "no number of them loses" in card_text(leader, make_rules({"cards.daredevil.loses_at": 0}).cards)
    briefing = next(card for card in load_market("market_division_m") if card.id == "briefing")
    assert card_text(briefing, make_rules().cards) == (
        "Recruit a handler from your hand. (There is no handler in this game.)")


def test_several_effects_are_told_in_order() -> None:
    effects = (Effect("move", spaces=1), Effect("take"))
    assert card_text(MarketCard("x", "instant", effects)) == (
        "First move forward 1. Then take one of the opponent's agents in play into your hand.")
    effects = (Effect("negate", "recruit", "mole"), Effect("win", "end", condition="rival_on_home"))
    assert card_text(MarketCard("x", "ongoing", effects)) == (
        "When you recruit a mole, move forward instead of backward. "
        "In End, you win if the opponent's spy pawn stands on your home space.")


def test_agents_in_words() -> None:
    assert agent_text(Card("x", 1, 0, 0, 0)) == ""
    assert agent_text(Card("x", 6, 0, 0, 0, wins_at=3, loses_at=5, m_first="home", m_third=2)) == (
        "3 or more in play win; 5 or more in play lose; Division M pawn: home, nothing, up to 2")


def test_sheets_hold_every_card() -> None:
    agents, market = card_sheets(EVERYTHING)
    assert [row[0] for row in agents.rows] == list(EVERYTHING.names)
    assert [row[0] for row in market.rows] == [card.id for card in EVERYTHING.market_cards]
    assert {row[2] for row in market.rows} == {"publisher", "stand-in"}
    assert all(len(row) == len(sheet.header) for sheet in (agents, market) for row in sheet.rows)
    assert len(card_sheets(make_rules())) == 1
    assert list(the_game().card_sheets(EVERYTHING)) == [agents, market]
