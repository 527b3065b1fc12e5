"""Win rates: recounted from the log by hand, and sentences that follow the numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from agentsim.runs import Run
from agentsim.stats import beats, nontransitive_triples, strength, win_rate_matrix
from analyses import win_rates


@pytest.fixture(scope="module")
def found(round_robin: Run) -> win_rates.Tables:
    return win_rates.tables(round_robin)


def test_scores_are_those_of_a_recount(found: win_rates.Tables, games: pd.DataFrame) -> None:
    long = pd.concat([games.assign(a=games["policy_0"], b=games["policy_1"], score=games["score0"]),
                      games.assign(a=games["policy_1"], b=games["policy_0"], score=1 - games["score0"])])
    expected = long[long["a"] != long["b"]].groupby(["a", "b"])["score"].agg(["mean", "size"])
    matrix = found["matrix"].set_index(["policy_a", "policy_b"])
    assert len(matrix) == len(expected) == 20
    assert np.allclose(matrix["score"], expected["mean"].reindex(matrix.index))
    assert (matrix["n_games"] == expected["size"].reindex(matrix.index)).all()
    assert (matrix["n_deals"] * 2 == matrix["n_games"]).all()


def test_a_cell_and_its_mirror_image_add_up_to_one(found: win_rates.Tables) -> None:
    matrix = found["matrix"].set_index(["policy_a", "policy_b"])
    other = matrix.swaplevel().reindex(matrix.index)
    assert np.allclose(matrix["score"] + other["score"].to_numpy(), 1)
    assert np.allclose(matrix["low"] + other["high"].to_numpy(), 1)
    assert (matrix["low"] < matrix["score"]).all()
    assert (matrix["score"] < matrix["high"]).all()


def test_strength_is_the_mean_over_opponents(found: win_rates.Tables) -> None:
    means = found["matrix"].groupby("policy_a")["score"].mean()
    order = found["strength"]
    assert np.allclose(order["score"], means.reindex(order["policy"]))
    assert order["score"].is_monotonic_decreasing
    assert list(order["rank"]) == [1, 2, 3, 4, 5]
    assert list(found["ladder"]["policy_a"]) == list(order["policy"][:-1])
    assert list(found["ladder"]["policy_b"]) == list(order["policy"][1:])


def test_what_beats_what_excludes_a_half(found: win_rates.Tables) -> None:
    assert (found["decided"]["low"] > 0.5).all()
    profile = found["profile"].set_index("policy")
    assert (profile[["beats", "loses_to", "undecided"]].sum(axis=1) == 4).all()
    assert profile["beats"].sum() == profile["loses_to"].sum() == len(found["decided"])


def planted(scores: dict[tuple[str, str], float], deals: int = 20_000) -> win_rates.Tables:
    """Tables of a round robin with these scores, as ``tables`` would make them."""
    histograms = {}
    for pair, score in scores.items():
        lost, won = round(deals * (1 - score)), round(deals * score)
        histograms[pair] = [lost, 0, 0, 0, won]
    matrix = win_rate_matrix(histograms)
    order = strength(matrix)
    rank = {policy: at for at, policy in enumerate(order["policy"])}
    decided = beats(matrix)
    return {
        "about": pd.DataFrame([{"name": "planted", "game": "agent_avenue", "seed": "1", "log": "none", "n_games": 1,
                                "n_deals": deals, "n_matchups": len(scores), "policies": "a, b, c", "changes": ""}]),
        "matrix": matrix, "strength": order, "decided": decided, "triples": nontransitive_triples(matrix),
        "ladder": matrix[matrix["policy_b"].map(rank) == matrix["policy_a"].map(rank) + 1].assign(step=1),
        "upsets": win_rates._upsets(decided, order), "profile": win_rates._profile(matrix, list(order["policy"])),
    }


def test_circles_are_found_and_told() -> None:
    tables = planted({("stone", "scissors"): 0.6, ("scissors", "paper"): 0.6, ("paper", "stone"): 0.6})
    said = " ".join(finding.text for finding in win_rates.findings(tables))
    assert "`paper` beats `stone`, `stone` beats `scissors`, and `scissors` beats `paper`" in said
    assert "paper beats stone" in win_rates.figures(tables)["triples"].title
    assert any("circle" in getattr(block, "text", "") for block in win_rates.section(tables).blocks)


def test_no_circle_is_told_where_one_edge_is_undecided() -> None:
    tables = planted({("stone", "scissors"): 0.6, ("scissors", "paper"): 0.6, ("paper", "stone"): 0.501})
    assert not len(tables["triples"])
    assert "triples" not in win_rates.figures(tables)
    assert not any("circle" in finding.text for finding in win_rates.findings(tables))


@pytest.mark.parametrize("names", list(itertools.permutations(["anna", "berta", "clara"])))
def test_the_first_sentence_names_whoever_is_first(names: tuple[str, str, str]) -> None:
    a, b, c = names
    tables = planted({(a, b): 0.6, (a, c): 0.7, (b, c): 0.6})
    first, *_ = win_rates.findings(tables)
    assert first.text.startswith(f"`{a}` is the strongest policy")
    assert first.estimate == pytest.approx(0.65, abs=1e-3)
    assert win_rates.figures(tables)["strength"].title.startswith(f"{a} is the strongest")


def test_too_close_is_said_to_be_too_close() -> None:
    tables = planted({("anna", "berta"): 0.5, ("anna", "clara"): 0.701, ("berta", "clara"): 0.7})
    assert "too close" in win_rates.findings(tables)[0].text
    assert "do not say which" in win_rates.figures(tables)["strength"].title


def test_an_upset_is_an_upset_only_if_the_winner_is_clearly_weaker() -> None:
    tables = planted({("anna", "berta"): 0.45, ("anna", "clara"): 0.9, ("berta", "clara"): 0.6})
    assert list(tables["upsets"]["winner"]) == ["berta"]
    assert any("upset" in finding.text for finding in win_rates.findings(tables))
