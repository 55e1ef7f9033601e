"""Kaname, a Gomocup/Piskvork brain for five in a row."""

__version__ = "0.1.0"
