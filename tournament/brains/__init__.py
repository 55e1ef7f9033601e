"""Three simple brains to play against, each implementing one document on five in a row, with a shared protocol loop."""
