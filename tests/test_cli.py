"""The commands, from words to output, on the real game. What is refused is in test_bad_input.py."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

import agentsim
from agentsim import cli
from agentsim.games.base import get_game

ESTIMATE = {"estimate", "low", "high", "n", "n_deals", "n_games", "level", "method"}


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are given relative paths in a folder of their own."""
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command prints to stdout."""
    capsys.readouterr()
    assert cli.main(words) == code
    return capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The document that a command prints with ``--json``."""
    document: dict[str, Any] = json.loads(run(capsys, *words, "--json"))
    assert document["agentsim"] == agentsim.__version__
    assert document["command"] == words[0]
    return document


def estimates(value: Any) -> list[dict[str, Any]]:
    """Every estimate anywhere in a document."""
    if isinstance(value, dict):
        if "estimate" in value and not isinstance(value["estimate"], dict):
            return [value]
        return [found for item in value.values() for found in estimates(item)]
    return [found for item in value for found in estimates(item)] if isinstance(value, list) else []


# ------------------------------------------------------------------------------------------- simulate


def test_two_policies_are_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "simulate", "--policies", "greedy,random", "--games", "2000", "--quiet")
    assert "greedy scores" in text
    assert "greedy is the stronger one here." in text
    assert "2,000 games" in text
    assert "1,000 deals" in text
    assert "Nothing was written" in text
    assert list(Path().iterdir()) == []


def test_a_mirror_is_told_by_its_seats(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "simulate", "--policies", "random", "--games", "501", "--quiet")
    assert "random against itself" in text
    assert "who starts scores" in text
    assert "random scores" not in text


def test_three_policies_are_a_round_robin_with_a_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "simulate", "--policies", "random,greedy,minmax", "--games", "400", "--quiet")
    assert "6 matchups of 3 policies, 3 of them mirrors" in text
    matrix = text[text.index("row scores, %"):].splitlines()
    assert matrix[3].split()[:2] == ["3", "random"]


def test_the_document_of_simulate(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "simulate", "--policies", "greedy,random", "--games", "1k", "--seed", "7")
    assert set(found) == {"agentsim", "command", "experiment", "plan_digest", "path", "n_games", "seconds",
                          "games_per_second", "results"}
    assert found["experiment"]["seed"] == 7
    assert found["n_games"] == 1000
    assert found["path"] is None
    matchup, = found["results"]["matchups"]
    assert matchup["policies"] == ["greedy", "random"]
    assert matchup["wins_a"] + matchup["draws"] + matchup["losses_a"] == matchup["n_games"] == 1000
    assert matchup["n_deals"] == 500
    assert matchup["score_a"]["low"] < matchup["score_a"]["estimate"] < matchup["score_a"]["high"]
    assert sum(share["estimate"] for share in matchup["ends"].values()) == pytest.approx(1)
    every = estimates(found["results"])
    assert len(every) >= 12
    assert all(set(each) == ESTIMATE and each["n_games"] == 1000 and each["n_deals"] == 500 for each in every)


def test_results_depend_on_the_seed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    base = ("simulate", "--policies", "greedy,random", "--games", "2000", "--seed", "3")
    found = [run_json(capsys, *base, *more)["results"] for more in
             ((), ("--workers", "1"), ("--workers", "3"), ("--backend", "sequential"))]
    assert found.count(found[0]) == 4
    assert run_json(capsys, *base[:-1], "4")["results"] != found[0]


def test_flags_take_the_place_of_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "trial.toml").write_text(
        'policies = ["greedy", "random"]\nmatchups = [["random", "greedy"]]\ngames = 10\nseed = 5\n'
        '[rules]\nhand_size = 5\n[cards.mole]\nfirst = -2\n')
    plain = run_json(capsys, "simulate", "trial.toml", "--dry-run")["experiment"]
    assert (plain["name"], plain["games"], plain["seed"], plain["matchups"]) == ("trial", 10, 5, [[1, 0]])
    assert (plain["settings"]["rules.hand_size"], plain["settings"]["cards.mole.first"]) == (5, -2)
    changed = run_json(capsys, "simulate", "trial.toml", "--dry-run", "--games", "1_000", "--seed", "0xff", "--name",
                       "x", "--set", "rules.hand_size=3", "--set", "rules.tie_rule=draw", "--policies", "minmax",
                       )["experiment"]
    assert (changed["name"], changed["games"], changed["seed"], changed["matchups"]) == ("x", 1000, 255, [[0, 0]])
    assert (changed["settings"]["rules.hand_size"], changed["settings"]["rules.tie_rule"]) == (3, "draw")
    assert changed["settings"]["cards.mole.first"] == -2


