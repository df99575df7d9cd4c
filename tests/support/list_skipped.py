"""Lists the tests that CTest or GoogleTest skipped, each with its reason, from CTest's JUnit file.

usage: list_skipped.py tests.xml
"""

import re
import sys
import xml.etree.ElementTree

GOOGLE_TEST_SKIP = re.compile(r"^\S+:\d+: Skipped\n(?P<reason>.*?)\n*^\[  SKIPPED \] (?P<name>\S+?)(?: \(\d+ ms\))?$",
                              re.MULTILINE | re.DOTALL)
PART_SKIP = re.compile(r"^skipped: (?P<name>\S+): (?P<reason>.*)$", re.MULTILINE)


def skipped_tests(junit_file):
    """(test, reason) of every skipped CTest test, and of every GoogleTest case or named part skipped inside one."""
    for case in xml.etree.ElementTree.parse(junit_file).iter("testcase"):
        name, output = case.get("name"), case.findtext("system-out") or ""
        if case.find("skipped") is not None:
            lines = output.strip().splitlines() or [case.find("skipped").get("message") or "no reason given"]
            yield name, lines[-1]
        for skip in PART_SKIP.finditer(output):
            yield f"{name}: {skip['name']}", skip["reason"]
        for skip in GOOGLE_TEST_SKIP.finditer(output):
            yield f"{name}: {skip['name']}", " ".join(skip["reason"].split()) or "no reason given"


def main():
    skipped = list(skipped_tests(sys.argv[1]))
    if skipped:
        print(f"\nSkipped tests: {len(skipped)}")
        for name, reason in skipped:
            print(f"    {name}: {reason}")
        print()


if __name__ == "__main__":
    main()
