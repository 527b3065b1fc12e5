"""What the log says of Black Market cards, against a slow count; and the whole page from a real run."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.report import Report, write_report
from agentsim.report.lint import lint
from agentsim.runs import Run
from agentsim.stats import cluster_ratio
from analyses import black_market, market_log
from analyses.market_trials import Size

TINY = Size(games=2000, blanks=2000, landings=600, forced=300)


@pytest.fixture(scope="module")
def events(market_run: Run) -> pd.DataFrame:
    """Every event with its game, straight from the log."""
    return market_run.sql("SELECT * FROM market JOIN games USING (game_id) ORDER BY game_id, turn, seq")


def test_usage_is_what_a_slow_count_gives(market_run: Run, events: pd.DataFrame) -> None:
    table = market_log.usage(market_run, market_log.landings(market_run)).set_index(["policy", "card"])
    places = [f"supply_{at}" for at in range(3)]
    for policy in ("random", "greedy"):
        mine = events[events["policy_0"] == policy]
        for card in ("supercomputer", "masterplan", "smoke_screen"):
            row = table.loc[(policy, card)]
            offered = mine[(mine[places] == card).any(axis=1)]
            taken = mine[mine["taken"] == card]
            assert row["n_offers"] == len(offered)
            assert row["n_taken"] == len(taken) > 0
            assert row["taken"] == pytest.approx(len(taken) / len(offered))
            assert row["seen"] == pytest.approx(offered["game_id"].nunique() / 1500)
            won = taken["winner"].isna() * 0.5 + (taken["winner"] == taken["seat"])
            assert row["win"] == pytest.approx(won.mean())
            assert row["turn"] == pytest.approx(taken["turn"].mean())
            own = taken["lead_after"].where(taken["seat"] == 0, -taken["lead_after"]) - taken["move"]
            assert row["ahead"] == pytest.approx((own > 0).mean())
            assert row["behind"] == pytest.approx((own < 0).mean())


def test_intervals_count_deals_and_hold_together(market_run: Run, events: pd.DataFrame) -> None:
    table = market_log.usage(market_run, market_log.landings(market_run))
    row = table[(table["policy"] == "greedy") & (table["card"] == "watchtower")].iloc[0]
    mine = events[(events["policy_0"] == "greedy") & (events["taken"] == "watchtower")]
    won = (mine["winner"] == mine["seat"]).astype(float) + 0.5 * mine["winner"].isna()
    by_deal = won.groupby(mine["deal_id"]).agg(["sum", "count"])
    known = cluster_ratio(by_deal["sum"], by_deal["count"], 0.95 ** (1 / 15))
    assert (row["win_low"], row["win_high"]) == pytest.approx((known.low, known.high))


def test_ends_are_shares_of_games(market_run: Run, events: pd.DataFrame) -> None:
    table = market_log.ends(market_run, market_log.landings(market_run))
    for (policy, card), part in table.groupby(["policy", "card"]):
        assert part["estimate"].sum() == pytest.approx(1.0)
        mine = events[events["policy_0"] == policy]
        games = (mine if card == "" else mine[mine["taken"] == card]).drop_duplicates("game_id")
        shares = games["end_reason"].astype(str).value_counts(normalize=True)
        for row in part.itertuples():
            assert row.estimate == pytest.approx(shares.get(row.end, 0.0))
        assert (part["n_games"] == len(games)).all()


def test_a_run_without_black_market_is_refused(mirrors: Run) -> None:
    with pytest.raises(InputError, match="Black Market"):
        black_market.tables(mirrors)


def test_the_page_of_a_real_run(market_run: Run, tmp_path: Path) -> None:
    found = black_market.tables(market_run, size=TINY)
    assert set(black_market.figures(found)) == {"balance", "strength", "agreement", "confounded", "taken", "ends"}
    assert set(black_market.displays(found)) == {"verdicts", "strengths", "agreements", "usage", "takers", "landings",
                                                 "forced"}
    assert (found["check"]["z"].abs() < found["check"]["limit"]).all()
    write_report(Report("Cards", black_market.findings(found), [black_market.section(found)]), tmp_path)
    assert lint(tmp_path) == []
    assert "confounded" in (tmp_path / "black-market.html").read_text(encoding="utf-8")
