"""Who plays whom: policy specs become policies, and policies become matchups."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any, TypeAlias

from agentsim.errors import InputError, nearest, shown
from agentsim.games.base import Game, PolicyRef

__all__ = ["MatchupPlan", "PolicySpec", "pair_up", "plays_alike", "resolve_policies", "seated_lineup",
           "spec_list", "split_specs"]

PolicySpec: TypeAlias = str | PolicyRef | Mapping[str, Any]
"""A spec (``"planner(bluff=0.5)"``), a complete policy, or a table with the keys policy, label and params."""

MatchupPlan: TypeAlias = str | Sequence[Sequence[str]]
"""A plan's name, as :func:`pair_up` lists them, or a list of tuples of labels, one per seat."""

_PLANS = ("auto", "round_robin", "pairs", "mirrors", "one_among", "against:NAME")
_TABLE_KEYS = ("policy", "label", "params")
_FILE = re.compile(r"(?P<path>.+\.(?:py|toml))(?P<rest>(?::[^()]*)?(?:\([^()]*\))?)", re.DOTALL)
"""A policy of a file; folders may be called like files, and have parentheses."""
MAX_LABEL = 80
MAX_MATCHUPS = 10_000
"""Most matchups of a plan; a full table of ten seats has more combinations than anybody would play."""


def split_specs(text: str) -> list[str]:
    """Split a list of policy specs at the commas outside parentheses. Raises ``InputError`` for an empty item."""
    items, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            items.append(text[start:position].strip())
            start = position + 1
    if depth != 0:
        raise InputError(f"the parentheses do not match in '{text}'")
    items.append(text[start:].strip())
    if not all(items):
        raise InputError(f"a policy name is missing in '{text}'", allowed="names separated by commas: expert,random")
    return items


def spec_list(policies: Any) -> list[PolicySpec]:
    """Policies as a person gives them, a text with commas, one spec or several, as a list of specs.

    Raises ``InputError`` for what is none of these; whether a spec is right, ``resolve_policies`` says.
    """
    if isinstance(policies, str):
        return list(split_specs(policies))
    if isinstance(policies, PolicyRef | Mapping):
        return [policies]
    if not isinstance(policies, Iterable) or isinstance(policies, bytes | bytearray):
        raise InputError(f"must be policies, got {shown(policies)}", allowed='"expert,random" or ["expert", "random"]')
    return list(policies)


def resolve_policies(game: Game, specs: Sequence[PolicySpec], folder: Path | None = None,
                     rules: Any = None, *, mirrors: bool = False) -> tuple[PolicyRef, ...]:
    """The policies of a list of specs, with labels that are all different.

    The spec ``all`` stands for every policy that comes with the game and plays as no earlier one under these ``rules``.
    Paths of policy files are relative to ``folder`` (default: where we are). The same policy twice is refused, unless
    the second has a label of its own; two different policies that happen to be called the same (from two files, say)
    become ``name`` and ``name_2``. ``mirrors``: whether one policy alone is played against itself, which is worth
    saying to whoever lists it twice.
    """
    if not _is_list(specs):
        raise InputError(f"must be a list of policies, got {specs!r}", allowed='["expert", "random"]')
    if not specs:
        raise InputError("at least one policy is needed", allowed=_some(game))
    specs = [one for spec in specs for one in (game.policies(rules) if spec == "all" else [spec])]
    found: dict[str, PolicyRef] = {}
    for number, spec in enumerate(specs):
        ref, chosen = _resolve(game, spec, folder, f"policies[{number}]")
        other = found.get(ref.label)
        if other is not None and (plays_alike(other, ref) and not chosen):
            raise InputError(f"policy '{ref.label}' is listed twice", key="policies",
                             allowed="each policy once" + ("; one policy alone plays its mirror" if mirrors else ""))
        if other is not None and chosen:
            raise InputError(f"two policies have the label '{ref.label}'", key="policies")
        if other is not None:
            ref = _relabel(ref, _free_label(ref.label, found))
        found[ref.label] = ref
    return tuple(found.values())


