"""Tunes integer parameters of a brain by simultaneous perturbation: pairs of games between two settings of it."""
