"""How Shady Agents is played: one module per family of policies."""
