#!/usr/bin/env python3
"""Updates a second of trainings of RBMs by pearlite and by NumPy (numpy_trainer.py), in turns, and their ratio.

usage: rbm_training.py [--repeats 3] [--cases PATTERN]       the environment variable PEARLITE names the program,
                                                             PEARLITE_DATA_DIR the directory of the data

One thread each. NumPy is timed with the BLAS that it is linked to; the name of that library is printed, since the
reference BLAS is ten times slower than OpenBLAS. Where the BLAS is OpenBLAS it is tried with its kernels for AVX-512,
too, and the faster of both counts. Last come pearlite's own ratios of two ranks to one.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import pearlite_runner as runner

IMAGES = "mnist/train-images-idx3-ubyte.gz"
# name: hidden units, sweeps, whether chains persist, batch, updates of pearlite, of NumPy
CASES = {
    "cd1-20": (20, 1, False, 100, 6000, 1200),
    "pcd20": (20, 1, True, 100, 6000, 1200),
    "cd25-20": (20, 25, False, 100, 600, 60),
    "cd1-500": (500, 1, False, 100, 600, 150),
    "pcd500": (500, 1, True, 100, 600, 150),
    "cd25-500": (500, 25, False, 100, 60, 20),
}
TWO_RANKS = {"cd1-500": (100, 600), "cd1-500-batch-1000": (1000, 400)}


def pearlite(directory, hidden, sweeps, persistent, batch, updates, ranks=None):
    tables = {
        "model": {"name": "rbm-training", "images": IMAGES, "hidden": hidden},
        "algorithm": {"updates": updates, "batch": batch, "persistent": persistent, "sweeps": sweeps, "momentum": 0.5,
                      "weight_decay": 1e-4, "watched": 16, "watch_every": 1e6, "sample_sweeps": 0},
    }
    where = directory / "run"
    file = runner.write_configuration(directory / "training.toml", **tables)
    ended = runner.pearlite("run", file, "-o", where, "--overwrite", ranks=ranks, timeout=600)
    if ended.status != runner.FINISHED:
        sys.exit(ended.describe())
    return runner.summary(where)["timing"]["updates_per_second"]


def numpy_trainer(images, hidden, sweeps, persistent, batch, updates, core=None):
    command = [sys.executable, HERE / "numpy_trainer.py", images, "--hidden", hidden, "--updates", updates, "--sweeps",
               sweeps, "--batch", batch] + ["--persistent"] * persistent
    environment = {**os.environ, **({"OPENBLAS_CORETYPE": core} if core else {})}
    ended = subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(ended.stdout)["updates_per_second"]


def blas_library():
    """The file that NumPy's products come from."""
    script = "import numpy; numpy.ones((2, 2)) @ numpy.ones((2, 2)); print(open('/proc/self/maps').read())"
    maps = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, check=True, text=True).stdout
    found = {pathlib.Path(path).name for path in re.findall(r"/\S*(?:blas|mkl)\S*\.so\S*", maps)}
    return ", ".join(sorted(found)) or "unknown"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--cases", default="*")
    options = options.parse_args()
    images = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "")) / IMAGES
    if not images.exists():
        sys.exit(f"no {IMAGES} in PEARLITE_DATA_DIR")
    library = blas_library()
    cores = (None, "SkylakeX") if "openblas" in library and "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() else (None,)
    print(f"NumPy's BLAS: {library}")
    print(f"{'case':20s}{'pearlite':>12s}{'NumPy':>12s}{'ratio':>8s}   updates/s, the best of {options.repeats}")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name, (hidden, sweeps, persistent, batch, many, few) in CASES.items():
            if not fnmatch.fnmatch(name, options.cases):
                continue
            ours, theirs = 0, 0
            for _ in range(options.repeats):
                ours = max(ours, pearlite(scratch, hidden, sweeps, persistent, batch, many))
                for core in cores:
                    theirs = max(theirs, numpy_trainer(images, hidden, sweeps, persistent, batch, few, core))
            print(f"{name:20s}{ours:12.1f}{theirs:12.1f}{ours / theirs:8.2f}", flush=True)
        for name, (batch, updates) in TWO_RANKS.items():
            if not fnmatch.fnmatch(name, options.cases):
                continue
            pairs = [[pearlite(scratch, 500, 1, False, batch, updates, ranks) for ranks in (1, 2)]
                     for _ in range(options.repeats)]
            one, two = map(max, zip(*pairs))
            median = statistics.median(of_two / of_one / 2 for of_one, of_two in pairs)
            print(f"{name:20s}{one:12.1f}{two:12.1f}{two / one / 2:8.2f}   on one rank, on two; the efficiency of two, "
                  f"by the median of pairs {median:.2f}", flush=True)


if __name__ == "__main__":
    main()
