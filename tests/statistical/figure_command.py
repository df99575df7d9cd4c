"""The main function of scripts that draw figures: from arguments to a file and an exit status."""

import pathlib
import sys


class WrongArguments(Exception):
    pass


def write_figure(script, usage, choose, arguments):
    """choose(arguments) returns the file and a function that makes its bytes, or raises WrongArguments. Returns 0, or 2
    if the arguments or the data are wrong, or 1 if the file cannot be written."""
    try:
        file, make = choose(arguments)
        picture = make()
    except WrongArguments:
        print(usage, file=sys.stderr)
        return 2
    except (KeyError, OSError, TypeError, ValueError) as error:
        print(f"{script}: not a table of this figure: {error!r}", file=sys.stderr)
        return 2
    try:
        pathlib.Path(file).write_bytes(picture)
    except OSError as error:
        print(f"{script}: cannot write the figure: {error}", file=sys.stderr)
        return 1
    return 0
