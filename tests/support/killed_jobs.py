"""Jobs for tests that kill runs: each algorithm at least once, a second or a few alone, many checkpoints.

A job is the tables of a configuration; "images" and "responses" among the values of its model stand for files that
write() makes. Jobs of the short test are longer: they must not end before they are killed.
"""

import math
import random

import pearlite_runner as runner

RUN = {"block": 32, "checkpoint_every": 0.05}
OFTEN, SELDOM = {"checkpoint_every": 0.05}, {"checkpoint_every": 0.2}
GAUSSIAN = {"name": "gaussian", "dimension": 4, "start_sd": 3.0}
FUNCTION = {"name": "test-function", "dimension": 10}
# Ranks share the chains even if that is slower.
SEARCH = {"range_iterations": 4000, "regions": 50, "gain_start": 100, "ranks_per_replicate": 1000}

SHORT = {
    "ising": {"run": RUN, "model": {"name": "ising", "size": 24}, "schedule": {"kind": "linear", "steps": 1200},
              "algorithm": {"name": "smc", "particles": 1000}},
    "gaussian": {"run": RUN, "model": {"name": "gaussian", "dimension": 20},
                 "kernel": {"pilot_particles": 1000, "moves": 8},
                 "schedule": {"kind": "adaptive", "conditional_ess": 0.996},
                 "algorithm": {"name": "annealed-importance", "trajectories": 1000}},
    "kernels": {"run": RUN, "model": {"name": "gaussian", "dimension": 4, "start_sd": 3.0},
                "kernel": {"kind": "mixture", "kinds": ["hmc", "random-walk", "slice", "student-mixture"],
                           "adapt": "online", "moves": 3},
                "schedule": {"kind": "linear", "steps": 150}, "algorithm": {"name": "smc", "particles": 1000}},
    "rbm": {"run": RUN, "model": {"name": "rbm", "random_visible": 300, "random_hidden": 20},
            "schedule": {"kind": "linear", "steps": 300},
            "algorithm": {"name": "smc", "particles": 1000, "replicates": 2}},
    "waste-free": {"run": RUN, "model": {"name": "ising", "size": 24}, "schedule": {"kind": "linear", "steps": 300},
                   "algorithm": {"name": "smc", "particles": 1000, "waste_free": 10}},
    "riemannian": {"run": RUN, "model": {"name": "logistic-regression", "data": "responses"},
                   "schedule": {"kind": "geometric", "steps": 30},
                   "kernel": {"kind": "riemannian-hmc", "moves": 2, "adapt": "online"},
                   "algorithm": {"name": "smc", "particles": 200}},
    # The cost of an estimate depends on theta, so that blocks change hands between steps.
    "estimated": {"run": {"block": 8, "checkpoint_every": 0.05},
                  "model": {"name": "linear-gaussian", "simulated_length": 20, "likelihood_variance": 2.0,
                            "most_particles": 100},
                  "kernel": {"moves": 3}, "algorithm": {"name": "smc", "particles": 128}},
    "pseudo-marginal": {"run": {"checkpoint_every": 0.05},
                        "model": {"name": "linear-gaussian", "simulated_length": 20, "particles": 30},
                        "kernel": {"pilot_particles": 64},
                        "algorithm": {"name": "pseudo-marginal", "chains": 8, "iterations": 12000}},
    "search": {"run": {"checkpoint_every": 0.05}, "model": {"name": "test-function", "dimension": 20},
               "algorithm": {"name": "pisaa", "chains": 40, "iterations": 20000, "range_iterations": 10000,
                             "replicates": 3, "sync_every": 5, "ranks_per_replicate": 1000}},
    # Passes that enlarge the population, each a step.
    "growing": {"run": {"block": 96, "checkpoint_every": 0.05},
                "model": {"name": "orthant", "size": 100, "negative": 50, "correlation": 0.5},
                "algorithm": {"name": "resample-move", "particles": 4000, "gamma_threshold": 0.95, "most_passes": 6,
                              "replicates": 1}},
    "training": {"run": {"checkpoint_every": 0.05},
                 "model": {"name": "rbm-training", "hidden": 60, "images": "images", "held_out": "images"},
                 "algorithm": {"name": "contrastive-divergence", "updates": 12000, "batch": 50, "persistent": True,
                               "momentum": 0.5, "sample_sweeps": 10}},
}


def _smaller(name, **changes):
    """A job of the short test with other keys in some of its tables."""
    return {table: keys | changes.get(table, {}) for table, keys in SHORT[name].items()}


