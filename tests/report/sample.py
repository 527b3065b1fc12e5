"""A report with every kind of block, from made-up numbers that a fixed generator draws.

Charts are made once, since drawing them is what takes time; ``chart.__wrapped__()`` makes a new one.
"""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from agentsim.report import (
    Chart,
    Column,
    Failure,
    Finding,
    Heading,
    NotebookPage,
    Provenance,
    Report,
    Section,
    Table,
    Text,
    theme,
)

POLICIES = ["expert", "codebreaker_hunter", "double_bluffer", "baiter", "cautious", "honest", "minmax", "bluffer",
            "daredevil_trapper", "sprinter", "collector", "paranoid", "greedy", "trusting", "discarder", "random"]
CARDS = ["double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole"]
GAMES, DEALS, SEED = 12_800_000, 6_400_000, 2024
EVIL = '<script>alert("x")</script> & "co", Ltd'


def matrix() -> pd.DataFrame:
    """Win rates that are a function of strength and some noise; cells and their mirror images add up to 1."""
    generator = np.random.default_rng(5)
    strength = np.sort(generator.normal(0, 0.6, len(POLICIES)))[::-1]
    noise = generator.normal(0, 0.12, (len(POLICIES), len(POLICIES)))
    rates = 1 / (1 + np.exp(strength[None, :] - strength[:, None] + noise))
    return pd.DataFrame((rates + 1 - rates.T) / 2, index=POLICIES, columns=POLICIES)


def starters() -> pd.DataFrame:
    """First-player rates in mirrors, one row per policy, the last without data."""
    generator = np.random.default_rng(6)
    rate = 0.49 + generator.normal(0, 0.012, len(POLICIES))
    frame = pd.DataFrame({"policy": POLICIES, "rate": rate, "low": rate - 0.0031, "high": rate + 0.0031,
                          "games": 100_000})
    frame.loc[len(frame) - 1, ["rate", "low", "high"]] = np.nan
    frame.loc[len(frame) - 1, "games"] = 0
    return frame


