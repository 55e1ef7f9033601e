"""The engine as a person meets it in a terminal: `play` and `analyse`."""
