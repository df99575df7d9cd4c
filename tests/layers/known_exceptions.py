"""What the rules of ownership.py do not hold for yet. Lines may be taken away, and numbers made smaller."""

# Folders with more files than ownership.MOST_FILES.
CROWDED = {}

# Headers of an algorithm's folder that another folder includes.
INCLUDES = {}
