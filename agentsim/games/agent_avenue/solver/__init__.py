"""The near-equilibrium player of the base game: a table over public states, and a policy that plays by it.

``states`` says what a public state is, ``turn_game`` solves the game of one offer and its answer, ``backward`` solves
all states from the last to the first, ``store`` keeps the result on disk, ``player`` plays by it. docs/solver.md
explains.
"""
