"""The near-equilibrium player of the advanced mode: fitted values in place of a table, the game of one turn on them.

``features`` says how a position is told, ``network`` what it is worth, ``player`` plays by it, ``weights`` loads what
``sample`` and ``fit`` have found from games of its own. docs/solver.md explains.
"""
