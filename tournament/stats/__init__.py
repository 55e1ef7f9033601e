"""Numbers from games: Elo, SPRT, standings, and time per move. Pure functions of records."""
