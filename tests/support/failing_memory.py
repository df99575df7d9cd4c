"""Tiny jobs for tests of runs in which an allocation fails, and how such a run must end.

PEARLITE_FAILING_ALLOCATOR is the library that makes it fail (tests/faults/failing_allocator.cpp).
"""

import os
import re
import typing

import pearlite_runner as runner

FIXED = {"kind": "linear", "steps": 8}
POPULATION = {"model": {"name": "gaussian", "dimension": 2}, "kernel": {"moves": 1}, "schedule": FIXED}
GAUSSIAN = POPULATION | {"kernel": {"pilot_particles": 40, "moves": 1}}
LEVELS = {table: GAUSSIAN[table] for table in ("model", "kernel")}
ENERGY = {"model": {"name": "test-function", "dimension": 5}}
SEARCH = {"iterations": 200, "chains": 7, "ranks_per_replicate": 2}
# By the name of the algorithm, before a comma.
JOBS = {
    "annealed-importance": GAUSSIAN | {"algorithm": {"trajectories": 117}},
    "importance-squared": GAUSSIAN | {"algorithm": {"draws": 300, "adaptation_rounds": 1, "draws_per_round": 100}},
    "likelihood-constrained": LEVELS | {"algorithm": {"particles": 117}},
    "nonequilibrium": GAUSSIAN | {"algorithm": {"trajectories": 117, "reverse_trajectories": 90, "equilibration": 5}},
    "parallel-tempering": GAUSSIAN | {"algorithm": {"replicas": 12, "scans": 60, "burn_in": 20}},
    "pseudo-marginal": GAUSSIAN | {"algorithm": {"chains": 9, "iterations": 60, "burn_in": 20}},
    "resample-move": {"model": {"name": "orthant", "size": 8},
                      "algorithm": {"particles": 100, "gamma_threshold": 0.95, "most_passes": 2}},
    "smc": POPULATION | {"algorithm": {"particles": 117}},
    "smc, replicates": POPULATION | {"algorithm": {"particles": 40, "replicates": 3}},
    **{name: ENERGY | {"algorithm": SEARCH} for name in ("aesamc", "pisaa", "psaa")},
    **{name: ENERGY | {"algorithm": {"iterations": 200}} for name in ("asamc", "sa", "saa", "vfsa")},
    "contrastive-divergence": {"model": {"name": "rbm-training", "hidden": 5},
                               "algorithm": {"updates": 60, "batch": 40, "persistent": True, "sample_sweeps": 2}},
    "pisaa, replicates": ENERGY | {"algorithm": SEARCH | {"replicates": 3}},
}
WITHOUT_BLOCKS = ("parallel-tempering", "pseudo-marginal")


class Fault(typing.NamedTuple):
    """The allocation that fails: by its number, or the first of a call site of `frames` frames; none by default."""

    rank: int
    place: int = 0
    site: str = ""
    frames: int = 0


def write(directory, name):
    """Writes the configuration of a job, and the images it is trained by."""
    algorithm = name.partition(",")[0]
    tables = {table: dict(keys) for table, keys in JOBS[name].items()}
    tables["algorithm"]["name"] = algorithm
    if "schedule" in tables and algorithm not in WITHOUT_BLOCKS:
        tables["run"] = {"block": 8}
    if algorithm == "contrastive-divergence":
        images = directory / "images.csv"
        images.write_text("0,1,1,0,1\n1,0,0,1,0\n" * 40, encoding="utf-8")
        tables["model"]["images"] = str(images)
    return runner.write_configuration(directory / f"{name.replace(', ', '-')}.toml", **tables)


def _environment(fault, ranks, counted, failed):
    environment = {"LD_PRELOAD": os.environ["PEARLITE_FAILING_ALLOCATOR"], "PEARLITE_FAILING_RANK": str(fault.rank),
                   "PEARLITE_FAILING_ALLOCATION": str(fault.place), "PEARLITE_FAILING_SITE": fault.site or "0",
                   "PEARLITE_CALL_SITES": str(fault.frames)}
    environment |= {"PEARLITE_ALLOCATIONS": str(counted)} if counted else {}
    environment |= {"PEARLITE_FAILED": str(failed)} if failed else {}
    if ranks == 1:
        environment |= {"OMPI_COMM_WORLD_RANK": "0", "OMPI_MCA_ess_singleton_isolated": "1"}
    return environment


def run(file, out, ranks, fault, timeout=runner.PATIENCE, counted=None, failed=None):
    """Runs a configuration with a fault, on one rank without mpirun. `counted` is a file for the number of allocations
    and the call sites, `failed` one for the stack of the allocation when it fails."""
    return runner.pearlite("run", file, "-o", out, ranks=None if ranks == 1 else ranks, timeout=timeout,
                           environment=_environment(fault, ranks, counted, failed))


def command(name, place, counted=None):
    """A command that starts no MPI, with an allocation that fails."""
    return runner.pearlite(name, environment=_environment(Fault(0, place), 1, counted, None))


def complaint(ended):
    """The fault of a run in which an allocation failed; empty if the run failed with one message about memory, or if it
    finished in spite of the failure, which the log for example can ignore."""
    if ended.status == runner.FINISHED:
        return ""
    if ended.status in (runner.BAD_INPUT, runner.STOPPED):
        return f"status {ended.status}"
    if not re.search("memory|bad_alloc", ended.err, re.IGNORECASE):
        return "no message about memory"
    return "several messages" if len(re.findall("^pearlite: ", ended.err, re.MULTILINE)) > 1 else ""
