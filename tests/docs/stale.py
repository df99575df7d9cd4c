"""Lists what to measure again: numbers of docs whose job has other bits now, with command and cost, cheapest first.

usage: stale.py

Costs are seconds of measuring as the file has them; those that nobody knows come last. `measured.py measure NAME` runs
the commands of files that say how; others are run by hand, and their files are edited.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import measured


def main():
    found = measured.stale(measured.Project())
    for name, record, mark in found:
        seconds = record.get("seconds")
        cost = "unknown cost" if seconds is None else f"{seconds:g} s"
        command = (record.get("command") or "no command recorded").replace("\n", "\n    ")
        print(f"{cost}: {name} ({record['page']})\n    {command}\n    {mark.strip('*')}")
    print(f"{len(found)} to measure again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
