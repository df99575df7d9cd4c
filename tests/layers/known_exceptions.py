"""Exceptions to the rules of ownership.py. Lines may be removed and numbers reduced, but none added or increased."""

# Folders of a layer that include each other: (layer, folder, folder).
MUTUAL = [("io", "container", "files")]
# Folders with more files than ownership.MOST_FILES.
CROWDED = {}

# Headers of an algorithm's folder that another folder includes.
INCLUDES = {}
