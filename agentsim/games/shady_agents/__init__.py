"""Shady Agents: four to ten players of two secret sides; some always tell the truth, the others always lie."""
