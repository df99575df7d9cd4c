"""Predictions: what a results file holds of them, and figures of them."""
