"""The engine in a terminal: `play` and `analyse`."""
