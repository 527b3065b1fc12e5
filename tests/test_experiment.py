"""Experiment files, experiments from arguments, matchups and the plan digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.experiment import Draft, Experiment, build_experiment, card_settings, load_experiment
from agentsim.games import base
from agentsim.lineup import split_specs
from agentsim.tomlfile import flatten, read_toml
from tests.fake_game import HighCard


@pytest.fixture(autouse=True)
def fake_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_REGISTRY", {"high_card": HighCard()})
    monkeypatch.setattr(base, "_load", lambda *names: None)


def build(policies: Any = ("calm", "brave"), **arguments: Any) -> Experiment:
    return build_experiment(policies, game="high_card", **arguments)


def write(folder: Path, text: str, name: str = "trial.toml") -> Path:
    path = folder / name
    path.write_text('game = "high_card"\n' + text, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------- from arguments


def test_defaults_are_filled_in() -> None:
    experiment = build()
    assert experiment.games == 100_000
    assert experiment.seed == 1
    assert experiment.log == "none"
    assert experiment.settings == {"rules.cards": 10, "rules.seats": 2}
    assert experiment.name == "calm against brave"
    assert experiment.total_games == 100_000


def test_settings_replace_defaults_and_the_rest_stays() -> None:
    assert build(settings={"rules.cards": 5}).settings == {"rules.cards": 5, "rules.seats": 2}


def test_a_string_of_policies_is_split_outside_parentheses() -> None:
    labels = [policy.label for policy in build("calm, brave(nerve=0.5)").policies]
    assert labels == ["calm", "brave(nerve=0.5)"]
    assert split_specs("a(x=1,y=2),b") == ["a(x=1,y=2)", "b"]


@pytest.mark.parametrize("text", ["a(,b", "a),b(", "a,,b", "", ",", "a,"])
def test_malformed_lists_of_policies_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        split_specs(text)


@pytest.mark.parametrize(
    ("policies", "plan", "expected"),
    [
        (["calm"], "auto", [(0, 0)]),
        (["calm", "brave"], "auto", [(0, 1)]),
        (["calm", "brave", "even"], "auto", [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]),
        (["calm", "brave"], "round_robin", [(0, 0), (0, 1), (1, 1)]),
        (["calm", "brave", "even"], "pairs", [(0, 1), (0, 2), (1, 2)]),
        (["calm", "brave"], "mirrors", [(0, 0), (1, 1)]),
        (["calm", "brave", "even"], "against:brave", [(0, 1), (2, 1)]),
        (["calm", "brave"], [("brave", "calm"), ("calm", "calm")], [(1, 0), (0, 0)]),
    ],
)
def test_matchups(policies: list[str], plan: Any, expected: list[tuple[int, ...]]) -> None:
    assert list(build(policies, matchups=plan).matchups) == expected


def test_matchups_of_three_seats() -> None:
    three = {"rules.seats": 3}
    assert build(["calm", "brave", "even"], games=9, settings=three).matchups == ((0, 1, 2),)
    assert len(build(["calm", "brave"], games=9, settings=three, matchups="round_robin").matchups) == 4
    assert build(["calm", "brave"], games=9, settings=three, matchups="against:brave").matchups == ((0, 1, 1),)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("round-robin", "did you mean 'round_robin'?"),
        ("against:braev", "did you mean 'brave'?"),
        ([("calm", "braev")], "did you mean 'brave'?"),
        ([("calm",)], "must name 2 policies"),
        ([("calm", "brave"), ("calm", "brave")], "listed twice"),
        ([("calm", "brave"), ("brave", "calm")], "listed twice"),
        ([("calm", "calm")], "policy 'brave' is in no matchup"),
        ([], "must be a plan or a list"),
        (7, "must be a plan or a list"),
    ],
)
def test_bad_matchups(plan: Any, message: str) -> None:
    with pytest.raises(InputError, match="matchups") as caught:
        build(matchups=plan)
    assert message in str(caught.value)


@pytest.mark.parametrize(("games", "near"), [(1001, "1000 or 1002"), (1, "2"), (99_999, "99998 or 100000")])
def test_odd_games_name_the_nearest_valid_numbers(games: int, near: str) -> None:
    with pytest.raises(InputError) as caught:
        build(games=games)
    assert str(caught.value) == f"games: must be even: each deal is played twice; nearest: {near}"


def test_odd_games_are_fine_in_mirrors_only() -> None:
    assert build(["calm"], games=1001).games == 1001
    assert build(["calm", "brave"], games=7, matchups="mirrors").games == 7
    with pytest.raises(InputError, match="must be even"):
        build(["calm", "brave"], games=7, matchups="round_robin")


def test_games_are_a_multiple_of_the_games_per_deal_of_every_matchup() -> None:
    with pytest.raises(InputError, match=r"must be a multiple of 3: each deal is played 3 times; nearest: 999 or 1002"):
        build(["calm", "brave", "even"], games=1000, settings={"rules.seats": 3})


@pytest.mark.parametrize("games", [0, -2, 10**12 + 2, True, "1000", 1000.0, 10.5, None.__class__, [10], float("nan")])
def test_bad_numbers_of_games(games: Any) -> None:
    with pytest.raises(InputError, match="games"):
        build(games=games)


@pytest.mark.parametrize("seed", [-1, 2**64, True, 1.0, "1"])
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(InputError, match="seed"):
        build(seed=seed)


def test_the_whole_range_of_seeds() -> None:
    assert build(seed=0).seed == 0
    assert build(seed=2**64 - 1).seed == 2**64 - 1


def test_whole_floats_are_refused_with_what_to_write() -> None:
    with pytest.raises(InputError, match="write 1_000_000"):
        build(games=1e6)


def test_the_same_policy_twice_is_refused() -> None:
    with pytest.raises(InputError, match=r"policy 'calm' is listed twice .*plays its mirror"):
        build(["calm", "calm"])


def test_the_same_policy_under_a_label_of_its_own_is_an_a_a_test() -> None:
    experiment = build(["calm", {"policy": "calm", "label": "calm again"}])
    assert [policy.label for policy in experiment.policies] == ["calm", "calm again"]


def test_equal_labels_of_different_policies_get_a_number(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(f"# {folder}")
    experiment = build([f"{tmp_path}/one/mine.py:careful", f"{tmp_path}/two/mine.py:careful"])
    assert [policy.label for policy in experiment.policies] == ["careful", "careful_2"]


def test_all_stands_for_every_policy_of_the_game() -> None:
    assert [policy.label for policy in build("all").policies] == ["calm", "brave", "even"]
    assert [policy.label for policy in build(["calm(nerve=0.2)", "all"]).policies][:2] == ["calm(nerve=0.2)", "calm"]
    with pytest.raises(InputError, match="'calm' is listed twice"):
        build(["calm", "all"])


def test_complete_policies_are_taken_as_they_are() -> None:
    policies = build().policies
    assert build(policies).policies == policies


def test_a_chosen_label_must_be_free() -> None:
    with pytest.raises(InputError, match="two policies have the label 'calm'"):
        build(["calm", {"policy": "brave", "label": "calm"}])


def test_parameters_of_a_table_reach_the_policy() -> None:
    policy = build([{"policy": "calm", "label": "mine", "params": {"nerve": 0.25}}]).policies[0]
    assert (policy.label, policy.params) == ("mine", {"nerve": 0.25})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"label": "x"}, "lacks 'policy'"),
        ({"policy": 3}, "policy = 3"),
        ({"policy": "calm", "lable": "x"}, "did you mean 'label'?"),
        ({"policy": "calm", "label": ""}, "label = ''"),
        ({"policy": "calm", "label": "two\nlines"}, "label ="),
        ({"policy": "calm", "params": 3}, "params = 3"),
        ({"policy": "calm", "params": {"nerve": True}}, "must be a number"),
        ({"policy": "calm", "params": {"nerve": float("nan")}}, "must be a number"),
        ({"policy": "calm(nerve=0.2)", "params": {"nerve": 0.1}}, "gives parameters twice"),
        ({"policy": "calm", "params": {"nervous": 0.1}}, "no parameter 'nervous'"),
        (3, "must be a policy"),
        (" ", "a policy name is missing"),
        ("clam", "did you mean 'calm'?"),
    ],
)
def test_bad_policies(table: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        build([table])
    assert message in str(caught.value)


def test_no_policies() -> None:
    with pytest.raises(InputError, match=r"policies: at least one policy is needed .*calm, brave, even"):
        build([])


def test_unknown_game_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'high_card'"):
        build_experiment(["calm"], game="high-card")


# ------------------------------------------------------------------------------------------- dictionaries, digest


def test_dictionary_round_trip_through_json() -> None:
    experiment = build(["calm", "brave(nerve=0.3)", "even"], seed=2**64 - 1, log="turns", games=10)
    assert Experiment.from_dict(json.loads(json.dumps(experiment.as_dict()))) == experiment


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policies": None}, "wrong type"),
        ({"policies": [{"label": "x"}]}, "is missing"),
        ({"matchups": [[0, 5]]}, "a policy that is not there"),
        ({"games": -1}, "experiment.games"),
        ({"seed": "1"}, "experiment.seed"),
        ({"log": "loud"}, "experiment.log"),
        ({"settings": 3}, "wrong type"),
        ({"game": "chess"}, "unknown game"),
    ],
)
def test_damaged_dictionaries_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Experiment.from_dict(build().as_dict() | change, where="manifest.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("manifest.json: ")


def test_a_missing_key_is_named() -> None:
    data = build().as_dict()
    del data["seed"]
    with pytest.raises(InputError, match="'seed' is missing"):
        Experiment.from_dict(data)


def test_the_plan_digest_leaves_out_number_of_games_and_name() -> None:
    digest = build(games=10, name="a").plan_digest()
    assert len(digest) == 64
    assert build(games=20, name="b").plan_digest() == digest


@pytest.mark.parametrize("change", [
    {"seed": 2}, {"log": "games"}, {"settings": {"rules.cards": 9}}, {"policies": ["brave", "calm"]},
    {"policies": ["calm", "brave(nerve=0.91)"]}, {"matchups": "round_robin"}])
def test_the_plan_digest_changes_with_everything_else(change: dict[str, Any]) -> None:
    assert build(**change).plan_digest() != build().plan_digest()


def test_the_plan_digest_follows_the_text_of_a_policy_file_not_its_place(tmp_path: Path) -> None:
    digests = []
    for folder, text in (("one", "x = 1"), ("two", "x = 1"), ("three", "x = 2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text)
        digests.append(build([f"{tmp_path}/{folder}/mine.py:careful", "calm"]).plan_digest())
    assert digests[0] == digests[1] != digests[2]


def test_with_games_checks_the_number() -> None:
    assert build().with_games(20).games == 20
    with pytest.raises(InputError, match="must be even"):
        build().with_games(21)


# ------------------------------------------------------------------------------------------- files


def test_a_complete_file(tmp_path: Path) -> None:
    path = write(tmp_path, '''
name = "nerves"
policies = ["calm", { policy = "brave", label = "bold", params = { nerve = 0.7 } }]
matchups = [["calm", "bold"]]
games = 1_000
seed = 0xffff_ffff_ffff_ffff
log = "turns"

[rules]
cards = 7
''')
    experiment = load_experiment(path)
    assert experiment.name == "nerves"
    calm, bold = experiment.policies
    assert (calm.label, calm.params) == ("calm", {"nerve": 0.1})
    assert (bold.label, bold.params) == ("bold", {"nerve": 0.7})
    assert (experiment.games, experiment.seed, experiment.log) == (1000, 2**64 - 1, "turns")
    assert experiment.settings["rules.cards"] == 7


def test_a_small_file_is_named_after_itself(tmp_path: Path) -> None:
    experiment = load_experiment(write(tmp_path, 'policies = ["calm"]', "my_trial.toml"))
    assert (experiment.name, experiment.games) == ("my_trial", 100_000)


def test_policy_files_are_relative_to_the_experiment_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    (tmp_path / "mine.py").write_text("")
    experiment = load_experiment(write(tmp_path, 'policies = ["./mine.py:careful", "calm"]'))
    assert experiment.policies[0].source == str(tmp_path / "mine.py")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "trial.toml"
    path.write_bytes(b'\xef\xbb\xbfgame = "high_card"\npolicies = ["calm"]\n')
    assert load_experiment(path).policies[0].label == "calm"


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        ('policies = ["calm"]\ngmaes = 10', 3, "gmaes", "did you mean 'games'?"),
        ('policies = ["clam"]', 2, "policies", "did you mean 'calm'?"),
        ('policies = "calm"', 2, "policies", "must be a list"),
        ('policies = ["calm", "brave"]\n\ngames = 11', 4, "games", "nearest: 10 or 12"),
        ('policies = ["calm"]\ngames = true', 3, "games", "whole number"),
        ('policies = ["calm"]\ngames = 1e6', 3, "games", "write 1_000_000"),
        ('policies = ["calm"]\ngames = "10"', 3, "games", "whole number"),
        ('policies = ["calm"]\nseed = 18446744073709551616', 3, "seed", "0 to 2^64 - 1"),
        (f'policies = ["calm"]\nseed = {"9" * 3000}', 3, "seed", "a number of about 10^3000"),
        ('policies = ["calm"]\nlog = "turn"', 3, "log", "did you mean 'turns'?"),
        ('policies = ["calm"]\nlog = ["turns"]', 3, "log", "must be a level of logging"),
        ('policies = ["calm"]\nname = 3', 3, "name", "must be one line of text"),
        ('policies = ["calm"]\nmatchups = "everybody"', 3, "matchups", "unknown plan"),
        ('policies = ["calm"]\n[rules]\ncards = 1', 4, "rules.cards", "allowed: 2 to 20"),
        ('policies = ["calm"]\n[rules]\ncads = 3', 4, "rules.cads", "did you mean 'rules.cards'?"),
        ('policies = ["calm"]\nrules.cards = 1', 3, "rules.cards", "allowed: 2 to 20"),
        ('policies = ["calm"]\nrules = { cards = 1 }', 3, "rules.cards", "allowed: 2 to 20"),
        ('policies = ["calm"]\nrules = 5', 3, "rules", "must be a table"),
        ('policies = ["calm"]\n[rule]\ncards = 5', 3, "rule", "did you mean 'rules'?"),
    ],
)
def test_errors_name_file_line_and_key(tmp_path: Path, text: str, line: int, key: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    assert str(caught.value).startswith(f"{path}, line {line}: {key}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n\n", "is empty"),
        (b"games 10", "line 1, column 7: is not valid TOML"),
        (b'policies = ["calm"', "at its end: is not valid TOML"),
        (b"games = 1\ngames = 2\nseed = 3\n", "line 2, column 10: is not valid TOML: a key is given twice"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is not text"),
        (b"games = 1\x00", "zero bytes"),
        (b"games = " + b"9" * 10_000, "is not valid TOML"),
        (b"x = " + b"[" * 100_000, "nested too deeply"),
        (b"#" * 1_000_001, "is larger than"),
        (b'game = "high_card"\ngames = 10', "policies: is missing"),
    ],
)
def test_unusable_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "trial.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path, "", "standard.toml")
    with pytest.raises(InputError, match=r"no such experiment file; did you mean '.*standard\.toml'\?"):
        load_experiment(tmp_path / "standrd.toml")
    with pytest.raises(InputError, match="is a folder, not an experiment file"):
        load_experiment(tmp_path)
    with pytest.raises(InputError, match="is a device"):
        load_experiment("/dev/null")
    with pytest.raises(InputError, match="cannot be read"):
        load_experiment("a\0b.toml")


def test_flags_replace_what_the_file_says_and_errors_name_the_flag(tmp_path: Path) -> None:
    draft = Draft.read(write(tmp_path, 'policies = ["calm", "brave"]\ngames = 11'))
    draft.games, draft.places["games"] = 12, "--games"
    assert draft.build().games == 12
    draft.games = 13
    with pytest.raises(InputError) as caught:
        draft.build()
    assert str(caught.value) == "--games: must be even: each deal is played twice; nearest: 12 or 14"
    draft.games = 12
    draft.settings["rules.cards"], draft.places["rules.cards"] = 99, "--set"
    with pytest.raises(InputError, match=r"^--set: rules\.cards: 99 is out of range"):
        draft.build()


# ------------------------------------------------------------------------------------------- tables


def test_lines_of_keys(tmp_path: Path) -> None:
    file = read_toml(write(tmp_path, '\n# comment\n[cards.sentinel]\nthird = 3\n["cards"."mole"]\nfirst = 1 # x\n'))
    assert file.place("cards.sentinel.third").endswith("line 5")
    assert file.place("cards.mole.first").endswith("line 7")
    assert file.place("cards.mole.second").endswith("line 6")
    assert file.place("nothing") == str(file.path)
    assert flatten(file.data["cards"]) == {"sentinel.third": 3, "mole.first": 1}


@pytest.mark.parametrize("prefix", ["", "cards."])
def test_card_tables_become_settings(tmp_path: Path, prefix: str) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(f'[{prefix}sentinel]\nthird = 7\nnames = {{ en = "Sentinel" }}\n')
    settings, places = card_settings(path)
    assert settings == {"cards.sentinel.third": 7}
    assert places == {"cards.sentinel.third": f"{path}, line 2"}


def test_card_tables_hold_tables(tmp_path: Path) -> None:
    path = tmp_path / "cards.toml"
    path.write_text("sentinel = 7\n")
    with pytest.raises(InputError, match=r"line 1: sentinel: must be a table"):
        card_settings(path)
