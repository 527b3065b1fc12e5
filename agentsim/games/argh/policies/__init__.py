"""How ARGH is played: one module per family of policies."""