def seated_lineup(
    specs: Sequence[PolicySpec], seats: int
) -> tuple[Sequence[PolicySpec], tuple[tuple[int, ...], ...]]:
    """A list of as many specs as seats, some repeated, as the different ones and the one matchup that is meant.

    So ``random,expert,expert,expert`` fills a table of four. With two seats a repetition is a mirror, which one policy
    alone says; a list without repetitions or of another length means nothing special: no matchup.
    """
    if not _is_list(specs) or seats < 3 or len(specs) != seats or not all(isinstance(spec, str) for spec in specs):
        return specs, ()
    names = [str(spec).strip() for spec in specs]
    different = list(dict.fromkeys(names))
    if len(different) == seats or "all" in different:
        return specs, ()
    return different, (tuple(map(different.index, names)),)


def pair_up(policies: Sequence[PolicyRef], plan: MatchupPlan, seats: int) -> tuple[tuple[int, ...], ...]:
    """The matchups of a plan as indices into ``policies``, in the order of their ids.

    ``"auto"``: one policy plays its mirror; as many policies as seats are one matchup; other numbers are a round robin
    of two seats. With more seats they are one among others: of two policies A and B the matchups A against B's and B
    against A's, of three and more the mirrors as well.
    ``"round_robin"``: every combination, mirrors included; ``"pairs"``: every choice of different policies;
    ``"mirrors"``: these only; ``"one_among"``: every policy, in one seat, among every other, in all other seats;
    ``"against:NAME"``: every other policy, in turn, against the one named. A list names each matchup by labels.
    Raises ``InputError`` for an unknown plan or label, a repeated matchup, a policy that would never play, or more than
    ``MAX_MATCHUPS`` matchups.
    """
    everybody = range(len(policies))
    mirrors = tuple((index,) * seats for index in everybody)
    if not isinstance(plan, str):
        return _listed(policies, plan, seats)
    if plan == "auto":
        if len(policies) == seats:
            return (tuple(everybody),)
        if len(policies) == 1:
            return mirrors
        if seats > 2:
            return (*_one_among(everybody, seats), *(mirrors if len(policies) > 2 else ()))
        plan = "round_robin"
    if plan == "round_robin":
        _check_number(math.comb(len(policies) + seats - 1, seats))
        return tuple(combinations_with_replacement(everybody, seats))
    if plan == "mirrors":
        return mirrors
    if plan == "one_among":
        if len(policies) == 1:
            raise InputError("'one_among' needs at least two policies", key="matchups")
        return _one_among(everybody, seats)
    if plan == "pairs":
        if len(policies) < seats:
            raise InputError(f"'pairs' needs at least {seats} policies, got {len(policies)}", key="matchups")
        _check_number(math.comb(len(policies), seats))
        return tuple(combinations(everybody, seats))
    if plan.startswith("against:"):
        index = _index(policies, plan.removeprefix("against:").strip())
        if len(policies) == 1:
            raise InputError("'against' needs at least one more policy", key="matchups")
        return tuple((other, *(index,) * (seats - 1)) for other in everybody if other != index)
    raise InputError(f"unknown plan '{plan}'", key="matchups", allowed=", ".join(_PLANS) + ", or a list of pairs",
                     nearest=nearest(plan, _PLANS))


def _one_among(everybody: range, seats: int) -> tuple[tuple[int, ...], ...]:
    """Every policy in one seat among every other; with two seats A among B's is B among A's."""
    return tuple((one, *(other,) * (seats - 1)) for one in everybody for other in everybody
                 if one != other and (seats > 2 or one < other))


def _check_number(matchups: int) -> None:
    if matchups > MAX_MATCHUPS:
        raise InputError(f"{matchups:,} matchups", key="matchups",
                         allowed=f"at most {MAX_MATCHUPS:,}; 'one_among' makes fewer")


