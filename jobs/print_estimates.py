"""Prints the estimates in a run directory's summary.json beside the exact values, where these are known.

usage: print_estimates.py RUN_DIRECTORY
"""

import json
import pathlib
import sys

QUANTITIES = {"log_ratio": "log Z/Z_0", "log_normaliser": "log Z"}


def estimate_lines(estimate):
    """Text lines for one entry of summary.json's `log_evidence`."""
    if "refused" in estimate:
        return [f"{estimate['estimator']}: refused, {estimate['refused']}"]
    rows = [(f"{QUANTITIES.get(estimate['quantity'], estimate['quantity'])} ({estimate['estimator']})",
             f"{estimate['value']:.4f}")]
    if "standard_error" in estimate:
        rows.append(("standard error", f"{estimate['standard_error']:.4f}"))
    if "exact" in estimate:
        rows.append(("exact value", f"{estimate['exact']:.4f}"))
    if "z_score" in estimate:
        rows.append(("z-score", f"{estimate['z_score']:+.2f}"))
    return [f"{name:<32}{value:>12}" for name, value in rows]


def main():
    directory = pathlib.Path(sys.argv[1])
    summary = json.loads((directory / "summary.json").read_text())
    seconds = summary.get("timing", {}).get("wall_seconds")
    took = f", {seconds:.1f} s" if seconds is not None else ""
    print(f"\n{summary['model']}, {summary['algorithm']}, {summary['ranks']} ranks{took}: {summary['status']}")
    shown = set()
    for estimate in summary.get("log_evidence", []):
        # The first entry for a number carries its main error bar; others say how another method sees it.
        key = (estimate["estimator"], estimate.get("quantity"))
        if key not in shown:
            print("\n".join("  " + line for line in estimate_lines(estimate)))
        shown.add(key)
    word = summary.get("headline", {}).get("support", {}).get("word")
    if word:
        print(f"  {word}: {summary['verdict']}")
    for warning in summary.get("diagnostics", {}).get("warnings", []):
        print(f"  warning: {warning}")
    for page in sorted(directory.glob("*.html")):
        print(f"  report: {page}")


if __name__ == "__main__":
    main()
