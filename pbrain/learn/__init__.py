"""The evaluation learned from games: self-play, the fit, the match that tells what was gained. Needs numpy."""