def test_a_card_table_changes_cards_and_set_changes_it_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path,
) -> None:
    (tmp_path / "cards.toml").write_text("[sentinel]\nthird = 4\ncopies = 5\n")
    (tmp_path / "trial.toml").write_text('policies = ["random"]\ncards = "cards.toml"\n')
    for words in (("trial.toml",), ("--policies", "random", "--cards", "cards.toml")):
        settings = run_json(capsys, "simulate", *words, "--dry-run", "--set", "cards.sentinel.copies=4")["experiment"][
            "settings"]
        assert (settings["cards.sentinel.third"], settings["cards.sentinel.copies"]) == (4, 4)
        assert settings["cards.sentinel.second"] == 2


def test_rules_change_results_and_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("simulate", "--policies", "random", "--games", "500")
    assert "Changed rules: rules.ring = 20" in run(capsys, *words, "--set", "rules.ring=20", "--quiet")
    assert "Changed rules" not in run(capsys, *words, "--set", "rules.hand_size=4", "--quiet")
    assert run_json(capsys, *words)["results"] != run_json(capsys, *words, "--set", "rules.ring=20")["results"]


def test_shipped_experiments_are_found_by_name(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    names = sorted(file.stem for file in (repository / "data" / "experiments").glob("*.toml"))
    assert {"two_policies", "round_robin", "hand_of_five", "weaker_sentinel", "bluff_ladder"} <= set(names)
    for name in names:
        experiment = agentsim.load_experiment(name)
        assert experiment.total_games > 0
    assert run_json(capsys, "simulate", "two_policies", "--games", "100")["n_games"] == 100


def test_a_dry_run_plays_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("simulate", "--policies", "greedy,random", "--games", "1e5", "--log", "turns", "--out", "run", "--dry-run")
    text = run(capsys, *words)
    assert "Nothing was played" in text
    assert "on disk" in text
    found = run_json(capsys, *words)
    assert found["estimate"]["n_games"] == 100_000
    assert found["estimate"]["seconds"] > 0
    assert found["estimate"]["bytes"] > 100_000
    assert not Path("run").exists()


def test_a_file_with_a_log_but_no_folder_prints_its_results(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "trial.toml").write_text('policies = ["random"]\nlog = "turns"\ngames = 100\n')
    assert cli.main(["simulate", "trial.toml"]) == 0
    out, err = capsys.readouterr()
    assert "Without --out nothing is logged" in err
    assert "100 games" in out


def test_a_policy_of_ones_own_is_found_from_the_file_and_from_here(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "mine.py").write_text(OWN_POLICY)
    (tmp_path / "trial.toml").write_text('policies = ["./mine.py:first", "random"]\ngames = 20\n')
    words = ("--policies", "mine.py:first,random", "--games", "20", "--out", "run")
    assert run_json(capsys, "simulate", *words)["n_games"] == 20
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run_json(capsys, "simulate", "../trial.toml")["n_games"] == 20
    assert run_json(capsys, "extend", "../run", "--games", "40")["n_games"] == 20


OWN_POLICY = '''
class First:
    """Does whatever is listed first, through the step API."""

    def offer(self, observation):
        return observation.legal[0]

    def choose(self, observation):
        return observation.legal[0]


first = First()
'''


# ------------------------------------------------------------------------------------------- runs


def make_run(capsys: pytest.CaptureFixture[str], path: str = "run", log: str = "turns", games: str = "1000") -> None:
    run(capsys, "simulate", "--policies", "greedy,random", "--games", games, "--seed", "11", "--log", log, "--out",
        path, "--quiet")


def test_a_run_that_is_kept_logs_games_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "simulate", "--policies", "random", "--games", "100", "--out", "a", "--quiet")
    assert run_json(capsys, "inspect", "a")["rows"] == {"games": 100}
    run(capsys, "simulate", "--policies", "random", "--games", "100", "--out", "b", "--log", "none", "--quiet")
    assert run_json(capsys, "inspect", "b")["rows"] == {}


