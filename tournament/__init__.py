"""The match runner: plays Gomocup brains against each other. It never imports the engine."""

__version__ = "0.1.0"
