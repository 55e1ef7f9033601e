"""Tunes named numbers of a brain by games between two settings: simultaneous perturbation stochastic approximation."""
