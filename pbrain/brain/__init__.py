"""The engine as a manager meets it: one process, the Gomocup protocol on its standard streams."""