def hands(rows: int = 259) -> pd.DataFrame:
    """A long table, with a name that would be a script if it were not escaped."""
    generator = np.random.default_rng(7)
    rate = generator.uniform(0.35, 0.65, rows)
    names = [f"{CARDS[at % 8]} + {CARDS[(at // 8) % 8]} ({at})" for at in range(rows)]
    names[1] = EVIL
    half = generator.uniform(0.001, 0.01, rows)
    effect = generator.normal(0, 0.05, rows)
    return pd.DataFrame({
        "hand": names, "games": generator.integers(10_000, 4_000_000, rows), "won": rate, "won_low": rate - half,
        "won_high": rate + half, "effect": effect, "effect_low": effect - half, "effect_high": effect + half,
        "turns": generator.uniform(3, 9, rows), "turns_low": 2.9, "turns_high": 9.1, "rare": [True, False] * (rows // 2)
        + [True] * (rows % 2),
    })


@functools.cache
def matrix_chart() -> Chart:
    rates = matrix()
    fig, ax = theme.figure(height=7.4)
    theme.heatmap(ax, rates, low=rates - 0.004, high=rates + 0.004, xlabel="opponent", ylabel="policy")
    return Chart(fig, "matrix", "Expert beats every other preset; the middle of the field is close",
                 theme.caption(GAMES, DEALS, seed=SEED, policies=POLICIES,
                               interval="simultaneous 95 % intervals over 120 pairs",
                               note="Grey italics: the interval includes 50 %."),
                 "Heat map of win rates of 16 presets against each other, from 22 % to 78 %.")


@functools.cache
def starters_chart() -> Chart:
    fig, ax = theme.figure(rows=len(POLICIES))
    theme.dot_interval(ax, starters(), "policy", "rate", "low", "high", reference=0.5,
                       xlabel="games won by the player who starts")
    return Chart(fig, "starters", "In most mirror matches, starting is a slight handicap",
                 theme.caption(1_600_000, seed=SEED, policies="each preset against itself"),
                 "First-player win rates of 15 presets with intervals, between 46 % and 51 %.")


@functools.cache
def groups_chart() -> Chart:
    frame = starters().dropna().head(6)
    both = pd.concat([frame.assign(hand="4 cards"),
                      frame.assign(hand="5 cards", rate=frame["rate"] + 0.01, low=frame["low"] + 0.01,
                                   high=frame["high"] + 0.01)])
    fig, ax = theme.figure(rows=9)
    theme.dot_interval(ax, both, "policy", "rate", "low", "high", reference=0.5, group="hand",
                       xlabel="games won by the player who starts")
    return Chart(fig, "hand-size", "One more card in hand helps the player who starts",
                 theme.caption(1_200_000, seed=SEED, policies=list(frame["policy"])),
                 "Pairs of first-player rates for hands of 4 and 5 cards; 5 is one point higher throughout.")


@functools.cache
def leads_chart() -> Chart:
    fig, ax = theme.figure(height=4.2)
    turns = np.arange(1, 13)
    for at, lead in enumerate([-3, 0, 3, 6]):
        chance = 1 / (1 + np.exp(-lead * (0.1 + turns / 20)))
        theme.line_band(ax, turns, chance, chance - 0.01 - turns / 900, chance + 0.01 + turns / 900,
                        label=f"lead {lead:+d}".replace("-", "−"), index=at, reference=0.5 if at == 0 else None)
    ax.set_xlabel("turn")
    ax.set_ylabel("games won")
    return Chart(fig, "leads", "A lead is worth more the later it is held",
                 theme.caption(GAMES, DEALS, seed=SEED, policies=POLICIES[:3]),
                 "Four lines of win probability by turn, fanning out from 50 % as the game goes on.", key=True)


@functools.cache
def panels_chart() -> Chart:
    fig, axes = theme.figure(height=3.4, ncols=2, sharey=True)
    for ax, name in zip(axes, ["random", "expert"], strict=True):
        with theme.use_theme():
            ax.bar(np.arange(2, 14), np.exp(-((np.arange(2, 14) - 7) ** 2) / 8), color=theme.PALETTE[0])
            ax.set_title(name)
            ax.set_xlabel("turns")
        theme.set_axis(ax, "y", "percent")
    axes[0].set_ylabel("games")
    return Chart(fig, "lengths", "Strong play makes games no longer", theme.caption(GAMES, seed=SEED),
                 "Two histograms of game length with the same shape, centred on seven turns.")


@functools.cache
def ends_chart() -> Chart:
    generator = np.random.default_rng(8)
    shares = generator.dirichlet([5, 3, 2, 0.4], 6)
    table = pd.DataFrame(shares, index=POLICIES[:6], columns=["catch", "codebreakers", "daredevils", "out of cards"])
    fig, ax = theme.figure(rows=7)
    theme.stacked_bar(ax, table, low=table - 0.004, high=table + 0.004, xlabel="games")
    return Chart(fig, "ends", "Catching is the most common end, whoever plays",
                 theme.caption(600_000, seed=SEED, policies=POLICIES[:6]),
                 "Stacked bars of four kinds of end for six presets; catches make up about half.")


def starters_table() -> Table:
    return Table(starters(), "starters", "First-player rate in mirrors", {
        "policy": Column("policy"),
        "rate": Column("starter wins", "percent", "low", "high", help="Share of decided games that seat 0 wins."),
        "games": Column("games", "int"),
    }, note="One game per deal: in a mirror the second would be the first again.")


def hands_table() -> Table:
    return Table(hands(), "hands", "Opening hands", {
        "hand": Column("hand", help="Names and number of the hand."),
        "won": Column("won", "percent", "won_low", "won_high", help="Share of games that the holder wins."),
        "effect": Column("effect", "points", "effect_low", "effect_high", help="Difference to the average hand."),
        "turns": Column("length in turns", "interval", "turns_low", "turns_high", bar=False),
        "games": Column("games", "int"),
        "rare": Column("rare"),
    })


def notebook() -> NotebookPage:
    return NotebookPage("sample", "A sample notebook", "<p>Nothing but text.</p>", seconds=1.5)


def sample_report(*, failing: bool = False) -> Report:
    """The report; ``failing`` adds an analysis that failed."""
    wins = Section(
        "win-rates", "Win rates", "Who wins, and by how much?",
        [Finding("`expert` wins {value} of its games against the field.", 0.6812, 0.6801, 0.6823, n=GAMES, deals=DEALS),
         Heading("The matrix", "the-matrix"), matrix_chart(),
         Text("A cell is the share of games that the **row** wins against the *column*. "
              "Draws count as half a win for both."),
         Heading("Hand by hand", "hands"), hands_table()],
        lead="`expert` leads, `random` closes the table. Between them the order is not a straight line.")
    first = Section(
        "first-player", "First-player advantage", "Does starting help?",
        [Finding("The starter wins fewer games than the other.", -0.0123, -0.0145, -0.0101, n=1_600_000, unit="pp"),
         starters_chart(), starters_table(), groups_chart(),
         Text("Mirrors only.\n\n- one deal, one game\n- draws are left out", "note")],
        lead="In mirror matches starting is a slight handicap for most presets.")
    shape = Section(
        "shape", "Shape of a game", "How does a game unfold?",
        [panels_chart(), leads_chart(), ends_chart(),
         Finding("Games are short.", 7.31, 7.29, 7.33, n=GAMES, unit="turns"),
         Text("Who won often took the card: this is **confounded**.", "warning")])
    sections = [wins, first, shape]
    if failing:
        sections.append(Section("agents", "Agents and bluffs", "Which bluff works?",
                                [Failure("Agents and bluffs", "KeyError: 'took_face_up'")]))
    return Report(
        "Agent Avenue, base mode",
        [Finding("Starting is a handicap of {value} in mirror matches.", -0.0123, -0.0145, -0.0101, n=1_600_000,
                 deals=1_600_000, unit="pp", section="first-player"),
         Finding("of its games are won by `expert` against the field.", 0.6812, 0.6801, 0.6823, n=GAMES, deals=DEALS,
                 interval="simultaneous 95 % interval", section="win-rates"),
         Finding("is how long a game takes.", 7.31, 7.29, 7.33, n=GAMES, deals=DEALS, unit="turns", section="shape"),
         Finding("`baiter` beats `honest`, `honest` beats `sprinter`, and `sprinter` beats `baiter`.",
                 section="win-rates")],
        sections,
        summary="Sixteen ways to play met each other in **12.8 million games**. Here is who wins, whether starting "
                "helps, and which bluff beats which.",
        provenance=Provenance("agentsim report --games 100000 --seed 2024", SEED,
                              {"games": GAMES, "deals": DEALS, "matchups": 136},
                              {"agentsim": "0.1.0", "numpy": "2.4.0"}, {"simulation": 61.2, "analyses": 24.8},
                              "0f" * 32, "", ["Card texts are our own words."]),
        method=[Text("Intervals are simultaneous where a table has many cells.\n\n| table | method |\n|---|---|\n"
                     "| matrix | Šidák |")],
        notebooks=[notebook(), *([Failure("broken.ipynb", "ZeroDivisionError: division by zero")] if failing else [])],
        marks={"double_agent + double_agent (0)": "made up for this sample"},
    )
