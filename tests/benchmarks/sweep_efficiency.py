"""How well two ranks share a sweep whose runs differ by a factor of 20 in time.

usage: sweep_efficiency.py PEARLITE [--pairs N] [--ranks P]

Runs the sweep on one rank and on P ranks in turns, N pairs, and prints for each pair t_1 / (P t_P), of the whole
command, start of MPI included; then median and spread. Status 1 if the median is below 0.95. The machine must have P
idle cores.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

TARGET = 0.95
SWEEP = """
[model]
name = "test-function"
dimension = 30

[algorithm]
name = "pisaa"
chains = 4
regions = 200
energy_low = 0.0
energy_high = 200.0

[sweep]
replicates = 3
keep = "table"
algorithm.iterations = [1000000, 400000, 200000, 100000, 50000]
"""
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}


def seconds(program, configuration, place, ranks):
    start = time.monotonic()
    subprocess.run(["mpirun", "-n", str(ranks), program, "run", configuration, "-o", place, "--overwrite"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **MPI_ENVIRONMENT})
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description="How well ranks share a sweep.")
    parser.add_argument("pearlite")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    efficiencies = []
    with tempfile.TemporaryDirectory(prefix="pearlite-") as scratch:
        place = pathlib.Path(scratch)
        configuration = place / "sweep.toml"
        configuration.write_text(SWEEP, encoding="utf-8")
        for _ in range(options.pairs):
            alone = seconds(options.pearlite, configuration, place / "run", 1)
            shared = seconds(options.pearlite, configuration, place / "run", options.ranks)
            in_runs = json.loads((place / "run/summary.json").read_text())["timing"]["share_of_time_in_runs"]
            efficiencies.append(alone / (options.ranks * shared))
            print(f"{alone:.2f} s on 1 rank, {shared:.2f} s on {options.ranks}: efficiency {efficiencies[-1]:.3f}; "
                  f"{100 * in_runs:.1f} % of the ranks' time in runs", flush=True)
    median = statistics.median(efficiencies)
    print(f"median {median:.3f}, from {min(efficiencies):.3f} to {max(efficiencies):.3f}; target {TARGET}")
    return 0 if median >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
