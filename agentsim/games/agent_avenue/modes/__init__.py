"""Every mode beyond the base game for two: Black Market, teams, Division M, in one engine."""
