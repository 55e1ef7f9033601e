"""Three simple brains to play against, each after a document on five in a row, on one protocol loop."""