def test_inspect_shows_plan_rows_digest_and_results(capsys: pytest.CaptureFixture[str]) -> None:
    make_run(capsys)
    found = run_json(capsys, "inspect", "run", "--verify")
    assert found["rows"]["games"] == 1000
    assert found["rows"]["turns"] > 4000
    assert found["complete"]
    assert found["verified"]
    assert found["n_games"] == found["n_games_planned"] == 1000
    assert found["bytes"] > 1000
    assert found["results"]["matchups"][0]["n_games"] == 1000
    text = run(capsys, "inspect", "run", "--verify")
    assert found["digest"] in text
    assert found["plan_digest"] in text
    assert "rows of turns" in text
    assert "greedy scores" in text
    assert "every file has the rows and the checksum" in text


def test_the_same_plan_again_is_continued_and_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    make_run(capsys)
    before = run_json(capsys, "inspect", "run")
    make_run(capsys)
    assert run_json(capsys, "inspect", "run") == before


def test_extending_ends_as_a_longer_run_would(capsys: pytest.CaptureFixture[str]) -> None:
    make_run(capsys)
    assert run_json(capsys, "extend", "run", "--games", "2k")["n_games"] == 1000
    make_run(capsys, "long", games="2000")
    short, long = run_json(capsys, "inspect", "run"), run_json(capsys, "inspect", "long")
    assert short["digest"] == long["digest"]
    assert short["results"] == long["results"]


def test_a_lost_file_is_played_again(capsys: pytest.CaptureFixture[str]) -> None:
    make_run(capsys)
    before = run_json(capsys, "inspect", "run")
    next(Path("run/turns").glob("*.parquet")).unlink()
    assert run_json(capsys, "resume", "run")["n_games"] == 1000
    assert run_json(capsys, "inspect", "run", "--verify")["digest"] == before["digest"]


def test_a_replay_agrees_with_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    make_run(capsys)
    games = agentsim.open_run("run").table("games").set_index("game_id")
    for number in (0, 1, 999):
        found = run_json(capsys, "replay", "run", "--game", str(number))
        assert found["deal_id"] == number // 2
        assert found["policies"] == ["greedy", "random"]
        story = "\n".join(found["story"])
        row = games.loc[number]
        assert f"seat {row.winner} ({row[f'policy_{row.winner}']}) wins" in story
        assert f"After {row.n_turns} turns" in story
    assert run(capsys, "replay", "run", "--game", "999").strip() == story


def test_export_writes_what_the_log_holds(capsys: pytest.CaptureFixture[str]) -> None:
    make_run(capsys)
    found = run_json(capsys, "export", "run", "--csv", "deep/csv")
    rows = {file["table"]: file["rows"] for file in found["files"]}
    assert set(rows) == {"games", "turns", "matchups"}
    frame = agentsim.open_run("run").table("games")
    with open("deep/csv/games.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == rows["games"] == len(frame) == 1000
    assert [line["end_reason"] for line in lines] == list(frame["end_reason"])
    assert sorted(path.name for path in Path("deep/csv").iterdir()) == ["games.csv", "matchups.csv", "turns.csv"]
    found = run_json(capsys, "export", "run", "--csv", "one", "--table", "games")
    assert {file["table"] for file in found["files"]} == {"games", "matchups"}


# ------------------------------------------------------------------------------------------- reference


def test_schema_describes_every_column_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "simulate", "--policies", "random", "--games", "50", "--log", "full", "--out", "run", "--quiet")
    logged = agentsim.open_run("run")
    found = run_json(capsys, "schema")
    assert {table["name"]: [column["name"] for column in table["columns"]] for table in found["tables"]} == {
        table.name: [column.name for column in table.columns] for table in logged.tables}
    assert all(column["doc"] for table in found["tables"] for column in table["columns"])
    winner = next(column for column in found["tables"][0]["columns"] if column["name"] == "winner")
    assert winner["nullable"]
    assert "null" in winner["doc"]
    text = run(capsys, "schema", "--log", "turns")
    assert "took_face_up" in text
    assert "discard_0" not in text
    assert "only counters" in run(capsys, "schema", "--log", "none")


