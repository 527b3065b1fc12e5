"""Sweeps, tuning, best responses, presets files: planted optima, the same with any workers, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim import load_policies
from agentsim.cli import main
from agentsim.errors import InputError
from agentsim.games.base import PolicyRef, get_game
from agentsim.strategy import tuning as tune_module
from agentsim.strategy.exploiting import exploit, split_budget
from agentsim.strategy.field import Opponent, play_field, read_field, validate
from agentsim.strategy.presets_file import save_preset
from agentsim.strategy.sweeping import read_values, run_sweep
from agentsim.strategy.tuning import Search, SearchPlan, search_games

GAME = get_game("agent_avenue")
RULES = GAME.rules({})
PLANNER, RANDOM, GREEDY = load_policies("planner,random,greedy")
USER = """
from agentsim.games.agent_avenue.user import FACE_UP, jit_offer, jit_take, lowest, name_set, offer_action, policy


@jit_offer
def offer(view, table, params, key):
    name = lowest(name_set(view.hand))
    return offer_action(name, name)


@jit_take
def take(view, table, params, key):
    return FACE_UP


mine = policy(offer, take, params={"a": 0.5})
"""
FIELD = (Opponent(RANDOM, 0.5), Opponent(GREEDY, 0.5))


def plan(**changes: Any) -> SearchPlan:
    given: dict[str, Any] = {"start": PLANNER, "names": ("lead", "caution", "bluff"), "field": FIELD, "seed": 3,
                             "population": 8, "generations": 4, "deals": 40, "final_deals": 60}
    return SearchPlan(**{**given, **changes})


def search(folder: Path | None = None, workers: int = 1, **changes: Any) -> Search:
    return Search(RULES, plan(**changes), GAME.parameters(PLANNER), folder=folder, workers=workers)


# ---- the field -------------------------------------------------------------------------------------------------------


def test_a_field_has_weights() -> None:
    field = read_field(GAME, "random:1, greedy:3", RULES)
    assert [(one.ref.label, one.weight) for one in field] == [("random", 0.25), ("greedy", 0.75)]
    assert len(read_field(GAME, "all", RULES)) == len(GAME.policies(RULES))
    mixed = read_field(GAME, "all:3,planner(bluff=0.1)", RULES)
    assert mixed[0].weight == pytest.approx(3 * mixed[-1].weight)
    for text, problem in (("random:0", "no weight"), ("nobody", "unknown policy"), ("random,random", "twice"),
                          ("random:-1", "no weight"), ("random:1e308,greedy:1e308", "no weight")):
        with pytest.raises(InputError, match=problem):
            read_field(GAME, text, RULES)


def test_a_policy_meets_itself_at_even_odds() -> None:
    """Also where the candidate is in the field: it is no mirror, both seats are played."""
    found = play_field(RULES, [GREEDY], (Opponent(GREEDY, 1.0),), seed=1, first_deal=0, deals=2_000)[0][0]
    assert found.sum() == 2_000
    assert len(found) == 5
    assert validate(RULES, GREEDY, (Opponent(GREEDY, 1.0),), seed=1, games=4_000).mean.estimate == pytest.approx(
        0.5, abs=0.04)


# ---- tuning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("lead",), ("lead", "caution", "bluff")])
def test_it_finds_a_planted_optimum(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    """A made-up score: best at lead = 1.2, caution = 0.7, bluff = -1, with noise."""
    rng = np.random.default_rng(0)
    best = {"lead": 1.2, "caution": 0.7, "bluff": -1.0}

    def score(rules: Any, candidates: Any, field: Any, **_: Any) -> list[list[Any]]:
        rows = []
        for one in candidates:
            value = 0.7 - sum((one.params[name] - best[name]) ** 2 for name in names) / 8 + rng.normal(0, 0.005)
            rows.append([np.array([1 - value, 0.0, value]) * 1e6] * len(field))
        return rows

    monkeypatch.setattr(tune_module, "play_field", score)
    found = search(names=names, generations=60, population=12, sigma=0.2)
    found.run()
    policy = found.choose().policy
    for name in names:
        assert policy.params[name] == pytest.approx(best[name], abs=0.15)
    assert {name for name in policy.params if policy.params[name] != PLANNER.params[name]} <= set(names)


def test_results_depend_on_the_seed_alone(tmp_path: Path) -> None:
    one, two, other = search(), search(workers=2), search(seed=4)
    for each in (one, two, other):
        each.run()
    assert one.choose() == two.choose()
    assert other.choose().middle_by_generation != one.choose().middle_by_generation


def test_a_search_that_was_cut_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = search()
    whole.run()
    chosen = whole.choose()
    cut = search(tmp_path / "a")
    cut.run(2)
    with (tmp_path / "a" / "history.jsonl").open("a") as out:
        out.write('{"generation": 2, "sco')  # killed in the middle of a line
    played = []
    play = tune_module.play_field
    monkeypatch.setattr(tune_module, "play_field", lambda *args, **keys: played.append(keys["first_deal"]) or play(
        *args, **keys))
    again = search(tmp_path / "a")
    again.run()
    assert again.choose() == chosen
    assert played == [80, 120, 0]  # the last two generations and the finalists
    lines = (tmp_path / "a" / "history.jsonl").read_text().splitlines()
    assert [json.loads(line)["generation"] for line in lines] == [0, 1, 2, 3]
    with pytest.raises(InputError, match="another search"):
        search(tmp_path / "a", seed=9)
    with pytest.raises(InputError, match="another search"):
        Search(GAME.rules({"rules.discards": 0}), plan(), GAME.parameters(PLANNER), folder=tmp_path / "a")


@pytest.mark.parametrize("line", ["[]", "7", '{"generation": 1, "scores": [0.5]}', '{"generation": 3, "scores": []}',
                                  "\xff", '{"generation": 1, "scores": "x"}'])
def test_a_damaged_history_is_played_again_from_there(tmp_path: Path, line: str) -> None:
    whole = search(tmp_path)
    whole.run(3)
    history = tmp_path / "history.jsonl"
    lines = history.read_text().splitlines()
    history.write_text("\n".join([lines[0], line, lines[2]]) + "\n", encoding="latin-1")
    search(tmp_path).run(3)
    assert history.read_text().splitlines() == lines


def test_whole_numbers_stay_whole_and_games_are_announced() -> None:
    found = search(names=("depth", "bluff"), generations=1)
    found.run()
    assert found.policy(np.array([0.6, 0.5])).params["depth"] == 1.0
    assert search_games(plan()) == 2 * 2 * (8 * 4 * 40 + 13 * 60)


def test_what_is_tuned_by_default_has_something_to_work_on() -> None:
    base = {parameter.name for parameter in GAME.tunable(PLANNER, RULES)}
    market = {parameter.name for parameter in GAME.tunable(PLANNER, GAME.rules({"rules.mode": "advanced"}))}
    assert {"lead", "bluff", "discard_margin"} <= base
    assert not base & {"no_bluff", "no_blind", "no_sets", "offer_noise", "take_noise", "corner", "trap_m"}
    assert {"corner", "theft"} <= market - base
    assert GAME.tunable(RANDOM, RULES) == []


# ---- best responses --------------------------------------------------------------------------------------------------


def test_exploit_beats_what_can_be_beaten() -> None:
    """Whoever accepts anything blindly loses to a player that hides what is bad."""
    blind = load_policies("planner(curiosity=1)")[0]
    found = exploit(RULES, blind, load_policies("planner,expert"), lambda start: GAME.tunable(start, RULES),
                    games=300_000, seed=2)
    assert found.best.validation.mean.low > 0.8
    assert found.best.validation.n_games == 60_000
    assert dict(found.tried).keys() == {"planner", "expert"}
    assert json.loads(json.dumps(found.as_dict()))["responses"][0]["method"] == "CMA-ES"


def test_the_budget_is_kept() -> None:
    for games in (200_000, 1_000_000, 100_000_000):
        for starts in (1, 3, 5):
            deals, first, last, final = split_budget(games, starts)
            goes_on = max(1, starts // 2)
            used = 16 * deals * 2 * (first * starts + (last - first) * goes_on) + goes_on * 13 * final * 2 + games // 5
            assert used < 1.15 * games
            assert last > first >= 2


# ---- sweeps ----------------------------------------------------------------------------------------------------------


def test_a_sweep_is_the_same_with_any_workers_and_knows_the_base() -> None:
    varied = [read_values("curiosity=-1,0,1", GAME.parameters(PLANNER), PLANNER)]
    one, two = (run_sweep(RULES, PLANNER, varied, FIELD, seed=1, games=4_000, workers=workers) for workers in (1, 2))
    assert one.points.equals(two.points)
    assert one.points["is_base"].tolist() == [False, True, False]
    assert one.points["difference"].tolist()[1] == 0.0
    best = one.points["score"].idxmax()
    assert one.points.loc[best, "as_good"]
    assert one.points.loc[2, "difference_high"] < 0  # taking everything blindly is bad
    assert len(one.by_opponent) == 6
    direct = play_field(RULES, [PLANNER], FIELD, seed=9, first_deal=0, deals=5_000)[0]
    mean = sum(float((np.arange(5) / 4 * counts).sum() / counts.sum()) for counts in direct) / 2
    assert one.points.loc[1, "low"] - 0.01 < mean < one.points.loc[1, "high"] + 0.01


@pytest.mark.parametrize(("text", "problem"), [
    ("bluff", "not of the form"), ("blufff=0:1:0.5", "did you mean 'bluff'"), ("bluff=0:9:1", "out of range"),
    ("bluff=0:1:0", "never arrives"), ("bluff=0:1", "not of the form a:b:step"), ("bluff=0:1:1e-6", "at most 400"),
    ("bluff=0,0", "twice"), ("bluff=x,1", "not a number"), ("depth=0:2:0.5", "whole number"), ("bluff=1,", "number")])
def test_values_that_cannot_be(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_values(text, GAME.parameters(PLANNER), PLANNER)


# ---- presets files ---------------------------------------------------------------------------------------------------


def test_a_preset_of_ones_own_plays_as_it_was_saved(tmp_path: Path) -> None:
    changed = load_policies("expert(bluff=0.25, lead=0.5)")[0]
    file = tmp_path / "mine.toml"
    spec = save_preset(file, "first", changed, "An 'idea' with \"quotes\".", {"seed": 1, "scores": [0.5, 0.25]})
    save_preset(file, "second", PLANNER, "Another.", {})
    found = load_policies(spec)[0]
    assert found.label == "first"
    assert dict(found.params) == dict(changed.params)
    assert found.idea == "An 'idea' with \"quotes\"."
    assert load_policies(f"{file}:second(bluff=1)")[0].params["bluff"] == 1
    with pytest.raises(InputError, match="already"):
        save_preset(file, "first", changed, "", {})
    for spec, problem in ((f"{file}:frist", "did you mean 'first'"), (f"{tmp_path}/no.toml:x", "no such presets file"),
                          (str(file), "which preset")):
        with pytest.raises(InputError, match=problem):
            load_policies(spec)
    file.write_text("[bad]\nparams = { bluff = 99 }\n")
    with pytest.raises(InputError, match="out of range"):
        load_policies(f"{file}:bad")
    file.write_text("[bad\n")
    with pytest.raises(InputError, match=r"line 1.*not valid TOML"):
        load_policies(f"{file}:bad")
    file.write_text(f"[bad]\nparams = {{ bluff = 1{'0' * 400} }}\n")
    with pytest.raises(InputError, match="not a number that can be used"):
        load_policies(f"{file}:bad")
    file.write_bytes("\ufeff[good]\r\nparams = { bluff = 1 }\r\n".encode())  # as some editors write
    assert load_policies(f"{file}:good")[0].params["bluff"] == 1
    save_preset(file, "third", PLANNER, "", {})
    assert [load_policies(f"{file}:{name}")[0].label for name in ("good", "third")] == ["good", "third"]


def test_texts_of_any_kind_leave_a_file_that_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    odd = "\U0001f575 \x7f \udcff \t \\ \" 'é'"
    save_preset(file, "odd", PLANNER, odd, {"command": odd, "opponents": [odd]})
    assert load_policies(f"{file}:odd")[0].params == PLANNER.params
    assert "\U0001f575" in load_policies(f"{file}:odd")[0].idea


def test_a_response_in_a_folder_is_saved_with_the_way_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What dynamic programming finds is no set of parameters: its preset names the folder, and is played from there."""
    monkeypatch.chdir(tmp_path)
    found = PolicyRef("responder to greedy", "responder", {}, "tables/é", "abc123", "idea")
    spec = save_preset(tmp_path / "mine.toml", "leak", found, "An idea.", {})
    (ref,) = load_policies(spec)
    assert (ref.label, ref.family, ref.digest) == ("leak", "responder", "abc123")
    assert ref.source == str(tmp_path / "tables/é")
    with pytest.raises(InputError, match="has no parameter 'bluff'"):
        load_policies(f"{spec}(bluff=1)")
    (tmp_path / "mine.toml").write_text('[leak]\nfamily = "responder"\n')
    with pytest.raises(InputError, match="does not say where it is"):
        load_policies(spec)


