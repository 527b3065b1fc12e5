"""What a position is worth to the player in it: every action played on to the end in the same hidden worlds."""
