"""Makes books: openings that a brain judges to be balanced, and that its own games confirm."""
