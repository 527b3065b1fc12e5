"""The built-in policies in every mode: the same families and parameters as in the base game, for all questions."""
