"""Built-in policies: an integer family and a row of parameters, so a new preset needs no compilation."""
