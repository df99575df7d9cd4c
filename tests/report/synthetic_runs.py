"""Synthetic run directories with plausible numbers, one function per kind of run."""

import hashlib
import json

import h5py
import numpy

PIECE_BYTES = 4 << 20


def write_run(directory, summary, datasets):
    """A run directory with these contents; entries of `datasets` that are None are not written."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    path = directory / "results.h5"
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in datasets.items():
            if isinstance(value, list):
                file.create_dataset(name, data=value, dtype=h5py.string_dtype())
            elif value is not None:
                file.create_dataset(name, data=value)
    stamp(path)
    return directory


def stamp(path, kind="results", schema=1):
    """Writes the stamp that the program writes: lines, length, and a checksum over lines and pieces."""
    data = path.read_bytes()
    lines = f"pearlite container\nschema {schema}\nkind {kind}\nbytes {len(data)}\n"
    whole = hashlib.sha256(lines.encode())
    for begin in range(512, len(data), PIECE_BYTES):
        whole.update(hashlib.sha256(data[begin : begin + PIECE_BYTES]).digest())
    text = f"{lines}sha256 {whole.hexdigest()}\ncomplete\n".encode()
    path.write_bytes(text + b"\n" * (512 - len(text)) + data[512:])


def ising(directory, n_steps=2000, status="finished"):
    """Annealed importance sampling of a small Ising model with an exact answer, two estimators and a refused one."""
    rng = numpy.random.default_rng(1)
    beta = numpy.linspace(0, 1, n_steps + 1) ** 1.5
    heat = 400 / (1 + ((beta - 0.45) / 0.08) ** 2) + 20
    log_ratio = 180 * beta**2 + 0.02 * numpy.cumsum(rng.normal(size=n_steps + 1)) / numpy.sqrt(n_steps)
    log_weight = 180.4 + 0.6 * rng.normal(size=4096)
    summary = {
        **common("annealed-importance", "ising", status),
        "headline": {"label": "log Z/Z_0 of the whole", "value": 180.41234},
        "log_evidence": [
            {
                "estimator": "product",
                "quantity": "log_ratio",
                "value": 180.41234,
                "standard_error": 0.0123,
                "interval95": [180.38823, 180.43645],
                "exact": 180.4,
                "z_score": 1.003,
            },
            {
                "estimator": "power-posterior",
                "quantity": "log_ratio",
                "value": 180.37,
                "standard_error": 0.031,
                "interval95": [180.309, 180.431],
                "exact": 180.4,
                "z_score": -0.97,
            },
            {"estimator": "cumulant-both", "refused": "the work values are not Gaussian (skewness 1.9 > 0.5)"},
        ],
        "verdict": "The diagnostics support the estimate.",
        "diagnostics": {"ess": 2858.3, "warnings": []},
    }
    return write_run(
        directory,
        summary,
        {
            "configuration": CONFIGURATION,
            "build/version": b"0.1.0",
            "build/compiler": "g++ 12.2.0",
            "build/libraries": ["Eigen 3.4.0", "HDF5 1.10.8"],
            "per_step/step": numpy.arange(n_steps + 1),
            "per_step/inverse_temperature": beta,
            "per_step/ess": 4096 / (1 + 0.43 * beta),
            "per_step/log_ratio": log_ratio,
            "per_step/variance_u": heat,
            "per_step/mean_u": 360 * beta,
            "log_weight": log_weight,
        },
    )


def rbm(directory):
    """Annealing of a restricted Boltzmann machine: images, a collapsed ESS, weights of -inf, NaN on the path, warnings."""
    rng = numpy.random.default_rng(2)
    n_steps, n_particles, side = 500, 256, 28
    beta = numpy.linspace(0, 1, n_steps + 1)
    variance = 3000 * numpy.exp(-8 * beta) + 4
    variance[[17, 40]] = [numpy.nan, numpy.inf]
    log_weight = 451 + 4 * rng.normal(size=n_particles)
    log_weight[:3] = [-numpy.inf, -numpy.inf, numpy.nan]
    y, x = numpy.mgrid[0:side, 0:side]
    radius = rng.uniform(5, 10, size=(n_particles, 1, 1))
    ring = numpy.exp(-(((numpy.hypot(y - 13.5, x - 13.5) - radius) / 1.6) ** 2)) * rng.uniform(
        0.7, 1, (n_particles, 1, 1)
    )
    summary = {
        **common("annealed-importance", "rbm"),
        "log_evidence": [
            {
                "estimator": "product",
                "quantity": "log_normaliser",
                "value": -4.51e2,
                "standard_error": 0.41,
                "interval95": [-451.8, -450.2],
                "exact": -448.1,
                "z_score": -7.1,
            }
        ],
        "verdict": "The diagnostics do not support the estimate.",
        "schedule": {
            "steps": len(beta) - 1,
            "predicted_from": "survey",
            "predicted_variance": {"perfect_mixing": 0.04, "measured_mixing": 0.51, "finite_steps": 0.48},
            "tau_is_lower_bound": True,
            "log_weight_variance": 0.79,
            "twice_excess_work": 0.772,
        },
        "diagnostics": {
            "ess": 3.1,
            "largest_weight": 0.44,
            "warnings": ["The effective sample size is 3.1 of 256: <use more steps>.", "Second warning."],
        },
    }
    return write_run(
        directory,
        summary,
        {
            "configuration": numpy.bytes_(CONFIGURATION),
            "per_step/inverse_temperature": beta,
            "per_step/ess": 256 * numpy.exp(-4.4 * beta[1:]),
            "per_step/log_ratio": 451 * beta[1:],
            "per_step/variance_u": variance,
            "survey/path/inverse_temperature": numpy.linspace(0, 1, 101),
            "survey/path/variance_u": numpy.linspace(300, 90, 101),
            "survey/knots/inverse_temperature": numpy.array([0.25, 0.5, 1.0]),
            "survey/knots/tau": numpy.array([1.5, 20.0, 300.0]),
            "survey/knots/tau_is_lower_bound": numpy.array([0, 0, 1]),
            "log_weight": log_weight,
            "images/pixels": ring.reshape(n_particles, -1),
            "images/rows": numpy.array([side]),
            "images/columns": numpy.int64(side),
        },
    )


def chains(directory, n_chains=5, n_draws=900):
    """Markov chains with a posterior, no evidence and no weights; one of them sticks."""
    rng = numpy.random.default_rng(9)
    values = rng.normal(size=(n_chains, n_draws, 2))
    values[2, 100:400] = values[2, 100]
    entry = {"mean": 0.012, "sd": 1.0, "mcse": 0.02, "ess": 2500.0, "quantiles": {"0.5": 0.0}}
    summary = {
        **common("pseudo-marginal", "stochastic-volatility"),
        "posterior": [
            {"name": "mu", **entry, "r_hat": 1.0123, "bulk_ess": 2400.0, "tail_ess": 2300.0},
            {"name": "phi", **entry, "r_hat": "nan", "bulk_ess": 2500.0, "tail_ess": 1900.0},
        ],
        "chains": [{"acceptance": 0.21 + 0.01 * c, "longest_stay": 20 + 280 * (c == 2)} for c in range(n_chains)],
        "diagnostics": {"ess": 2500.0, "largest_r_hat": "nan", "warnings": ["chain 2 stood still for 300 of 900"]},
    }
    return write_run(
        directory,
        summary,
        {
            "configuration": CONFIGURATION,
            "samples/names": ["mu", "phi"],
            "samples/values": values.reshape(-1, 2),
            "samples/log_weight": numpy.zeros(n_chains * n_draws),
            "samples/chain": numpy.repeat(numpy.arange(n_chains), n_draws),
        },
    )


def importance(directory):
    """Importance sampling in rounds."""
    rng = numpy.random.default_rng(10)
    log_weight = rng.normal(size=5000)
    summary = {
        **common("importance-squared", "mixed-logistic"),
        "log_evidence": [{"estimator": "importance-squared", "quantity": "log_ratio", "value": 0.5, "standard_error": 0.02}],
        "diagnostics": {"ess": 1840.0, "likelihood_estimates": 8000, "warnings": []},
    }
    return write_run(
        directory,
        summary,
        {
            "configuration": CONFIGURATION,
            "importance/draws": numpy.array([1000.0, 1000, 1000, 5000]),
            "importance/ess": numpy.array([100.0, 250, 360, 1840]),
            "importance/log_ratio": numpy.array([0.2, 0.4, 0.5, 0.5]),
            "log_weight": log_weight,
        },
    )


def regression(directory, n_parameters=5):
    """SMC with chosen temperatures, resampling, acceptance, batches and a weighted posterior."""
    rng = numpy.random.default_rng(3)
    n_steps, n_particles, n_batches = 24, 2000, 8
    names = [f"beta[{i}]" for i in range(n_parameters)]
    beta = numpy.concatenate([[0], numpy.geomspace(1e-4, 1, n_steps)])
    values = rng.normal(size=(n_particles, n_parameters)) * (1 + numpy.arange(n_parameters)) + 3 * numpy.arange(
        n_parameters
    )
    batches = -312.5 + 0.3 * rng.normal(size=n_batches)
    batches[2] = -numpy.inf
    summary = {
        **common("smc", "mixed-logistic"),
        "log_evidence": [
            {
                "estimator": "product",
                "quantity": "log_ratio",
                "value": -312.48,
                "standard_error": 0.11,
                "interval95": [-312.70, -312.26],
            }
        ],
        "posterior": [
            {
                "name": name,
                "mean": 3.0 * i,
                "sd": 1.0 + i,
                "mcse": 0.023 * (1 + i),
                "ess": 1890.2,
                "quantiles": {"0.025": 3.0 * i - 2 * (1 + i), "0.5": 3.0 * i, "0.975": 3.0 * i + 2 * (1 + i)},
            }
            for i, name in enumerate(names)
        ],
        "diagnostics": {"ess": 1312.0, "warnings": []},
    }
    return write_run(
        directory,
        summary,
        {
            "configuration": CONFIGURATION,
            "per_step/step": numpy.arange(1, n_steps + 1),
            "per_step/inverse_temperature": beta,
            "per_step/ess": rng.uniform(900, 1100, n_steps),
            "per_step/log_ratio": -312.5 * numpy.sqrt(beta[1:]),
            "per_step/variance_u": 1e6 * numpy.exp(-9 * beta[1:]),
            "per_step/acceptance": numpy.concatenate([[0], numpy.tile([0.2, 0.3], n_steps // 2)]),
            "per_step/moves": numpy.concatenate([[0], numpy.tile([3, 7], n_steps // 2)])[:n_steps],
            "per_step/mobility": numpy.concatenate([[numpy.nan], numpy.full(n_steps - 1, 0.7)]),
            "per_step/mobility_energy": numpy.concatenate([[numpy.nan], numpy.full(n_steps - 1, 0.6)]),
            "per_step/mobility_worst": numpy.concatenate([[numpy.nan], numpy.full(n_steps - 1, 0.4)]),
            "per_step/resampled": numpy.arange(n_steps) % 2,
            "per_step/eves": (2000 * numpy.exp(-0.2 * numpy.arange(n_steps))).astype(numpy.int64),
            "log_weight": 0.8 * rng.normal(size=n_particles),
            "samples/names": names,
            "samples/values": values,
            "batches/log_ratio": batches,
        },
    )


def weighted(directory, n_draws=3000, tilt=2.0):
    """Draws of three replicates whose weights, exp(tilt x), are far from equal; returns them and their log weights."""
    rng = numpy.random.default_rng(11)
    x = rng.normal(size=(n_draws, 3)) @ numpy.array([[1, 0.3, 0.2], [0, 0.7, 0.1], [0, 0, 0.4]])
    log_weight = tilt * x[:, 0]
    names = ["alpha", "beta", "gamma"]
    summary = {**common("smc", "mixed-logistic"), "posterior": [{"name": name} for name in names]}
    datasets = {
        "configuration": CONFIGURATION,
        "samples/names": names,
        "samples/values": x,
        "samples/log_weight": log_weight,
        "batches/log_ratio": numpy.array([-3.0, -3.1, -2.9]),
    }
    for k, part in enumerate(numpy.array_split(log_weight, 3)):
        datasets[f"batch-{k}/log_weight"] = part
    write_run(directory, summary, datasets)
    return x, log_weight


def volatility(directory, n=300, binary=False):
    """A posterior that predicts: a series with its filtered scale and forecast, or yes and no."""
    rng = numpy.random.default_rng(5)
    levels = numpy.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])
    normal = numpy.array([-1.96, -1.645, -0.674, 0, 0.674, 1.645, 1.96])
    scale = 0.7 * numpy.exp(0.6 * numpy.sin(numpy.arange(n) / 40))
    datasets = {"configuration": CONFIGURATION, "predictions/levels": levels}

    def add(path, mean, quantiles, dimension, observed=None, ranks=None, replicates=None):
        datasets.update({
            f"predictions/{path}/mean": mean, f"predictions/{path}/quantiles": quantiles,
            f"predictions/{path}/dimension": dimension, f"predictions/{path}/description": "invented",
            f"predictions/{path}/observed": observed, f"predictions/{path}/ranks": ranks,
            f"predictions/{path}/replicates": replicates})

    if binary:
        probability = rng.uniform(0.05, 0.6, n)
        replicates = (rng.uniform(size=(100, n)) < probability).astype(float)
        observed = (rng.uniform(size=n) < probability).astype(float)
        add("within/y", probability, numpy.zeros((7, n)), "row", observed, numpy.full(n, 0.5), replicates)
    else:
        z = rng.normal(size=n)
        ranks = numpy.searchsorted(numpy.sort(rng.normal(size=4000)), z) / 4000
        add("within/y", numpy.zeros(n), numpy.outer(normal, scale), "time", z * scale, ranks)
        add("within/volatility", scale, scale * numpy.exp(0.2 * normal)[:, None], "time")
        later = numpy.full(20, scale[-1])
        add("beyond/y", numpy.zeros(20), numpy.outer(normal, later), "time")
        add("beyond/volatility", later, later * numpy.exp(0.4 * normal)[:, None], "time")
    return write_run(directory, common("smc", "stochastic-volatility"), datasets)


def optimisation(directory):
    """Simulated annealing: no path, no weights, a best state and replicates."""
    summary = {
        **common("pisaa", "ab-protein"),
        "best": {"energy": -3.2941, "state": [0.25 * i for i in range(30)]},
        "replicates": [{"seed": i, "best": -3.29 + 0.01 * (i * 7 % 10)} for i in range(20)],
    }
    return write_run(directory, summary, {"configuration": CONFIGURATION})


def search(directory, model="", algorithm="pisaa", chains=10, n_replicates=8, first_seed=1, limit=None, **datasets):
    """A search of which replicate 2 is the best at -3.2; other datasets replace or add to those written, None omits one."""
    rng = numpy.random.default_rng(first_seed)
    iteration = numpy.unique(numpy.geomspace(1, 20000, 40).astype(int))
    last = -3.0 - 0.5 / chains + 0.1 * rng.normal(size=n_replicates)
    last[min(2, n_replicates - 1)] = -3.2
    last = numpy.maximum(last, -3.2)
    best = last[:, None] + 40.0 / iteration ** rng.uniform(0.9, 1.1, size=(n_replicates, 1))
    points = numpy.tile(numpy.linspace(-3, 6, 20), (n_replicates, 1))
    theta = -0.2 * numpy.arange(21) + 0.05 * rng.normal(size=(n_replicates, 21))
    theta[:, 18:] = -numpy.inf
    visits = numpy.where(numpy.isfinite(theta), 1000, 0)
    rows = [
        {"seed": first_seed + 2**63 + i, "best": value, "best_evaluations": 9 * chains * 10000, "evaluations": chains * 20000}
        for i, value in enumerate(best[:, -1])
    ]
    at = int(numpy.argmin(best[:, -1]))
    summary = {
        **common(algorithm, "ab-protein"),
        "best": {"energy": best[at, -1], "replicate": at, "iteration": 15000, "evaluations": 90000 * chains,
                 "known_minimum": -3.2941, "state": [0.25 * i for i in range(30)]},
        "replicates": rows,
        "diagnostics": {"mean_best": 1.25, "sd_best": 7.5},
    }
    if limit is not None:
        summary["diagnostics"]["success_rate"] = float(numpy.mean(best[:, -1] < limit))
    below = "" if limit is None else f"success_below = {limit}\n"
    configuration = (
        f'[model]\nname = "ab-protein"\n{model}\n[algorithm]\nname = "{algorithm}"\nchains = {chains}\n'
        f"iterations = 20000\nreplicates = {n_replicates}\n{below}[kernel]\npilot_iterations = 100\n"
    )
    written = {
        "configuration": configuration,
        "search/iteration": iteration,
        "search/evaluations": numpy.tile(iteration * chains, (n_replicates, 1)) + numpy.arange(n_replicates)[:, None],
        "search/best": best,
        "regions/points": points,
        "regions/theta": theta,
        "regions/visits": visits,
        "regions/desired": numpy.full(21, 1 / 21),
        "operations/names": ["metropolis", "snooker", "linear"],
        "operations/acceptance": numpy.tile([0.25, 0.1, numpy.nan], (n_replicates, 1)),
        "operations/scales": numpy.tile([0.5, numpy.nan, numpy.nan], (n_replicates, 1)),
        "best/state": numpy.arange(30.0),
    }
    return write_run(directory, summary, {**written, **datasets})


def nonequilibrium(directory, gap=0.0, n_infinite=0, known=False):
    """Forward and reverse work of spread 2 that cross at -log Z = 10, or lie `gap` apart; some forward works infinite.
    `known`: with what the model knows of the way."""
    rng = numpy.random.default_rng(2)
    forward, reverse = 12 + gap / 2 + 2 * rng.normal(size=900), 8 - gap / 2 + 2 * rng.normal(size=700)
    forward[:n_infinite] = numpy.inf
    beta = numpy.linspace(0, 1, 201)
    mean_u = 50 * numpy.tanh(8 * (beta - 0.4))
    lag = 20 * numpy.exp(-(((beta - 0.45) / 0.05) ** 2))
    entries = []
    for name in ("bar", "histogram", "jarzynski-forward", "jarzynski-reverse", "cumulant-forward", "cumulant-reverse", "cumulant-both"):
        entry = {"estimator": name, "quantity": "log_ratio", "value": -10.02, "exact": -10.0}
        if gap:
            entry["note"] = "no error bar: forward and reverse works do not overlap"
        else:
            entry |= {"standard_error": 0.1, "interval95": [-10.22, -9.82], "z_score": -0.2, "error_method": "analytic"}
        entries.append(entry)
    words = "too fast: forward and reverse works do not overlap" if gap else "agree: forward and reverse works overlap well"
    summary = {
        **common("nonequilibrium", "ising"),
        "verdict": words,
        "log_evidence": entries,
        "diagnostics": {
            "ess": 90.0,
            "lower_bound": -12.0 - gap / 2,
            "upper_bound": -8.0 + gap / 2,
            "crooks_slope": 1.01,
            "crooks_slope_standard_error": 0.04,
            "warnings": [],
        },
    }
    curve = {"inverse_temperature": beta, "sd_u": numpy.full(201, 5.0), "mean_work": -10 * beta, "sd_work": 2 * beta}
    datasets = {"configuration": CONFIGURATION, "work/forward": forward, "work/reverse": reverse}
    datasets["work/log_ratio_posterior"] = numpy.zeros(0) if gap else -10 + 0.1 * rng.normal(size=2000)
    for name, value in {**curve, "mean_u": mean_u - lag}.items():
        datasets[f"hysteresis/forward/{name}"] = value
    for name, value in {**curve, "mean_u": mean_u + lag}.items():
        datasets[f"hysteresis/reverse/{name}"] = value[::-1]
    if known:
        datasets |= {"hysteresis/equilibrium/inverse_temperature": beta[::2], "hysteresis/equilibrium/mean_u": mean_u[::2]}
        for part, shift in (("forward", 1), ("reverse", -1), ("equilibrium", 0)):
            x = 20 * (1 - beta) + shift
            x = x[::2] if part == "equilibrium" else x[:: -1 if part == "reverse" else 1]
            datasets |= {f"hysteresis/{part}/mean_x1": x, f"hysteresis/{part}/sd_x1": 0.1 * numpy.abs(x) + 1}
    datasets["hysteresis/equilibration/mean_u"] = 50 + numpy.exp(-numpy.arange(30) / 5.0)
    datasets["hysteresis/equilibration/sd_u"] = numpy.full(30, 5.0)
    return write_run(directory, summary, datasets)


def tempering(directory):
    """Parallel tempering of eleven temperatures."""
    beta = numpy.linspace(0, 1, 11)
    entry = {"estimator": "stepping-stone", "quantity": "log_ratio", "value": 3.1, "standard_error": 0.02,
             "interval95": [3.06, 3.14], "error_method": "jackknife"}
    summary = {**common("parallel-tempering", "gaussian"), "log_evidence": [entry],
               "diagnostics": {"communication_barrier": 2.0, "warnings": []}}
    return write_run(directory, summary, {
        "configuration": CONFIGURATION,
        "tempering/inverse_temperature": beta,
        "tempering/swap_acceptance": numpy.full(10, 0.8),
        "tempering/mean_u": 6 * beta,
        "tempering/variance_u": numpy.full(11, 6.0),
        "tempering/mean_u_standard_error": numpy.full(11, 0.05),
        "per_step/inverse_temperature": beta,
        "per_step/ess": numpy.full(11, 1000.0),
        "log_weight": numpy.append(numpy.full(90, -numpy.inf), numpy.zeros(10)),
    })


def training(directory):
    """A training of an RBM of images of 6 x 5 pixels, with held-out images."""
    rng = numpy.random.default_rng(5)
    epoch = numpy.arange(13.0)
    summary = {
        **common("contrastive-divergence", "rbm-training"),
        "verdict": "trained",
        "training": {
            "updates": 1200,
            "epochs": 12.0,
            "weights": "weights.h5",
            "training": {"examples": 500, "free_energy": -61.25, "wrong_units": 3.5},
            "held_out": {"examples": 400, "free_energy": -59.75, "wrong_units": 3.75},
            "free_energy_gap": 1.5,
        },
    }
    datasets = {
        "configuration": CONFIGURATION,
        "training/update": 100 * epoch,
        "training/epoch": epoch,
        "training/free_energy": -61.25 + 30 * numpy.exp(-epoch),
        "training/held_out_free_energy": -59.75 + 30 * numpy.exp(-epoch),
        "training/wrong_units": 3.5 + 6 * numpy.exp(-epoch),
        "training/held_out_wrong_units": 3.75 + 6 * numpy.exp(-epoch),
    }
    for group, n in (("filters", 12), ("images", 100)):
        datasets |= {f"{group}/pixels": rng.random((n, 30)), f"{group}/rows": 6, f"{group}/columns": 5}
    return write_run(directory, summary, datasets)


def growing(directory):
    """An adaptive resample-move of 30 variables, 4 replicates, enlarged at every fifth step."""
    rng = numpy.random.default_rng(6)
    steps, replicates = 29, 4
    first = 0.55 + 0.4 * rng.random((steps, replicates))
    enlarged = (numpy.arange(steps) % 5 == 0)[:, None] & numpy.ones((1, replicates), bool)
    passes = enlarged.astype(float)
    ratios = -0.4 + 0.05 * rng.normal(size=(steps, replicates))
    estimate = {"estimator": "resample-move", "value": -12.3, "standard_error": 0.04, "interval95": [-12.43, -12.17]}
    summary = {
        **common("resample-move", "orthant"),
        "verdict": "supported",
        "log_ratio": [estimate],
        "growth": {
            "steps": steps,
            "base_particles": 1000,
            "moved_per_step": 1.45,
            "enlarged_steps": 6,
            "steps_below_threshold": 0,
            "least_gamma": 0.71,
            "variance_of_independent_particles": 0.0042,
            "least_variance": 0.0031,
        },
    }
    datasets = {
        "configuration": '[algorithm]\nname = "resample-move"\nenlarge = "move"\ngamma_threshold = 0.7\n',
        "growth/particles": 1000.0 * (1 + passes),
        "growth/moved": 1000.0 * (1 + 2 * passes),
        "growth/first_gamma": first,
        "growth/gamma": numpy.where(enlarged, 0.75, first),
        "growth/passes": passes,
        "growth/log_ratio": ratios,
        "growth/optimal_particles": 1000.0 + 200 * rng.random((steps, replicates)),
        "batches/log_ratio": ratios.sum(axis=0) - 0.7,
        "per_step/inverse_temperature": numpy.array([1.0]),
        "per_step/ess": numpy.array([900.0]),
        "per_step/log_ratio": numpy.array([-12.3]),
    }
    return write_run(directory, summary, datasets)


def common(algorithm, model, status="finished"):
    return {
        "schema": 1,
        "algorithm": algorithm,
        "model": model,
        "seed": 42,
        "ranks": 4,
        "block": 64,
        "build": "release 1a2b3c",
        "status": status,
        "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "timing": {"wall_seconds": 4321.7, "updates_per_second": 2.345e9, "unit": "spin updates"},
    }


CONFIGURATION = """[run]
seed = 42
block = 64

[model]
name = "ising"   # a & b < c
size = 16
"""
