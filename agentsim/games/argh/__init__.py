"""ARGH (Animals Revolt aGainst Humans): two to four players gather allies, dodge humans and build a bomb."""
