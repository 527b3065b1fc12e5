"""Tournaments: decisions on planted games, the error among equals, stopping and going on, commands and bad input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import agentsim
from agentsim.cli import main
from agentsim.commands import tournament as commands
from agentsim.errors import InputError
from agentsim.simulation.plan import Span
from agentsim.strategy.contest import Plan, Play, Standing, Tally, play_tournament
from agentsim.strategy.results import TournamentResult
from tests.stats.planted import allowed


def planted(chances: Sequence[float], seed: int = 1, played: list[Span] | None = None) -> Play:
    """Pairs of independent games, each won with the pair's chance; a stretch is the same whenever it is asked for."""
    def play(spans: Sequence[Span]) -> list[Tally]:
        found: list[Tally] = []
        for span in spans:
            if played is not None:
                played.append(span)
            rng = np.random.default_rng([seed, span.matchup, span.first_deal])
            p = chances[span.matchup]
            counts = rng.multinomial(span.n_deals, [(1 - p) ** 2, 0, 2 * p * (1 - p), 0, p * p])
            found.append({"deal_score_a": counts.astype(np.int64), "end_reason": np.array([2 * span.n_deals])})
        return found
    return play


def field(names: str, games: int, margin: float = 0.02) -> Plan:
    pairs = tuple(combinations(names, 2))
    return Plan(pairs, (2,) * len(pairs), games, margin)


def finished(plan: Plan, standings: list[Standing], names: str) -> TournamentResult:
    return TournamentResult(plan, standings, tuple(names), True, "planted", 1)


def test_a_circle_a_tie_and_an_ordinary_win() -> None:
    # a > b > c > a; d loses to all three; a and e are equal.
    chances = [0.6, 0.4, 0.7, 0.5, 0.6, 0.7, 0.6, 0.7, 0.6, 0.3]
    plan = field("abcde", 1_000_000, margin=0.01)
    result = finished(plan, play_tournament(plan, planted(chances)), "abcde")
    pairs = result.pairs().set_index(["policy_a", "policy_b"])
    assert pairs["decision"].tolist() == ["a", "b", "a", "equal", "a", "a", "a", "a", "a", "b"]
    assert ((pairs["low"] <= chances) & (chances <= pairs["high"])).all()
    assert result.n_games < 1_000_000
    circles = result.circles()
    assert circles[["a", "b", "c"]].to_numpy().tolist() == [["a", "b", "c"]]
    assert set(result.tables()) == {"ranking", "pairs", "circles", "residuals"}
    ranking = result.ranking().set_index("policy")
    assert ranking.index[-1] == "d"
    assert ranking.loc["d", "loses"] == 4
    assert result.ratings().misfit.p_value < 1e-6
    # Hard pairs got more than easy ones.
    assert pairs.loc[("a", "e"), "n_games"] > 1.5 * pairs.loc[("a", "d"), "n_games"]


def test_a_budget_that_ends_is_kept_and_the_rest_is_said_to_be_open() -> None:
    plan = field("abc", 20_000, margin=0.001)
    result = finished(plan, play_tournament(plan, planted([0.5, 0.5, 0.8])), "abc")
    assert 19_000 < result.n_games <= 20_000
    pairs = result.pairs()
    assert pairs["decision"].tolist() == ["undecided", "undecided", "a"]
    assert (pairs["needed"].dropna() > 0).all()


def test_stop_and_go_on_gives_the_same(tmp_path: Path) -> None:
    plan, chances = field("abc", 60_000, margin=0.01), [0.5, 0.52, 0.8]
    state = tmp_path / "state.jsonl"
    whole = play_tournament(plan, planted(chances), state=state, digest="x")
    lines = state.read_text().splitlines(keepends=True)
    state.write_text("".join(lines[:5]) + lines[5][:20])  # killed while the sixth line was written
    played: list[Span] = []
    again = play_tournament(plan, planted(chances, played=played), state=state, digest="x")
    assert [one.blocks for one in again] == [one.blocks for one in whole]
    assert [one.test.decided_at for one in again] == [one.test.decided_at for one in whole]
    assert [one.tally["end_reason"].tolist() for one in again] == [one.tally["end_reason"].tolist() for one in whole]
    assert 0 < len(played) < sum(len(one.blocks) for one in whole)
    assert state.read_text() == "".join(lines)
    with pytest.raises(InputError, match="another tournament"):
        play_tournament(plan, planted(chances), state=state, digest="y")
    for damage in ("[]", "7", '{"pair": 0}', "\0"):
        state.write_text("".join(lines[:3]) + damage + "\n" + "".join(lines[4:]))
        play_tournament(plan, planted(chances), state=state, digest="x")
        assert sorted(state.read_text().splitlines()) == sorted("".join(lines).splitlines())
    state.write_text("notes of mine\n")
    with pytest.raises(InputError, match="another tournament"):
        play_tournament(plan, planted(chances), state=state, digest="x")
    assert state.read_text() == "notes of mine\n"


