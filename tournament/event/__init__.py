"""All games of an event: what is to be played, who plays it, and the store that keeps it."""