JOBS = {
    **{name: SHORT[name] for name in ("kernels", "rbm", "waste-free", "riemannian")},
    "ising": _smaller("ising", schedule={"steps": 800}),
    "gaussian": _smaller("gaussian", schedule={"conditional_ess": 0.99}),
    "estimated": _smaller("estimated", run={"checkpoint_every": 0.1}, model={"simulated_length": 10},
                          kernel={"moves": 2}, algorithm={"particles": 64}),
    "pseudo-marginal": _smaller("pseudo-marginal", algorithm={"iterations": 3000}),
    "search": _smaller("search", algorithm={"iterations": 8000, "range_iterations": 2000}),
    "growing": _smaller("growing", model={"size": 60, "negative": 30}),
    "training": _smaller("training", algorithm={"updates": 2500}),
    # Work in both directions, with equilibration of the reverse starts, and from starts that are resampled.
    "work": {"run": RUN, "model": {"name": "ising", "size": 24}, "schedule": {"kind": "linear", "steps": 400},
             "algorithm": {"name": "nonequilibrium", "trajectories": 1000, "reverse_trajectories": 700,
                           "equilibration": 100}},
    "resampled work": {"run": RUN | SELDOM, "model": {"name": "rbm", "random_visible": 200, "random_hidden": 20},
                       "schedule": {"kind": "linear", "steps": 300},
                       "algorithm": {"name": "nonequilibrium", "trajectories": 600, "reverse_start": "weighted"}},
    "tempering": {"run": OFTEN, "model": GAUSSIAN, "schedule": {"kind": "linear", "steps": 15},
                  "kernel": {"pilot_particles": 200, "moves": 2},
                  "algorithm": {"name": "parallel-tempering", "replicas": 30, "scans": 1000}},
    "tempering, replicates": {
        "run": SELDOM, "model": {"name": "ising", "size": 16}, "schedule": {"kind": "linear", "steps": 15},
        "algorithm": {"name": "parallel-tempering", "replicas": 64, "scans": 1500, "replicates": 3}},
    "draws": {"run": RUN, "model": {"name": "radiata-pine"}, "kernel": {"pilot_particles": 500, "moves": 3},
              "algorithm": {"name": "importance-squared", "draws": 60000, "adaptation_rounds": 8,
                            "draws_per_round": 5000}},
    # Rounds of replicates until the error is small enough.
    "rounds": {"run": RUN, "model": GAUSSIAN, "kernel": {"moves": 2}, "schedule": {"kind": "linear", "steps": 100},
               "algorithm": {"name": "smc", "particles": 200, "target_error": 0.02, "replicates": 4,
                             "most_replicates": 16}},
    "survey": {"run": RUN | {"checkpoint_every": 0.1},
               "model": {"name": "rbm", "random_visible": 100, "random_hidden": 20},
               "schedule": {"kind": "varopt-m", "steps": 1200, "pilot_steps": 300, "hold_sweeps": 100},
               "algorithm": {"name": "annealed-importance", "trajectories": 1000}},
    "moments": {"run": RUN | {"checkpoint_every": 0.1},
                "model": {"name": "rbm", "random_visible": 60, "random_hidden": 20},
                "path": {"kind": "moments", "knots": 5, "fit_chains": 400, "end_sweeps": 400, "fit_updates": 200},
                "schedule": {"kind": "linear", "steps": 1000},
                "algorithm": {"name": "annealed-importance", "trajectories": 1000}},
    "bridge": {"run": RUN, "model": {"name": "radiata-pine"}, "path": {"kind": "bridge", "fit_particles": 512},
               "kernel": {"pilot_particles": 500, "moves": 3}, "schedule": {"kind": "linear", "steps": 200},
               "algorithm": {"name": "annealed-importance", "trajectories": 500, "replicates": 2}},
    "colours": {"run": {"checkpoint_every": 0.1}, "model": {"name": "potts", "size": 16, "colours": 5},
                "schedule": {"kind": "linear", "steps": 2000},
                "algorithm": {"name": "annealed-importance", "trajectories": 600, "replicates": 3}},
    "volatility": {"run": {"checkpoint_every": 0.1, "block": 32},
                   "model": {"name": "linear-gaussian", "simulated_length": 40},
                   "algorithm": {"name": "resample-move", "particles": 3000, "most_passes": 3, "replicates": 3}},
    "protein": {"run": SELDOM, "model": {"name": "ab-protein"},
                "algorithm": SEARCH | {"name": "pisaa", "chains": 20, "iterations": 80000}},
    **{name: {"run": run, "model": FUNCTION, "algorithm": settings | {"name": name}} for name, run, settings in (
        ("sa", OFTEN, {"iterations": 800000, "replicates": 4}),
        ("vfsa", SELDOM, {"iterations": 300000, "chains": 20, "replicates": 2}),
        ("saa", OFTEN, SEARCH | {"iterations": 600000, "replicates": 3}),
        ("psaa", OFTEN, SEARCH | {"iterations": 150000, "chains": 30, "sync_every": 4}),
        ("asamc", SELDOM, SEARCH | {"iterations": 700000, "replicates": 4}),
        ("aesamc", OFTEN, SEARCH | {"iterations": 200000, "chains": 25, "replicates": 2}))},
}
CHECKPOINT_EVERY = {name: tables["run"]["checkpoint_every"] for name, tables in JOBS.items()}


def _write_images(file):
    numbers = random.Random(3)
    rows = [",".join(str(int((x + shift) % 5 < 2 or numbers.random() < 0.1)) for x in range(200))
            for shift in (numbers.randrange(5) for _ in range(400))]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _write_responses(file):
    numbers = random.Random(4)
    rows = []
    for _ in range(60):
        x = [numbers.gauss(0, 1) for _ in range(2)]
        rows.append(f"{int(numbers.random() < 1 / (1 + math.exp(1 - x[0])))},{x[0]:.4f},{x[1]:.4f}")
    file.write_text("y,x1,x2\n" + "\n".join(rows) + "\n", encoding="utf-8")


def write(directory, name, tables):
    """Writes the configuration of a job, and the data that it asks for."""
    model = dict(tables["model"])
    for key, value in model.items():
        for kind, write_data in (("images", _write_images), ("responses", _write_responses)):
            if value == kind:
                model[key] = str(directory / f"{kind}.csv")
                write_data(directory / f"{kind}.csv")
    tables = {**tables, "model": model}
    return runner.write_configuration(directory / f"{name.replace(', ', '-').replace(' ', '-')}.toml", **tables)
