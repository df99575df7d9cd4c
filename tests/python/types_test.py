"""The annotations of the package, and of a user's script, agree with mypy (Debian: mypy); a wrong script does not."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = """import pearlite
result = pearlite.sample(lambda a, b: -a * a - b * b, particles=1e3)
assert result.log_evidence is not None
value: float = result.log_evidence.value
found = pearlite.minimize(lambda x: (x**2).sum(axis=1), [(-1, 1)])
"""


def errors(*files):
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", "/dev/null",
                           *files], capture_output=True, text=True, check=False, cwd=pathlib.Path(os.environ["PEARLITE_BUILD"]) / "python")
    if "No module named mypy" in done.stderr:
        print("skipped: mypy is not installed (Debian: mypy)")
        sys.exit(77)
    return [line for line in done.stdout.splitlines() if ": error:" in line] + [done.stderr] * bool(done.stderr)


def main():
    with tempfile.TemporaryDirectory() as place:
        script = pathlib.Path(place) / "script.py"
        script.write_text(SCRIPT + "pearlite.sample(particles='many')\n", encoding="utf-8")
        found = errors("pearlite", script)
    # The last line of the script is wrong, and nothing else.
    if len(found) != 1 or f"script.py:{SCRIPT.count(chr(10)) + 1}: error" not in found[0]:
        sys.exit("\n".join(["expected an error in the last line of the script alone, got", *found]))


if __name__ == "__main__":
    main()