def _resolve(game: Game, spec: PolicySpec, folder: Path | None, place: str) -> tuple[PolicyRef, bool]:
    """The policy of one spec, and whether its label was chosen by the user."""
    if isinstance(spec, PolicyRef):
        return spec, False
    if isinstance(spec, str):
        return game.policy(_beside(_filled(spec), folder)), False
    if not isinstance(spec, Mapping):
        raise InputError(f"{place} must be a policy, got {spec!r}", key="policies", allowed='"name" or a table')
    for key in spec:
        if key not in _TABLE_KEYS:
            raise InputError(f"{place} has an unknown key '{key}'", key="policies", allowed=", ".join(_TABLE_KEYS),
                             nearest=nearest(str(key), _TABLE_KEYS))
    base = spec.get("policy")
    if not isinstance(base, str):
        problem = "lacks 'policy', the policy it starts from" if base is None else f"has policy = {base!r}, not a name"
        raise InputError(f"{place} {problem}", key="policies")
    ref = game.policy(_beside(_with_params(_filled(base), spec.get("params", {}), place), folder))
    if "label" not in spec:
        return ref, False
    label = spec["label"]
    if not isinstance(label, str) or not label.strip() or not label.isprintable() or len(label) > MAX_LABEL:
        raise InputError(f"{place} has label = {label!r}", key="policies",
                         allowed=f"a text of 1 to {MAX_LABEL} characters in one line")
    return _relabel(ref, label.strip()), True


def _with_params(spec: str, params: Any, place: str) -> str:
    if not isinstance(params, Mapping):
        raise InputError(f"{place} has params = {params!r}", key="policies", allowed="a table such as { bluff = 0.5 }")
    if not params:
        return spec
    if "(" in spec:
        raise InputError(f"{place} gives parameters twice, in '{spec}' and in params", key="policies")
    for name, value in params.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise InputError(f"{place}: {name} must be a number, got {value!r}", key="policies")
    return spec + "(" + ", ".join(f"{name}={value!r}" for name, value in params.items()) + ")"


def _filled(spec: str) -> str:
    if not spec.strip():
        raise InputError("a policy name is missing", key="policies")
    return spec.strip()


def _beside(spec: str, folder: Path | None) -> str:
    """The spec with the path of a policy file made absolute, so that a run can be resumed from anywhere."""
    match = _FILE.fullmatch(spec)
    if match is None:
        return spec
    return Path(os.path.abspath((folder or Path()) / match["path"])).as_posix() + match["rest"]


def _listed(policies: Sequence[PolicyRef], plan: Sequence[Sequence[str]], seats: int) -> tuple[tuple[int, ...], ...]:
    if not _is_list(plan) or not plan:
        raise InputError(f"must be a plan or a list of matchups, got {plan!r}", key="matchups",
                         allowed=", ".join(_PLANS) + ', or a list such as [["expert", "random"]]')
    matchups: list[tuple[int, ...]] = []
    for number, labels in enumerate(plan):
        if not _is_list(labels) or len(labels) != seats:
            raise InputError(f"matchup {number} must name {seats} policies, got {labels!r}", key="matchups")
        matchup = tuple(_index(policies, label) for label in labels)
        # A matchup turned round the table is the same: the same deals in the same seatings.
        if any(matchup[turn:] + matchup[:turn] in matchups for turn in range(seats)):
            raise InputError(f"{' against '.join(labels)} is listed twice", key="matchups")
        matchups.append(matchup)
    used = {index for matchup in matchups for index in matchup}
    for index, policy in enumerate(policies):
        if index not in used:
            raise InputError(f"policy '{policy.label}' is in no matchup", key="matchups")
    return tuple(matchups)


def _index(policies: Sequence[PolicyRef], label: Any) -> int:
    labels = [policy.label for policy in policies]
    if label in labels:
        return labels.index(label)
    raise InputError(f"'{label}' is not one of the policies of this experiment", key="matchups",
                     allowed=", ".join(labels), nearest=nearest(str(label), labels))


def _is_list(value: Any) -> bool:
    # What comes out of a file has whatever type its author gave it.
    return isinstance(value, Sequence) and not isinstance(value, str)


def plays_alike(a: PolicyRef, b: PolicyRef) -> bool:
    """Whether two policies are the same but for their labels."""
    return (a.family, dict(a.params), a.digest) == (b.family, dict(b.params), b.digest)


def _free_label(label: str, taken: Mapping[str, Any]) -> str:
    number = 2
    while f"{label}_{number}" in taken:
        number += 1
    return f"{label}_{number}"


def _relabel(ref: PolicyRef, label: str) -> PolicyRef:
    return PolicyRef.from_dict({**ref.as_dict(), "label": label})


def _some(game: Game) -> str:
    return ", ".join(policy.label for policy in game.policies())
