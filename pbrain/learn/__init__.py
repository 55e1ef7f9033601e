"""Learns the evaluation from games: self-play, the fit, and the match that measures the gain. Needs numpy."""
