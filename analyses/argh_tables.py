"""The numbers of the ARGH page, from the experiments that :mod:`analyses.argh_trials` has played.

A *fork* is one game continued twice from the same state with the same piles and the same random streams. Per deal there
is one at most, so every mean over forks is a mean over independent deals, of numbers within [-1, 1] or [0, 1]; its
interval is the guarded score interval, simultaneous over all numbers of its column (Sidak). *Estimands*:

- card ``c``: of all turns in which ``c`` is drawn, the mean of the win share of another player, named by chance, if
  the card lies face up before it, minus its share if the card lies face up before who drew it (``effect``); and the
  same for who drew it (``effect_active``). All seats play the level's policy before and after.
- accepting: of all offers that the level's policy makes, the mean of the asked player's share if it accepts minus its
  share if it refuses. *Would help, change nothing, hurt*: that difference is above, equal to or below 0.
- stealing: of all turns with something to steal and something to draw, the thief's share if it steals minus its share
  if it draws; the same for the victim and for all further players together. Where the policy steals the card is its
  choice and the pile is chance's, where it draws the reverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.engine import END_REASONS
from agentsim.games.base import SHARE_PARTS
from agentsim.runs import Run
from agentsim.standings import standings
from agentsim.stats import Interval, agreement, simultaneous_intervals
from analyses.argh_trials import Cell, Trial

__all__ = ["ANY", "MARK", "accept_table", "answer_table", "card_table", "coin_table", "end_table", "effect_table",
           "location_table", "out_table", "pair_table", "preset_table", "seat_table", "spy_table", "theft_table"]

ANY = "any"
MARK = "*"
"""What marks a card with stand-ins."""
ENOUGH = 30
"""Offers with each answer, and forks, from which on a card's two measurements are compared: z-tests need some."""
SHARE, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
Row = tuple[dict[str, Any], Mapping[str, npt.NDArray[Any]]]


def _table(rows: Iterable[Row], bounds: Mapping[str, tuple[float, float]], n: str = "n_games") -> pd.DataFrame:
    """A row per cell with the mean of each named array, its bounds ``<name>_low`` and ``<name>_high`` and its ``_se``.

    ``rows``: what names a cell, and one number per deal for each name in ``bounds``. Cells without numbers are left
    out of a column; those without any at all are left out altogether. Each column is a family of its own.
    """
    heads, values = [], []
    for head, arrays in rows:
        if any(len(array) for array in arrays.values()):
            heads.append(head)
            values.append(arrays)
    found = pd.DataFrame(heads)
    if not heads:
        return found
    found[n] = [len(next(iter(arrays.values()))) for arrays in values]
    for name, limits in bounds.items():
        sizes = np.array([len(arrays[name]) for arrays in values], dtype=np.float64)
        means = np.array([arrays[name].mean() if len(arrays[name]) else np.nan for arrays in values])
        errors = np.array([arrays[name].std() / np.sqrt(len(arrays[name])) if len(arrays[name]) else np.nan
                           for arrays in values])
        known = np.isfinite(means)
        whole = simultaneous_intervals(pd.DataFrame({"estimate": means, "se": errors, "n": sizes})[known],
                                       family=name, bounds=limits)
        for column, part in (("", "estimate"), ("_low", "low"), ("_high", "high"), ("_se", "se")):
            found[f"{name}{column}"] = np.nan
            found.loc[known, f"{name}{column}"] = whole[part].to_numpy()
        found[f"{name}_family"] = int(known.sum())
    return found


def _head(cell: Cell, **more: Any) -> dict[str, Any]:
    return {"players": cell[0], "policy": cell[1], **more}


# ------------------------------------------------------------------------------------------------ mirrors


def seat_table(trial: Trial) -> pd.DataFrame:
    """``players, policy, seat, n_games``; ``share``, and ``lead``: the share minus the mean of all seats of a game."""
    rows: list[Row] = []
    for cell, games in trial.mirrors.items():
        mean = games.shares.mean(axis=1)
        rows += [(_head(cell, seat=seat), {"share": games.shares[:, seat], "lead": games.shares[:, seat] - mean})
                 for seat in range(cell[0])]
    return _table(rows, {"share": SHARE, "lead": DIFFERENCE})


