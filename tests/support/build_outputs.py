"""Outputs of the build that a test needs."""

import os
import re
import subprocess


def outputs_of(build):
    """All files that a build by Ninja makes, relative to it."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "targets", "all"], check=True, capture_output=True,
                             text=True, errors="replace").stdout
    return {line.rsplit(": ", 1)[0] for line in listing.splitlines() if ": " in line and not line.endswith(": phony")}


def needed_outputs(texts, build, outputs):
    """The outputs of the build that words of a command or of an environment name; ["all"] where they name the build
    or a folder of it; none for a test that looks at the sources alone."""
    found, build = set(), str(build)
    for text in texts:
        for path in re.findall(re.escape(build) + r"(?![\w.-])[^\s:;,]*", text):
            inside = os.path.normpath(path[len(build):].strip("/"))
            if inside not in outputs:
                return ["all"]
            found.add(inside)
    return sorted(found)
