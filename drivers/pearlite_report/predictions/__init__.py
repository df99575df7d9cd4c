"""Predictions: their contents in a results file, and their figures."""
