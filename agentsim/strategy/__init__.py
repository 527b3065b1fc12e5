"""The strategy lab: which way to play is strongest, and who beats it. Above simulation and stats, below commands."""
