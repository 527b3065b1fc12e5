"""The games of the laboratory, one folder each. See :mod:`agentsim.games.base` for what a game provides."""
