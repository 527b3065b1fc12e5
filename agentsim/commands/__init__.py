"""What the commands of ``agentsim`` do, one module per group; :mod:`agentsim.cli` only connects them.

Imported on demand: ``agentsim --help`` loads none of the scientific libraries.
"""