def test_cards_in_three_languages_and_with_changes(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "cards", "--language", "all")
    assert all(name in text for name in ("Codebreaker", "Cryptologue", "Codeknackerin", "38 cards"))
    assert "Codeknackerin" not in run(capsys, "cards")
    assert "Codeknackerin" in run(capsys, "cards", "--language", "de")
    found = run_json(capsys, "cards", "--set", "cards.mole.copies=2")
    assert sum(card["copies"] for card in found["cards"]) == 39
    double = next(card for card in found["cards"] if card["id"] == "double_agent")
    assert (double["first"], double["second"], double["third"]) == (-1, 6, -1)


def test_policies_and_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "policies")
    labels = [policy["label"] for policy in found["policies"]]
    assert labels[:4] == ["random", "random_discards", "greedy", "minmax"]
    assert "expert" in labels
    assert all(policy["idea"] for policy in found["policies"])
    assert all(label in run(capsys, "policies") for label in labels)
    one = run_json(capsys, "policies", "expert")
    assert {"name", "value", "default", "low", "high", "whole", "doc"} == set(one["parameters"][0])
    assert all(each["low"] <= each["value"] <= each["high"] for each in one["parameters"])
    assert "bluff" in run(capsys, "policies", "planner(bluff=0.5)")
    assert "no parameters" in run(capsys, "policies", "random")


def test_rules_are_listed_with_defaults_and_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_json(capsys, "rules")
    assert {key["name"] for key in found["keys"]} < {key.name for key in get_game("agent_avenue").rule_keys()}
    assert not any(key["name"].startswith("market.") for key in found["keys"])
    found = run_json(capsys, "rules", "market.", "--set", "rules.mode=advanced")
    assert {"name": "market.watchtower.spaces", "doc": "watchtower: spaces moved, or how near", "allowed": "-20 to 20",
            "default": 2, "value": 2} in found["keys"]
    text = run(capsys, "rules", "hand", "--set", "rules.hand_size=6")
    assert "rules.hand_size      6   2 to 8" in text
    assert run_json(capsys, "rules", "hand", "--set", "rules.hand_size=6")["keys"][0]["default"] == 4


def test_every_rule_key_can_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    keys = run_json(capsys, "rules")["keys"]
    words = [word for key in keys for word in ("--set", f"{key['name']}={key['value']}")]
    assert run_json(capsys, "simulate", "--policies", "random", "--dry-run", *words)["experiment"]["settings"] == {
        key["name"]: key["value"] for key in keys}
    everything = {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both",
                  "rules.ceasefire": "true"}
    switches = [word for key, value in everything.items() for word in ("--set", f"{key}={value}")]
    keys = run_json(capsys, "rules", *switches)["keys"]
    assert {key["name"] for key in keys} == {key.name for key in get_game("agent_avenue").rule_keys()}
    words = [word for key in keys for word in ("--set", f"{key['name']}={key['value']}")]
    assert run_json(capsys, "rules", *words)["keys"] == keys


def test_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "agent_avenue" in run(capsys, "games")
    assert run_json(capsys, "games")["games"][0]["title"] == "Agent Avenue"


def test_the_report_gets_its_flags(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, Any]] = []

    def main(**flags: Any) -> int:
        given.append(flags)
        return 1

    monkeypatch.setitem(sys.modules, "analyses.report", types.SimpleNamespace(main=main))
    run(capsys, "report", code=1)
    flags = ("--games", "2k", "--out", "pages", "--seed", "7", "--workers", "3", "--notebooks-only", "--quiet")
    run(capsys, "report", *flags, code=1)
    assert given[0] == {"games": None, "out": Path("reports"), "seed": None, "workers": os.cpu_count(),
                        "notebooks_only": False, "quiet": False}
    assert given[1] == {"games": 2000, "out": Path("pages"), "seed": 7, "workers": 3, "notebooks_only": True,
                        "quiet": True}


