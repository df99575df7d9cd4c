"""The report of a sweep: runs of one configuration over a grid of settings."""
