"""Naive, separately written engines that exist only to disagree with the fast ones.

Nothing here imports from ``agentsim``: standard library only, written from the rules pages in ``docs/rules``.
"""