def test_real_policies_and_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = agentsim.tournament("random,greedy", games=4000, workers=1)
    assert result.pairs()["decision"].tolist() == ["b"]
    assert agentsim.tournament("random,greedy", games=4000, workers=2).pairs().equals(result.pairs())
    out = tmp_path / "out"
    words = ["tournament", "--policies", "random,greedy,expert", "--games", "8000", "--quiet", "--workers", "1"]
    assert main([*words, "--json", "--out", str(out)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["policy"] for row in data["ranking"]] == ["expert", "greedy", "random"]
    kept = {path.name for path in out.iterdir()}
    assert {"state.jsonl", "tournament.json", "ranking.csv", "pairs.csv", "index.html"} <= kept
    assert main(words) == 0
    assert "3 of 3 pairs decided" in capsys.readouterr().out
    assert main(["tournament", "--policies", "expert", "--field", "random,greedy", "--games", "8000", "--quiet"]) == 0
    assert "2 of 2 pairs decided" in capsys.readouterr().out


def test_duel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["duel", "random", "greedy", "--games", "4000", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("greedy beats random: ")
    assert main(["duel", "random", "greedy", "--games", "4000", "--quiet", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["decision"] == "b"
    assert [item["seat"] for item in data["by_seat"]] == [0, 1]
    assert sum(item["share"]["estimate"] for item in data["endings"]) == pytest.approx(1.0)


def test_a_duel_tells_the_style_of_the_same_games(capsys: pytest.CaptureFixture[str]) -> None:
    # Too close to decide: the match and its style are all games of the budget.
    words = ["duel", "expert", "expert(lead=0.4101)", "--games", "2560", "--quiet"]
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = {row["measure"]: row for row in data["style"]}
    assert data["n_games"] == rows["length"]["n_games"] == 2560
    wins = sum(row["a"] for name, row in rows.items() if name.startswith("wins_"))
    assert wins * 2560 == pytest.approx(sum(item["won"]["estimate"] * item["n_games"] for item in data["by_seat"]))
    assert rows["length"]["b"] is None
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "hides the better card, %" in out
    assert "Style in the first 2,560 games of the match" in out
    assert "nan" not in out


def test_the_style_of_a_policy_in_python_is_of_fewer_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its games are hundreds of times slower; the number is fixed beforehand all the same, and told."""
    (tmp_path / "slow.py").write_text("class Left:\n"
                                      "    def offer(self, view):\n        return view.legal[0]\n\n"
                                      "    def choose(self, view):\n        return view.legal[0]\n\n\nleft = Left()\n")
    monkeypatch.setattr(commands, "SLOW_STYLE_GAMES", 60)
    assert main(["duel", f"{tmp_path}/slow.py:left", "random", "--games", "640", "--quiet", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert {row["n_games"] for row in data["style"]} == {60}
    assert {row["measure"]: row["a"] for row in data["style"]}["takes_up"] == 1.0
    monkeypatch.setattr(commands, "STYLE_GAMES", 80)
    assert main(["duel", "greedy", "random", "--games", "640", "--quiet"]) == 0
    assert "Style in the first 80 games" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "problem"), [
    (["tournament"], "give the policies"),
    (["tournament", "--policies", "random"], "nobody to play"),
    (["tournament", "--policies", "random,random"], "listed twice"),
    (["tournament", "--policies", "random,greedy", "--games", "100"], "too few"),
    (["tournament", "--policies", "random,greedy", "--margin", "wide"], "percentage points"),
    (["tournament", "--policies", "random,greedy", "--margin", "50"], "margin"),
    (["tournament", "--policies", "random,greedy", "--games", "1"], "--games: 1 game is too few for 1 pair"),
    (["tournament", "--policies", "random,gredy"], "--policies: unknown policy 'gredy'"),
    (["tournament", "--policies", "random", "--field", "gredy"], "--field: unknown policy 'gredy'"),
    (["tournament", "--policies", "random", "--field", "random"], "nobody to play"),
    (["tournament", "--game", "argh", "--policies", "all"], "win shares"),
    (["duel", "random", "random"], "the same policy (allowed: two that differ; `agentsim simulate --policies random`"),
    (["duel", "expert", "expert(bluff=0)"], "the same policy"),
    (["duel", "expert", "exprt"], "did you mean 'expert'"),
    (["duel", "all", "random"], "not one policy"),
    (["duel", "random", "greedy,expert"], "not one policy"),
])
def test_bad_input_is_one_line(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert problem in error
    assert error.count("\n") == 1


def false_alarms(repetitions: int, *, margin: float) -> float:
    """How often a tournament of clones calls any pair won."""
    plan = field("abcd", 30_000, margin=margin)
    alarms = sum(any(one.decision in ("better", "worse") for one in
                     play_tournament(plan, planted([0.5] * 6, seed=seed))) for seed in range(repetitions))
    return alarms / repetitions


def test_clones_are_seldom_told_apart_in_short() -> None:
    assert false_alarms(20, margin=0.02) <= allowed(0.05, 20)


@pytest.mark.slow
def test_clones_are_seldom_told_apart() -> None:
    assert false_alarms(400, margin=0.005) <= allowed(0.05, 400)
