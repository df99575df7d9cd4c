"""Figures and tables of searches, and comparisons of them."""