# ------------------------------------------------------------------------------------------- public interface


def test_everything_public_can_be_had() -> None:
    assert all(getattr(agentsim, name) is not None for name in agentsim.__all__)
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        agentsim.simulat  # noqa: B018


def test_simulating_from_python(tmp_path: Path) -> None:
    result = agentsim.simulate(policies=["greedy", "random"], games=1000, seed=11)
    summary = result.summary()
    assert list(summary["policy_a"]) == ["greedy"]
    assert 0.5 < summary["score_a_low"][0] < summary["score_a"][0] < summary["score_a_high"][0]
    experiment = agentsim.build_experiment("greedy,random", games=1000, seed=11)
    assert agentsim.simulate(experiment, workers=1).summary().equals(summary)
    (tmp_path / "trial.toml").write_text('policies = ["greedy", "random"]\ngames = 1000\nseed = 11\n')
    assert agentsim.simulate(tmp_path / "trial.toml").summary().equals(summary)
    kept = agentsim.simulate(policies="greedy,random", games=1000, seed=11, out=tmp_path / "run")
    assert kept.summary().equals(summary)
    assert agentsim.open_run(tmp_path / "run").n_games == 1000
    with pytest.raises(agentsim.InputError, match="do not describe it again"):
        agentsim.simulate(experiment, games=10)
    with pytest.raises(agentsim.InputError, match="give an experiment or policies"):
        agentsim.simulate()


def test_policies_and_games_from_python() -> None:
    # Other tests of the same process may have registered a game of their own.
    assert set(agentsim.list_games()) - {"dice_race"} == {"agent_avenue", "argh", "shady_agents"}
    assert "expert" in [policy.label for policy in agentsim.load_policies()]
    assert [policy.label for policy in agentsim.load_policies("greedy,planner(bluff=0.5)")] == [
        "greedy", "planner(bluff=0.5)"]
    game = agentsim.new_game(seed=1, settings={"rules.hand_size": 5})
    while not game.is_over:
        game = game.apply(game.legal_actions()[0])
    assert game.winner in (0, 1, None)
    for wrong in ({"seed": -1}, {"game": "chess"}, {"settings": {"rules.hand": 1}}, {"deal": -1}):
        with pytest.raises(agentsim.InputError):
            agentsim.new_game(**wrong)


# ------------------------------------------------------------------------------------------- processes


def test_a_warm_cache_needs_no_compiler(agentsim_command: list[str]) -> None:
    words = [*agentsim_command, "simulate", "--policies", "random,greedy", "--games", "1000", "--workers", "1"]
    subprocess.run(words, check=True, capture_output=True)
    # Once more with the log of numba's cache: everything is loaded, nothing saved.
    done = subprocess.run(words, check=True, capture_output=True, text=True,
                          env=os.environ | {"NUMBA_DEBUG_CACHE": "1"})
    assert "data loaded from" in done.stdout
    assert "data saved to" not in done.stdout
    assert done.stderr == ""


def _heed_ctrl_c() -> None:
    """A shell's background jobs, and all that they start, ignore the signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_says_how_to_go_on(
    agentsim_command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["simulate", "--policies", "random", "--games", "20M", "--out", "my run", "--log", "turns"]
    process = subprocess.Popen([*agentsim_command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=tmp_path, preexec_fn=_heed_ctrl_c)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("my run/turns/part-*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "agentsim: interrupted; continue with: agentsim resume 'my run'"
    found = run_json(capsys, "inspect", "my run", "--verify")
    assert not found["complete"]
    assert 0 < found["n_games"] < 20_000_000
    assert "agentsim resume 'my run'" in run(capsys, "inspect", "my run")


def test_a_reader_that_has_seen_enough_is_no_error(agentsim_command: list[str]) -> None:
    process = subprocess.Popen([*agentsim_command, "rules", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0
    process.stderr.close()