def end_table(trial: Trial) -> pd.DataFrame:
    """``players, policy, end, n_games, share``: the share of games by how they ended; 0 for an end never seen."""
    return _table(((_head(cell, end=end), {"share": (games.reason == at).astype(np.float64)})
                   for cell, games in trial.mirrors.items() for at, end in enumerate(END_REASONS)), {"share": SHARE})


def out_table(trial: Trial) -> pd.DataFrame:
    """``players, policy, n_out, n_games, share``: games by the number of players with an odd number of spies."""
    return _table(((_head(cell, n_out=n), {"share": (games.out.sum(axis=1) == n).astype(np.float64)})
                   for cell, games in trial.mirrors.items() for n in range(min(cell[0], 3) + 1)), {"share": SHARE})


# ------------------------------------------------------------------------------------------------ cards


def _sources(card: Any, promos: bool) -> list[str]:
    named = {"location": card.location_source, "effect" if card.kind != "value" else "number": card.value_source}
    if promos:  # stars count for the spider only
        named["star"] = card.star_source
    return [name for name, source in named.items() if source == "stand-in"]


def card_table(rules: Any) -> pd.DataFrame:
    """``card, label, location, kind, stand_in, location_source, value_source, star_source``.

    ``stand_in`` names the fields that are stand-ins of this project and matter in these rules; ``label`` has a mark
    then.
    """
    rows = []
    for card in rules.cards:
        made_up = _sources(card, rules.promos)
        kind = f"{card.value:+d}".replace("-", "\u2212") if card.kind == "value" else card.kind
        name = card.name()
        rows.append({"card": card.id, "label": f"{name} ({kind})" * (card.kind == "value") or name,
                     "location": card.location, "kind": card.kind, "stand_in": ", ".join(made_up) or "none",
                     "location_source": card.location_source, "value_source": card.value_source,
                     "star_source": card.star_source})
    found = pd.DataFrame(rows)
    return found.assign(label=found["label"] + found["stand_in"].map(lambda names: "" if names == "none" else MARK))


def _gains(forks: pd.DataFrame, players: int) -> dict[str, npt.NDArray[np.float64]]:
    """By fork: what branch A changes for the other seat, B for the active one, and A for all further players."""
    other = (forks["other_a"] - forks["other_b"]).to_numpy() / SHARE_PARTS
    return {"effect": other, "effect_active": (forks["active_b"] - forks["active_a"]).to_numpy() / SHARE_PARTS,
            "third": _third(forks, players), "changed": (other != 0).astype(np.float64)}


def _third(forks: pd.DataFrame, players: int) -> npt.NDArray[np.float64]:
    """What branch A changes for all further players together; of two players there are none."""
    return (forks["third_a"] - forks["third_b"]).to_numpy()[:None if players > 2 else 0] / SHARE_PARTS


_EFFECTS = {"effect": DIFFERENCE, "effect_active": DIFFERENCE, "third": DIFFERENCE, "changed": SHARE}


def effect_table(trial: Trial, cards: pd.DataFrame) -> pd.DataFrame:
    """What a card changes: ``players, policy, card, label, location, kind, stand_in, n_forks`` and by column

    ``effect`` (on the player before whom it comes to lie rather than before who drew it), ``effect_active`` (on who
    drew it, if it comes to lie there), ``third`` (on all further players, of the first), ``changed``: of the
    forks, those in which the first was not 0.
    """
    known = cards[["card", "label", "location", "kind", "stand_in"]].to_dict("records")
    rows: list[Row] = []
    for cell, forks in trial.cards.items():
        rows += [(_head(cell, **{str(key): value for key, value in head.items()}), _gains(forks[forks["card"] == at],
                                                                                      cell[0]))
                 for at, head in enumerate(known)]
    return _table(rows, _EFFECTS, "n_forks")


