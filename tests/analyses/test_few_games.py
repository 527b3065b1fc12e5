"""Runs with hardly any games, of every kind: pages without a crash and without a number that is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.report import Report, render, write_site
from agentsim.report.lint import lint
from analyses import agents_and_bluffs, first_player, game_shape, win_rates
from tests.analyses.conftest import played


@pytest.mark.parametrize(("policies", "options"), [
    (["random"], {"games": 1}),
    (["random", "greedy"], {"games": 2}),
    pytest.param(["greedy", "expert"], {"games": 30}, marks=pytest.mark.slow),
    (["random", "greedy", "expert"], {"games": 2}),
    pytest.param(["random", "greedy", "expert"], {"games": 40, "matchups": "pairs"}, marks=pytest.mark.slow),
    (["random", "greedy", "expert"], {"games": 20, "matchups": "mirrors"}),
    (["random", "greedy", "expert"], {"games": 20, "matchups": "against:random"}),
    (["random", "greedy"], {"games": 200, "settings": {"rules.tie_rule": "draw"}}),
    (["random", "expert"], {"games": 60, "settings": {"cards.sentinel.copies": 0, "rules.hand_size": 6}}),
], ids=lambda value: str(value) if isinstance(value, dict) else "-".join(value))
def test_pages(tmp_path: Path, policies: list[str], options: dict[str, Any]) -> None:
    run = played(tmp_path / "run", policies, **options)
    sections, headlines = [], []
    for module in (win_rates, first_player, game_shape, agents_and_bluffs):
        tables = (first_player.tables(run, [first_player.RuleChange("ring length", 14, run)])
                  if module is first_player else module.tables(run))
        sections.append(module.section(tables))
        headlines += module.findings(tables)
    site = render(Report("Few games", headlines, sections))
    assert site.failures == ()
    write_site(site, tmp_path / "pages")
    assert lint(tmp_path / "pages") == []
