"""ARGH: seats, ends, what a card and an answer are worth, who profits from stealing, and which presets win.

``tables(run)`` plays the experiments itself (:mod:`analyses.argh_trials`), for two, three and four players, with the
rules, policies and seed of the run; the run's own games are the pairs of two players. What a card, an answer or a theft
*changes* comes from games continued twice (:mod:`analyses.argh_tables` defines every number), never from comparing
those who have a card with those who have not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.report import Block, Chart, Finding, Heading, Section, Table, Text
from agentsim.runs import Run
from agentsim.simulation.progress import Meter
from analyses import argh_charts, argh_tables
from analyses.argh_charts import last_level
from analyses.argh_tables import ANY
from analyses.argh_trials import GAMES, Trial, play_trials
from analyses.common import clear, finding, largest, listed, local, percent, points, smallest

__all__ = ["displays", "figures", "findings", "section", "tables", "worth"]

ANCHOR, TITLE, QUESTION = "argh", "ARGH", "Which seat, card, answer and theft pays, and which preset wins?"
SEED_GAP = 2000
"""The experiments' seeds begin so far from the run's."""

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, *, games: int = GAMES, workers: int = 1, stage: Callable[[str, int], Meter] | None = None
           ) -> Tables:
    """All numbers of this analysis.

    Parameters
    ----------
    run : of ARGH; its policies, rules (but for the number of players) and seed are used. Its own games are looked at if
        they are of two players.
    games : games of each mirror; forks, games with presets and so on are in proportion.
    workers, stage : how many stretches of deals at a time; asked for a meter as each experiment begins.

    Returns ``about`` and the tables of :func:`worth`. Raises InputError for a run of another game.
    """
    if run.experiment.game != "argh":
        raise InputError(f"is a run of '{run.experiment.game}'", key="run", allowed="a run of argh")
    game = get_game("argh")
    trial = play_trials(game, dict(run.rules), run.experiment.policies, (run.seed + SEED_GAP) % 2**64, games,
                        workers=workers, stage=stage)
    return {**worth(trial, run.experiment.rules()), "pairs": argh_tables.pair_table(run).assign(seed=str(run.seed))}


def worth(trial: Trial, rules: Any) -> Tables:
    """What the experiments say: ``about, seats, ends, out, sources, cards, locations, coin, spies, accept, answers,
    thefts, presets`` (:mod:`analyses.argh_tables`) and an empty ``pairs``."""
    cards = argh_tables.card_table(rules)
    effects = argh_tables.effect_table(trial, cards)
    about = pd.DataFrame([{"seed": str(trial.seed), "levels": ", ".join(trial.levels), "strongest": trial.levels[-1]}])
    return {"about": about, "sources": cards, "seats": argh_tables.seat_table(trial),
            "ends": argh_tables.end_table(trial), "out": argh_tables.out_table(trial), "cards": effects,
            "locations": argh_tables.location_table(trial), "coin": argh_tables.coin_table(trial, effects),
            "spies": argh_tables.spy_table(trial, cards), "accept": argh_tables.accept_table(trial),
            "answers": argh_tables.answer_table(trial), "thefts": argh_tables.theft_table(trial, cards),
            "presets": argh_tables.preset_table(trial), "pairs": pd.DataFrame()}


def figures(found: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for: ``seats, ends, out, cards-2, cards-4, spies, accept, answers, thefts,
    presets, pairs``."""
    return argh_charts.draw(found)


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page."""
    return argh_charts.displays(found)


# ------------------------------------------------------------------------------------------------ sentences


def _over(table: pd.DataFrame, name: str) -> str:
    return f"simultaneous 95 % interval over {int(table[f'{name}_family'].iloc[0])} numbers"


def _found(text: str, row: pd.Series, name: str, table: pd.DataFrame, **options: Any) -> Finding | None:
    """A finding from column ``name`` of a row, with its bounds and n."""
    of_forks = "n_forks" in row
    return finding(text, row, estimate=name, low=f"{name}_low", high=f"{name}_high",
                   n=int(row["n_forks" if of_forks else "n_games"]), n_unit="forks" if of_forks else "games",
                   **{"unit": "pp", "interval": _over(table, name), "section": ANCHOR, **options})


def findings(found: Tables) -> list[Finding]:
    """What to say first, one sentence per question of the page."""
    said = [*_of_mirrors(found), *_of_cards(found), *_of_spies(found), *_of_answers(found), *_of_thefts(found),
            *_of_presets(found), _of_coin(found)]
    return [item for item in said if item is not None]


def _of_mirrors(found: Tables) -> list[Finding | None]:
    seats, ends = found["seats"], found["ends"]
    level = last_level(seats)
    mine = seats[seats["policy"] == level]
    fewest, most = (mine[mine["players"] == at] for at in (mine["players"].min(), mine["players"].max()))
    said: list[Finding | None] = []
    for part, table in ((fewest, "two"), (most, "four")):
        row = part[part["seat"] == 0].iloc[0]
        side = clear(row, 0.0, "lead_low", "lead_high")
        words = {1: "is an advantage of {value} over the mean of all seats", -1: "is a disadvantage of {value} against "
                 "the mean of all seats", 0: "makes too little difference to say ({value})"}[side]
        said.append(_found(f"With {table} players starting {words} (`{level}`).", row, "lead", seats))
    bombs = ends[(ends["policy"] == level) & (ends["end"] == "bomb")].sort_values("players")
    first, last = bombs.iloc[0], bombs.iloc[-1]
    fewer = first["share_low"] > last["share_high"]
    said.append(_found(
        "With two players a bomb in play ends {value} of games" + (
            f", with four {percent(last['share'])}: the more players, the more is left to points" if fewer else
            f", with four {percent(last['share'])}") + f" (`{level}`).", first, "share", ends, unit="%"))
    return said


def _of_cards(found: Tables) -> list[Finding | None]:
    cards = found["cards"]
    if not len(cards):
        return []
    level = last_level(cards)
    said: list[Finding | None] = []
    for players, word in ((2, "two"), (4, "four")):
        part = cards[(cards["policy"] == level) & (cards["players"] == players)]
        if not len(part):
            continue
        top, low = largest(part, "effect"), smallest(part, "effect")
        rivals = sorted(part.loc[(part["effect_high"] >= top["effect_low"]) & (part["card"] != top["card"]), "label"])
        close = f" ({listed(rivals)} may be worth as much)" if rivals and len(rivals) <= 4 else (
            f" ({len(rivals)} others may be worth as much)" if rivals else "")
        worst = (f"{low['label']} costs it most, {points(low['effect'])}" if low["effect_high"] < 0 else
                 "no card clearly costs it anything")
        if top["effect_low"] > 0:
            said.append(_found(f"With {word} players the card most worth having is {top['label']}: {{value}} to its "
                               f"owner{close}; {worst} (`{level}`).", top, "effect", cards))
        else:
            said.append(_found(f"With {word} players it is too close to say which card is worth most ({{value}} for "
                               f"{top['label']}, `{level}`).", top, "effect", cards))
    return said


def _of_spies(found: Tables) -> list[Finding | None]:
    spies = found["spies"]
    if not len(spies):
        return []
    level = last_level(spies)
    part = spies[(spies["policy"] == level) & (spies["players"] == spies["players"].min())].set_index("before")
    if 0 not in part.index or 1 not in part.index:
        return []
    one, two = part.loc[0], part.loc[1]
    if one["effect_high"] < 0 < two["effect_low"]:
        text = (f"Spies go by pairs: to get a first one changes the win share by {points(one['effect'])}, to get a "
                f"second one by {{value}} (two players, `{level}`).")
    else:
        text = f"What a second spy is worth is too close to say ({{value}}, two players, `{level}`)."
    return [_found(text, two, "effect", spies)]


def _of_answers(found: Tables) -> list[Finding | None]:
    accept, answers = found["accept"], found["answers"]
    said: list[Finding | None] = []
    if len(accept):
        level = last_level(accept)
        row = accept[(accept["policy"] == level) & (accept["location"] == ANY)].sort_values("players").iloc[0]
        side = clear(row, 0.0, "gain_low", "gain_high")
        how = (f"helps in {percent(row['helps'], 0)} of cases, hurts in {percent(row['hurts'], 0)} and changes nothing "
               "in the rest")
        verb = {1: "When in doubt, accept: with", -1: "When in doubt, refuse: with",
                0: "Accept or refuse, it is too close to say: with"}[side]
        said.append(_found(f"{verb} two players accepting an offer of `{level}` rather than refusing it is worth "
                           f"{{value}}, and the policy accepts {percent(row['accepts'], 0)}; it {how}.", row,
                           "gain", accept))
    if len(answers) > 1:
        top, low = largest(answers, "own_gain_low"), smallest(answers, "own_gain_high")
        field = found["about"]["strongest"].iloc[0]
        best, worst = (clear(row, 0.0, "own_gain_low", "own_gain_high") for row in (top, low))
        if best > 0:
            said.append(_found(f"Asked by `{field}`, `{top['preset']}` answers well: its answer rather than the "
                               f"opposite is worth {{value}}, right in {percent(top['right'], 0)} of the cases that "
                               "mattered" + (f"; `{low['preset']}` loses by its answers ({points(low['own_gain'])})."
                                             if worst < 0 else "."), top, "own_gain", answers))
        else:
            said.append(_found(f"Asked by `{field}`, no preset's answers are clearly better than the opposite "
                               f"({{value}} for `{top['preset']}`).", top, "own_gain", answers))
    return said


def _of_thefts(found: Tables) -> list[Finding | None]:
    thefts = found["thefts"]
    if not len(thefts):
        return []
    level = last_level(thefts)
    part = thefts[(thefts["policy"] == level) & (thefts["own"] == "steals")].sort_values("players")
    said: list[Finding | None] = []
    for row in (part.iloc[0], part.iloc[-1]) if len(part) > 1 else ():
        side = clear(row, 0.0, "thief_low", "thief_high")
        who_pays = f"the victim gets {points(row['victim'])}"
        if row["third"] == row["third"]:
            who_pays += f", the others together {points(row['third'])}"
        text = {1: f"stealing pays: {{value}} for the thief; {who_pays}", -1: f"stealing costs the thief {{value}}; "
                f"{who_pays}", 0: "it is too close to say whether stealing pays the thief ({value})"}[side]
        said.append(_found(f"Where `{level}` steals, with {row['players']} players, {text}. "
                           f"{percent(row['bombs'], 0)} of what it steals are bomb parts.", row, "thief", thefts))
    return said


def _of_presets(found: Tables) -> list[Finding | None]:
    presets = found["presets"]
    if not len(presets):
        return []
    field = presets["field"].iloc[-1]
    said: list[Finding | None] = []
    for players, word in ((2, "two"), (4, "four")):
        part = presets[(presets["field"] == field) & (presets["players"] == players)]
        if not len(part):
            continue
        top = largest(part, "lead")
        better = part[part["lead_low"] > 0].sort_values("lead", ascending=False)["preset"]
        names = listed([f"`{name}`" for name in better]) if len(better) else ""
        text = (f"With {word} players {names} clearly {'does' if len(better) == 1 else 'do'} better than `{field}` at "
                f"a table of it; `{top['preset']}` leads by {{value}}." if len(better) else
                f"With {word} players no preset clearly does better than `{field}` at a table of it; nearest is "
                f"`{top['preset']}` ({{value}}).")
        said.append(finding(text, top, estimate="lead", low="lead_low", high="lead_high", unit="pp", section=ANCHOR,
                            deals=int(top["n_deals"]), interval=f"simultaneous 95 % interval over "
                            f"{top['family_size']} parties"))
    return said


def _of_coin(found: Tables) -> Finding | None:
    coin = found["coin"]
    if not len(coin):
        return None
    bad = coin[~coin["agree"]]
    return Finding(f"The accepter's coin under `{coin['policy'].iloc[0]}` and forks measure the same: they agree on "
                   f"{len(coin) - len(bad)} of {len(coin)} cards and tables" + (
                       f"; they do not for {listed(list(dict.fromkeys(bad['label'])))}." if len(bad) else "."),
                   section=ANCHOR)


# ------------------------------------------------------------------------------------------------ the page


def section(found: Tables) -> Section:
    """The page."""
    charts, shown = figures(found), displays(found)
    blocks: list[Block] = [*local(findings(found))]
    blocks.append(Text("The card table is in part a **stand-in**: no source tells all of it. Cards with a stand-in are "
                       f"marked {argh_tables.MARK}, and every number of this page depends on the whole table.", "note"))

    def add(title: str, anchor: str, text: str, *parts: str) -> None:
        blocks.append(Heading(title, anchor))
        if text:
            blocks.append(Text(text))
        for part in parts:
            kind, _, name = part.partition(":")
            present = charts.get(name) if kind == "chart" else shown.get(name)
            if present is not None:
                blocks.append(present)

    add("Which seat", "seats", "All seats play the same policy. Shares need not add up to one: if everybody is out, "
        "nobody wins. So each seat is compared with the mean of all seats of the same games.", "chart:seats",
        "table:seats")
    add("How games end", "ends", "", "chart:ends", "table:ends")
    add("What a card is worth", "cards", "At a turn that chance picks, the card that a player has drawn is offered to "
        "another player, whom chance names, and the same game goes on twice: with the card face up before the one, and "
        "before the other. Piles and random streams are the same in both. So the difference is what the card "
        "*changes*, and not what owners of the card have in common.", "chart:cards-2", "chart:cards-4", "table:cards",
        "table:locations")
    add("Spies", "spies", "An odd number of spies is out whatever the points, so a spy is bad or good by how many lie "
        "there already. Face-down spies count.", "chart:spies", "table:spies", "chart:out", "table:out")
    add("Is accepting right?", "accepting", "Offers that a policy makes of its own, each continued with both answers, "
        "seen by the player who is asked. *Right when it mattered*: of the offers in which the answer changed the "
        "asked player's share, those in which the policy gave the better one.", "chart:accept", "table:accept",
        "chart:answers", "table:answers")
    add("Who profits from stealing", "stealing", "A turn in which there is something to steal and something to draw "
        "goes on twice, with the theft and with a draw. Where the policy steals by itself the card is its choice, and "
        "it is compared with a pile by chance; where it draws, with a theft by chance.", "chart:thefts", "table:thefts")
    add("Presets", "presets", "Each policy sits alone among others that all play the same, once in every seat of each "
        "deal. One against one, every policy meets every other.", "chart:presets", "table:presets", "chart:pairs",
        "table:pairs")
    add("Checks and sources", "checks", "Under `random` the accepter decides by a coin, which measures without any "
        "fork what a card does to the player who is asked. Other games, the same number.", "table:coin",
        "table:sources")
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=_lead(found))


def _lead(found: Tables) -> str:
    level = last_level(found["seats"])
    cards = found["cards"]
    part = cards[(cards["policy"] == level) & (cards["players"] == cards["players"].min())] if len(cards) else cards
    if not len(part):
        return f"ARGH for two to four players, at the level of `{level}`."
    top = part.sort_values("effect", ascending=False)["label"].iloc[:3]
    return (f"ARGH for two to four players. With two, {listed(list(top))} help their owner most (`{level}`). The card "
            "table is in part a stand-in.")