def location_table(trial: Trial) -> pd.DataFrame:
    """The same by location of the card: ``players, policy, location`` and so on; ``any`` for all together."""
    return _table(((_head(cell, location=name), _gains(part, cell[0])) for cell, forks in trial.cards.items()
                   for name, part in _by_location(forks)), _EFFECTS, "n_forks")


def _by_location(forks: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [*((name, forks[forks["location"] == at]) for at, name in enumerate(LOCATIONS)), (ANY, forks)]


def coin_table(trial: Trial, effects: pd.DataFrame) -> pd.DataFrame:
    """Do the accepter's coin and forks agree on each card? As ``stats.agreement``, with ``players, policy, label`` and
    ``n_coin, n_forks``; 1 is the coin, 2 the forks. Adjusted over all rows; empty without cards seen often enough."""
    firsts, seconds = [], []
    for (players, policy), sums in trial.coin.items():
        sums = sums[(sums["n_1"] >= ENOUGH) & (sums["n_0"] >= ENOUGH)]
        mean, variance = {}, {}
        for answer in (0, 1):
            n, total, squares = (sums[f"{name}_{answer}"].to_numpy(dtype=np.float64)
                                 for name in ("n", "sum", "squares"))
            mean[answer] = total / n / SHARE_PARTS
            variance[answer] = (squares / n / SHARE_PARTS**2 - mean[answer] ** 2) / (n - 1)
        key = [f"{players}|{policy}|{card}" for card in sums["card"]]
        firsts.append(pd.DataFrame({"card": key, "effect": mean[1] - mean[0], "se": np.sqrt(variance[0] + variance[1]),
                                    "n_coin": (sums["n_1"] + sums["n_0"]).to_numpy()}))
        part = effects[(effects["players"] == players) & (effects["policy"] == policy) & (effects["n_forks"] >= ENOUGH)]
        seconds.append(pd.DataFrame({"card": [f"{players}|{policy}|{card}" for card in part["card"]],
                                     "effect": part["effect"].to_numpy(), "se": part["effect_se"].to_numpy(),
                                     "n_forks": part["n_forks"].to_numpy(), "label": part["label"].to_numpy()}))
    if not firsts or not len(effects):
        return pd.DataFrame()
    coin, forks = pd.concat(firsts), pd.concat(seconds)
    if not set(coin["card"]) & set(forks["card"]):
        return pd.DataFrame()
    found = agreement(coin, forks).merge(coin[["card", "n_coin"]], on="card")
    found = found.merge(forks[["card", "n_forks", "label"]], on="card")
    split = found["card"].str.split("|", expand=True)
    return found.assign(players=split[0].astype(int), policy=split[1], card=split[2])


def spy_table(trial: Trial, cards: pd.DataFrame) -> pd.DataFrame:
    """What a spy changes by the spies that lie before its owner already: ``players, policy, before, n_forks`` and

    ``effect`` (as for cards), ``out``: by how much it raises the owner's chance to be out.
    """
    spies = np.flatnonzero((cards["kind"] == "spy").to_numpy())
    rows: list[Row] = []
    for cell, forks in trial.cards.items():
        forks = forks[forks["card"].isin(spies)]
        for before in range(max(len(spies), 1)):
            part = forks[forks["spies_other"] == before]
            rows.append((_head(cell, before=before), {
                "effect": _gains(part, cell[0])["effect"],
                "out": (part["out_other_a"] - part["out_other_b"]).to_numpy(dtype=np.float64)}))
    return _table(rows, {"effect": DIFFERENCE, "out": DIFFERENCE}, "n_forks")


# ------------------------------------------------------------------------------------------------ offers and thefts


def _answers(forks: pd.DataFrame) -> dict[str, npt.NDArray[np.float64]]:
    gain = _gains(forks, 2)["effect"]
    own = forks["own"].to_numpy(dtype=np.float64)
    decided = gain != 0
    return {"gain": gain, "helps": (gain > 0).astype(np.float64), "same": (gain == 0).astype(np.float64),
            "hurts": (gain < 0).astype(np.float64), "accepts": own,
            "right": ((gain > 0) == (own > 0)).astype(np.float64)[decided],
            "own_gain": np.where(own > 0, gain, -gain)}


_ANSWERED = {"gain": DIFFERENCE, "helps": SHARE, "same": SHARE, "hurts": SHARE, "accepts": SHARE, "right": SHARE,
             "own_gain": DIFFERENCE}


def accept_table(trial: Trial) -> pd.DataFrame:
    """Accepting offers of a level's policy: ``players, policy, location`` (``any`` for all), ``n_forks`` and

    ``gain`` of accepting; ``helps, same, hurts``: offers by its sign; ``accepts``: the policy's own share of yes;
    ``right``: of the answers that mattered those that were the better one; ``own_gain``: its answer minus the opposite.
    """
    return _table(((_head(cell, location=name), _answers(part)) for cell, forks in trial.offers.items()
                   for name, part in _by_location(forks)), _ANSWERED, "n_forks")


def answer_table(trial: Trial) -> pd.DataFrame:
    """The same by preset, asked by the last level with two players: ``preset`` instead of the first three."""
    return _table((({"preset": label}, _answers(forks)) for label, forks in trial.answers.items()), _ANSWERED,
                  "n_forks")


def theft_table(trial: Trial, cards: pd.DataFrame) -> pd.DataFrame:
    """Stealing rather than drawing: ``players, policy, own`` (whether the policy ``steals`` or ``draws`` there),
    ``n_forks`` and the gains of the ``thief``, the ``victim`` and ``third``: all further players together; ``bombs``:
    how many of the cards are bomb parts."""
    rows: list[Row] = []
    bombs = np.flatnonzero((cards["kind"] == "bomb").to_numpy())
    for cell, forks in trial.thefts.items():
        for own, word in ((1, "steals"), (0, "draws")):
            part = forks[forks["own"] == own]
            rows.append((_head(cell, own=word), {
                "thief": (part["active_a"] - part["active_b"]).to_numpy() / SHARE_PARTS,
                "victim": (part["other_a"] - part["other_b"]).to_numpy() / SHARE_PARTS,
                "third": _third(part, cell[0]),
                "bombs": part["card"].isin(bombs).to_numpy(dtype=np.float64)}))
    return _table(rows, {"thief": DIFFERENCE, "victim": DIFFERENCE, "third": DIFFERENCE, "bombs": SHARE}, "n_forks")


# ------------------------------------------------------------------------------------------------ presets


def preset_table(trial: Trial) -> pd.DataFrame:
    """Every policy as the one among others: ``players, field`` (what the others play), ``preset``, ``score`` and
    ``lead`` (over the mean of the others) with bounds, ``n_games, n_deals``, ``family_size``: parties in the family."""
    rows = []
    size = sum(len(standing.scores) for found in trial.presets.values() for standing in found)
    for (players, field), found in trial.presets.items():
        for standing in found:
            party = standing.scores[0]
            row = {"players": players, "field": field, "preset": party.name, "n_games": standing.n_games,
                   "n_deals": standing.n_deals, "family_size": size}
            rows.append(row | _bounds("score", party.score) | _bounds("lead", party.lead))
    return pd.DataFrame(rows)


def _bounds(name: str, value: Interval) -> dict[str, float]:
    return {name: value.estimate, f"{name}_low": value.low, f"{name}_high": value.high}


def pair_table(run: Run) -> pd.DataFrame:
    """Pairs of different policies of a run for two, both ways round: ``policy, other, score, lead`` with bounds,
    ``n_games, n_deals, family_size``; empty without such pairs."""
    rows: list[dict[str, Any]] = []
    found: Sequence[Any] = standings(run.experiment, run.tallies())
    pairs = [each for each in found if len(each.policies) == 2 and not each.mirror and each.n_games]
    for standing in pairs:
        for mine, other in (standing.scores, standing.scores[::-1]):
            row = {"policy": mine.name, "other": other.name, "n_games": standing.n_games, "n_deals": standing.n_deals,
                   "family_size": sum(len(set(each.policies)) for each in found)}
            rows.append(row | _bounds("score", mine.score) | _bounds("lead", mine.lead))
    return pd.DataFrame(rows)
