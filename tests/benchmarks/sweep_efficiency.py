"""How well two ranks share a sweep whose runs differ by a factor of 20 in time.

usage: sweep_efficiency.py PEARLITE [--pairs N] [--ranks P]

Runs three cases in turns, N times: the sweep on one rank; P such sweeps at the same time, which shows how busy cores
slow each other down; the sweep on P ranks. Prints the efficiency t_1 / (P t_P) of the whole command, start of MPI
included, and the same with the mean time of the P sweeps in place of t_1, which leaves only the loss by sharing. Then
median and spread. Status 1 if the median of the latter is below 0.95. The machine must have P idle cores.
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
replicates = 16
keep = "table"
algorithm.iterations = [1000000, 400000, 200000, 100000, 50000]
"""
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
}


def seconds(program, configuration, place, ranks, copies=1):
    """Mean time of `copies` sweeps that run at the same time."""
    start = time.monotonic()
    sweeps = [subprocess.Popen(["mpirun", "-n", str(ranks), program, "run", configuration, "-o", f"{place}-{copy}",
                                "--overwrite"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, **MPI_ENVIRONMENT}) for copy in range(copies)]
    taken = []
    for sweep in sweeps:
        if sweep.wait() != 0:
            raise RuntimeError(f"{place}: the sweep failed")
        taken.append(time.monotonic() - start)
    return statistics.fmean(taken)


def main():
    parser = argparse.ArgumentParser(description="How well ranks share a sweep.")
    parser.add_argument("pearlite")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    efficiencies, of_sharing = [], []
    with tempfile.TemporaryDirectory(prefix="pearlite-") as scratch:
        place = pathlib.Path(scratch)
        configuration = place / "sweep.toml"
        configuration.write_text(SWEEP, encoding="utf-8")
        for _ in range(options.pairs):
            alone = seconds(options.pearlite, configuration, place / "run", 1)
            beside = seconds(options.pearlite, configuration, place / "run", 1, copies=options.ranks)
            shared = seconds(options.pearlite, configuration, place / "run", options.ranks)
            in_runs = json.loads((place / "run-0/summary.json").read_text())["timing"]["share_of_time_in_runs"]
            efficiencies.append(alone / (options.ranks * shared))
            of_sharing.append(beside / (options.ranks * shared))
            print(f"{alone:.2f} s on 1 rank, {beside:.2f} s with {options.ranks} beside each other, {shared:.2f} s on "
                  f"{options.ranks} ranks: efficiency {efficiencies[-1]:.3f}, of sharing {of_sharing[-1]:.3f}; "
                  f"{100 * in_runs:.1f} % of the ranks' time in runs", flush=True)
    for name, values in (("efficiency", efficiencies), ("of sharing alone", of_sharing)):
        print(f"{name}: median {statistics.median(values):.3f}, from {min(values):.3f} to {max(values):.3f}")
    return 0 if statistics.median(of_sharing) >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
