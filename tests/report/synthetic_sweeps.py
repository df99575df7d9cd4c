"""Synthetic directories of sweeps with plausible numbers, one function per kind of sweep."""

import itertools
import json

import h5py
import numpy
import synthetic_runs

SEED = 2**63 + 11  # seeds do not fit into signed integers


def crossed(**axes):
    """All combinations of values; names of axes have two underscores for a point."""
    names = [name.replace("__", ".") for name in axes]
    return [dict(zip(names, values)) for values in itertools.product(*axes.values())]


def write_sweep(directory, settings, scalars_of, replicates=4, chosen=(), failed=(), arrays=None, **summary):
    """A finished sweep: `scalars_of(setting, rng)` makes the scalars of one run; runs in `failed` have none. `arrays`
    replaces arrays of sweep.h5 (None omits one), other keywords replace entries of summary.json."""
    rng = numpy.random.default_rng(3)
    n_runs = len(settings) * replicates
    rows = [scalars_of(settings[run // replicates], rng) if run not in failed else {} for run in range(n_runs)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    values = numpy.array([[row.get(name, numpy.nan) for name in columns] for row in rows]).reshape(n_runs, len(columns))
    setting, replicate = zip(*(divmod(run, replicates) for run in range(n_runs)))
    axes = list(settings[0])
    datasets = {
        "configuration": '[run]\nseed = 1\n[sweep]\n# a & b < c\n',
        "build/version": "0.1.0",
        "runs/setting": numpy.array(setting),
        "runs/replicate": numpy.array(replicate),
        "runs/seed": numpy.array([SEED + number for number in replicate], dtype=numpy.uint64),
        "runs/finished": numpy.array([run not in failed for run in range(n_runs)], dtype=numpy.int64),
        "runs/columns": columns,
        "runs/values": values,
        **statistics(values, columns, len(settings), replicates),
        **paired(values, settings, axes, replicates),
        **(arrays or {}),
    }
    failures = [
        {"run": run, "setting": setting[run], "replicate": replicate[run], "seed": 17, "error": "energy <was> NaN"}
        for run in failed
    ]
    written = {
        "schema": 1, "kind": "sweep", "status": "finished", "runs": n_runs, "finished": n_runs - len(failed),
        "failed": len(failed), "model": "toy", "algorithm": "smc", "replicates": replicates, "seeds": "common",
        "axes": axes, "settings": settings, "scalars": list(chosen), "failures": failures, "warnings": [],
        "build": "release 1a2b3c", "digest": "9f86d081884c7d65", "timing": {"wall_seconds": 61.0}, **summary,
    }
    return write(directory, written, datasets)


def write(directory, summary, datasets):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    with h5py.File(directory / "sweep.h5", "w", userblock_size=512) as file:
        for name, value in datasets.items():
            if isinstance(value, list):
                file.create_dataset(name, data=value, dtype=h5py.string_dtype())
            elif value is not None:
                file.create_dataset(name, data=value)
    synthetic_runs.stamp(directory / "sweep.h5")
    return directory


def statistics(values, columns, n_settings, replicates):
    """settings/*, over the finite values of each setting."""
    shape = (n_settings, len(columns))
    names = ("mean", "sd", "standard_error", "coverage", "coverage_standard_error")
    found = {name: numpy.full(shape, numpy.nan) for name in names}
    found |= {"count": numpy.zeros(shape), "quantiles": numpy.full((*shape, 5), numpy.nan)}
    by_setting = values.reshape(n_settings, replicates, len(columns))
    for s, c in itertools.product(range(n_settings), range(len(columns))):
        mine = by_setting[s, :, c]
        mine = mine[numpy.isfinite(mine)]
        found["count"][s, c] = len(mine)
        if len(mine):
            found["mean"][s, c] = mine.mean()
            found["quantiles"][s, c] = numpy.quantile(mine, [0.05, 0.25, 0.5, 0.75, 0.95])
        if len(mine) > 1:
            found["sd"][s, c] = mine.std(ddof=1)
            found["standard_error"][s, c] = mine.std(ddof=1) / numpy.sqrt(len(mine))
        stem = columns[c].removesuffix("value")
        needed = [stem + name for name in ("interval95.low", "interval95.high", "exact")]
        if columns[c].endswith(".value") and all(name in columns for name in needed):
            low, high, exact = (by_setting[s, :, columns.index(name)] for name in needed)
            known = numpy.isfinite(low + high + exact)
            if known.any():
                share = numpy.mean((low <= exact)[known] & (exact <= high)[known])
                found["coverage"][s, c] = share
                found["coverage_standard_error"][s, c] = numpy.sqrt(share * (1 - share) / known.sum())
    return {f"settings/{name}": value for name, value in found.items()}


def paired(values, settings, axes, replicates):
    """pairs/*: each setting less the one with the first value of an axis and otherwise the same values."""
    by_setting = values.reshape(len(settings), replicates, -1)
    rows = []
    for a, axis in enumerate(axes):
        first = settings[0][axis]
        for s, setting in enumerate(settings):
            reference = settings.index({**setting, axis: first})
            for c in range(by_setting.shape[2] if reference != s else 0):
                difference = by_setting[s, :, c] - by_setting[reference, :, c]
                difference = difference[numpy.isfinite(difference)]
                if len(difference) > 1:
                    sd = difference.std(ddof=1)
                    error = sd / numpy.sqrt(len(difference))
                    t = difference.mean() / error if error > 0 else numpy.nan
                    rows.append((a, s, reference, c, len(difference), difference.mean(), sd, error, t))
    table = numpy.array(rows, dtype=float).reshape(-1, 9).T
    names = ("axis", "setting", "reference", "column", "count", "mean_difference", "sd", "standard_error", "t")
    whole = ("axis", "setting", "reference", "column")
    return {f"pairs/{name}": row.astype(numpy.int64 if name in whole else float) for name, row in zip(names, table)}


# ---- kinds ----------------------------------------------------------------------------------------------------------


def evidence(directory, particles=(100, 1000, 10000), axes=None, replicates=8, exact=-2.3, **more):
    """SMC whose estimates narrow with the number of particles; intervals are a little too narrow."""

    def scalars(setting, rng):
        error = 3 / numpy.sqrt(setting["algorithm.particles"])
        value = exact + error * rng.normal()
        stem = "log_evidence.product.log_ratio."
        return {
            stem + "value": value, stem + "standard_error": error, stem + "interval95.low": value - 1.5 * error,
            stem + "interval95.high": value + 1.5 * error, stem + "exact": exact,
            "diagnostics.ess": 0.6 * setting["algorithm.particles"] * rng.uniform(0.9, 1.1),
            "timing.wall_seconds": 1e-4 * setting["algorithm.particles"] * rng.uniform(0.9, 1.1),
            "warnings": float(rng.integers(2)),
        }

    settings = crossed(algorithm__particles=particles, **(axes or {}))
    chosen = ["log_evidence.product.log_ratio.value", "diagnostics.ess"]
    return write_sweep(directory, settings, scalars, replicates, chosen, model="gaussian", **more)


def schedules(directory, kinds=("linear", "varopt"), damaged=(), **more):
    """Annealing on several schedules, two replicates each, whose directories have what happened along the path."""
    settings = crossed(schedule__kind=list(kinds))
    write_sweep(directory, settings, lambda *_: {"diagnostics.ess": 300.0}, 2, ["diagnostics.ess"], **more)
    for run in range(2 * len(kinds)):
        steps = 900 + 100 * run
        share = numpy.linspace(0, 1, steps + 1)
        place = synthetic_runs.write_run(
            directory / "runs" / f"{run:06d}",
            synthetic_runs.common("annealed-importance", "rbm"),
            {"per_step/inverse_temperature": share ** (1 + run // 2), "per_step/ess": 1000 * numpy.exp(-share)},
        )
        if run in damaged:
            (place / "results.h5").write_bytes((place / "results.h5").read_bytes()[:-100])
    return directory


def works(directory, flips=(100, 300, 1000, 3000, 10000), replicates=1, kept=False, **more):
    """Nonequilibrium estimators against the number of flips: too fast ones have no intervals, and BAR is refused. `kept`:
    with the runs' directories."""

    def scalars(setting, rng):
        n = setting["model.flips"]
        gap, error, found = 3000 / n, 5 / numpy.sqrt(n), {}
        shifts = {"bar": 0.0, "jarzynski-forward": -0.3, "jarzynski-reverse": 0.3, "cumulant-both": 9.0}
        for name, shift in shifts.items():
            stem = f"log_evidence.{name}.log_ratio."
            if name == "bar" and n < 300:
                continue
            value = 1339.2671 + shift * gap + error * rng.normal()
            found[stem + "value"], found[stem + "exact"] = value, 1339.2671
            if n >= 1000:
                found |= {stem + "interval95.low": value - 2 * error, stem + "interval95.high": value + 2 * error}
        return found | {"diagnostics.lower_bound": 1339 - gap - 1, "diagnostics.upper_bound": 1339 + gap + 1}

    chosen = ["log_evidence.bar.log_ratio.value"]
    more = {"model": "ising", "algorithm": "nonequilibrium", **more}
    for run in range(len(flips) * replicates if kept else 0):
        gap = 30.0 if flips[run // replicates] < 300 else 0.0
        synthetic_runs.nonequilibrium(directory / "runs" / f"{run:06d}", gap, known=True)
    return write_sweep(directory, crossed(model__flips=flips), scalars, replicates, chosen, **more)


ALGORITHMS = ("PISAA", "VFSA", "PSAA")


def searches(
    directory, chains=(1, 4, 14, 30), variants=ALGORITHMS, replicates=6, keep=True, minimum=-3.2941, masses=False, **more
):
    """Searches by variants and numbers of chains; with `keep`, the directories of the runs have their progress, with
    `masses` what they learnt of the masses of their regions and the exact ones."""

    def scalars(setting, rng):
        behind = 0.2 * list(variants).index(setting["variant"])
        energy = -3.2 + (0.6 + behind) / setting["algorithm.chains"] ** 0.4 * rng.uniform(0.7, 1.3)
        found = {"best.energy": energy, "best.evaluations": 1e6 * setting["algorithm.chains"]}
        return found | ({} if minimum is None else {"best.known_minimum": minimum})

    settings = crossed(algorithm__chains=list(chains), variant=list(variants))
    more = {"model": "ab-protein", "algorithm": "pisaa", **more}
    write_sweep(directory, settings, scalars, replicates, ["best.energy"], **more)
    for run in range(len(settings) * replicates if keep else 0):
        n_chains, seed = settings[run // replicates]["algorithm.chains"], run % replicates + 1
        exact = -0.2 * numpy.arange(21.0)[None]
        known = {"regions/exact_log_mass": exact, "regions/log_mass": exact + 0.1 / seed} if masses else {}
        synthetic_runs.search(
            directory / "runs" / f"{run:06d}", chains=n_chains, n_replicates=1, first_seed=seed, **known
        )
    return directory
