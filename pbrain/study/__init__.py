"""The measurements of the three documents, repeated for their brains and for this engine."""