FOLDERS = ("my games (1)", ".pyenv", "a.toml.d", "mine.py")


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_may_be_called_as_they_like(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parentheses, and names that look like those of files; from anywhere."""
    home = tmp_path / folder
    home.mkdir()
    (home / "mine.py").write_text(USER)
    save_preset(home / "p.toml", "lead", load_policies("planner(lead=1)")[0], "", {})
    monkeypatch.chdir(tmp_path)
    for place in (str(home), folder, f"./{folder}"):
        bare, given, preset, other = load_policies([f"{place}/{name}" for name in (
            "mine.py:mine", "mine.py:mine(a=1)", "p.toml:lead", "p.toml:lead(bluff=1)")])
        assert (bare.params["a"], given.params["a"], preset.params["lead"]) == (0.5, 1.0, 1.0)
        assert (other.params["lead"], other.params["bluff"]) == (1.0, 1.0)
        assert {bare.source, given.source} == {f"{home}/mine.py:mine"}
    monkeypatch.chdir(home)
    assert load_policies("mine.py:mine")[0].source == f"{home}/mine.py:mine"
    assert [one.ref.label for one in read_field(GAME, f"{home}/mine.py:mine:2,random", RULES)] == ["mine", "random"]


# ---- commands --------------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_commands_from_start_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    presets = str(tmp_path / "p.toml")
    code, out, _ = run(capsys, "tune", "planner", "--only", "lead,caution", "--against", "random", "--games", "100",
                       "--generations", "2", "--validate", "2000", "--save", "mine", "--presets", presets, "--json",
                       "--out", str(tmp_path / "t"))
    assert code == 0
    told = json.loads(out)
    assert set(told["changed"]) <= {"lead", "caution"}
    assert told["scores"][0]["n_games"] == 2_000
    code, out, _ = run(capsys, "sweep", f"{presets}:mine", "--vary", "lead=0:1:0.5", "--vary", "bluff=0,1", "--games",
                       "200", "--against", "random", "--out", str(tmp_path / "s"))
    assert code == 0
    assert "among the best" in out
    assert (tmp_path / "s" / "index.html").exists()
    code, out, _ = run(capsys, "exploit", f"{presets}:mine", "--games", "200k", "--starts", "expert", "--quiet")
    assert code == 0
    assert "best response" in out


def test_what_was_found_is_shown_though_it_cannot_be_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another search has taken the name meanwhile."""
    def taken(path: Path, *_: Any) -> str:
        raise InputError("has a preset 'mine' already", where=str(path))

    monkeypatch.setattr("agentsim.strategy.presets_file.save_preset", taken)
    for words in (["tune", "planner", "--only", "lead", "--against", "random", "--games", "40", "--generations", "1",
                   "--validate", "200", "--population", "4"], ["exploit", "planner", "--games", "200k", "--starts",
                                                               "planner"]):
        code, out, err = run(capsys, *words, "--save", "mine", "--presets", str(tmp_path / "p.toml"), "--quiet")
        assert code == 2
        assert "Searched in" in out
        assert "Saved" not in out
        assert err == f"agentsim: {tmp_path}/p.toml: has a preset 'mine' already\n"


@pytest.mark.parametrize("words", [
    ["exploit", "greedy", "--method", "dp"], ["exploit", "greedy", "--method", "cma,dp"], ["tune", "planner"],
    ["sweep", "planner", "--vary", "bluff=0,1"], ["pool"], ["tournament", "--policies", "random,greedy"]])
@pytest.mark.parametrize("place", ["/proc/nowhere", "{tmp}/file/under", "{tmp}/" + "x" * 300])
def test_a_folder_that_cannot_be_written_is_found_out_before_any_game(
    words: list[str], place: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")

    def played(*_: Any, **__: Any) -> None:
        raise AssertionError("games were played")

    monkeypatch.setattr("agentsim.simulation.arena.Arena.warm_up", played)
    monkeypatch.setattr("agentsim.strategy.field.warm_up", played)
    monkeypatch.setattr(type(GAME), "table_response", played)
    code, out, err = run(capsys, *words, "--out", place.format(tmp=tmp_path))
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_what_has_no_table_is_found_out_before_the_other_search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text("class Left:\n"
                                      "    def offer(self, view):\n        return view.legal[0]\n\n"
                                      "    def choose(self, view):\n        return view.legal[0]\n\n\nleft = Left()\n")
    for words, problem in ((["greedy", "--set", "rules.mode=advanced"], "knows only the base game"),
                           ([f"{tmp_path}/slow.py:left"], "is written in Python")):
        code, _, err = run(capsys, "exploit", *words, "--method", "cma,dp", "--out", str(tmp_path / "new"))
        assert code == 2
        assert problem in err
        assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("words", "problem"), [
    (["sweep", "random", "--vary", "bluff=0:1:0.5"], "random has no parameter 'bluff'"),
    (["sweep", "planner"], "0 parameters are varied"),
    (["sweep", "planner", "--vary", "bluff=0,1", "--games", "1e12"], "too many"),
    (["tune", "{mine}"], "no ranges to search"),
    (["exploit", "greedy", "--starts", "{mine}"], "no ranges to search"),
    (["sweep", "planner,expert", "--vary", "bluff=0,1"], "2 policies"),
    (["tune", "random"], "random has no parameters"),
    (["tune", "planner", "--only", "blufff"], "did you mean 'bluff'"),
    (["tune", "planner", "--population", "1"], "--population"),
    (["tune", "planner", "--save", "a b"], "no name for a preset"),
    (["tune", "planner", "--game", "argh"], "scored by win shares"),
    (["exploit", "greedy", "--games", "10"], "--games"),
    (["exploit", "greedy", "--method", "magic"], "unknown method 'magic'"),
    (["exploit", "greedy", "--starts", "random"], "random has no parameters"),
    (["exploit", "greedy", "--starts", ""], "--starts: a policy name is missing"),
    (["tune", "planner", "--against", ""], "--against: a policy name is missing"),
    (["tune", "planner", "--only", ""], "--only: names no parameter"),
    (["sweep", "planner", "--vary", "bluff=0,1", "--against", ""], "--against: a policy name is missing")])
def test_bad_input(words: list[str], problem: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(USER)
    code, out, err = run(capsys, *(word.replace("{mine}", f"{tmp_path}/mine.py:mine") for word in words))
    assert code == 2
    assert out == ""
    assert problem in err
    assert err.count("\n") == 1
