"""Rows beyond the pairs of algorithms and models: other settings of models, kernels, schedules and algorithms."""

from settings import ADAPTIVE, ALGORITHMS, FIXED, MODELS, SEARCH, SEARCHED, SMC_REPLICATES


def changed(tables, **changes):
    """The tables with some keys set: table={key: value}."""
    return {**tables, **{name: {**tables.get(name, {}), **table} for name, table in changes.items()}}


def tables_of(model, **keys):
    return {"model": {"name": model, **MODELS[model], **keys}, "run": {"block": 16}, "schedule": FIXED}


def without_schedule(tables):
    return {name: table for name, table in tables.items() if name != "schedule"}


def annealed():
    """{name: tables} of runs of models to be annealed."""
    ising, rbm, gaussian = tables_of("ising"), tables_of("rbm"), tables_of("gaussian")
    linear_gaussian = tables_of("linear-gaussian")
    adaptive = {**gaussian, "schedule": ADAPTIVE}
    ais, smc, work, chains, levels = (
        {"name": name, **ALGORITHMS[name]["algorithm"]}
        for name in ("annealed-importance", "smc", "nonequilibrium", "pseudo-marginal", "likelihood-constrained"))
    growing = {"name": "resample-move", **ALGORITHMS["resample-move"]["algorithm"]}
    moments = {"kind": "moments", "knots": 2, "fit_chains": 40, "end_sweeps": 24, "fit_updates": 20}
    survey = {"steps": 12, "pilot_steps": 20, "pilot_trajectories": 35}
    return {
        "ising-heat-bath": changed(ising, model={"move": "heat-bath"}, algorithm=ais),
        "ising-random-site-weighted": changed(ising, model={"update": "random-site", "flips": 40},
                                              algorithm={**work, "reverse_start": "weighted"}),
        "ising-mode": changed(ising, algorithm={**work, "reverse_start": "mode"}),
        "ising-adaptive-pilot": {**ising, "schedule": ADAPTIVE, "kernel": {"pilot_particles": 40}, "algorithm": ais},
        "ising-ars": changed(ising, run={"generator": "ars"}, algorithm=ais),
        "rbm-ars": changed(rbm, run={"generator": "ars"}, algorithm={**smc, "resampling": "residual"}),
        "gaussian-ars": changed(gaussian, run={"generator": "ars"}, algorithm={**smc, SMC_REPLICATES: 3}),
        "volatility-ars": changed(tables_of("stochastic-volatility", leverage=True, student=True),
                                  run={"generator": "ars"}, algorithm=smc),
        "ising-two-blocks": changed(ising, algorithm={**smc, "particles": 20}),
        "potts-random-site": changed(tables_of("potts", colours=3, update="random-site", flips=40), algorithm=ais),
        "ising-varopt-m": changed(ising, schedule={**survey, "kind": "varopt-m", "hold_knots": 4, "hold_sweeps": 20},
                                  algorithm=ais),
        "rbm-varopt": changed(rbm, schedule={**survey, "kind": "varopt", "cap": 3.0, "solver": "fixed-point",
                                             "smoothing": "temperature"}, algorithm=work),
        "rbm-gms13": changed(rbm, schedule={**survey, "kind": "gms13", "hold_sweeps": 12}, algorithm=smc),
        "gaussian-varopt-m": changed(gaussian, schedule={**survey, "kind": "varopt-m", "hold_sweeps": 0},
                                     kernel={"pilot_particles": 40, "moves": 2}, algorithm=ais),
        "rbm-moments": changed(rbm, path=moments, algorithm=ais),
        "rbm-moments-smc": changed(rbm, path={**moments, "spacing": "even"}, schedule=ADAPTIVE, algorithm=smc),
        "rbm-moments-work": changed(rbm, path=moments, algorithm=work),
        "rbm-sm08": changed(rbm, schedule={"kind": "sm08"}, algorithm=ais),
        "rbm-16-bit": changed(tables_of("rbm", weight_precision="16-bit"), algorithm=ais),
        "rbm-8-bit": changed(tables_of("rbm", weight_precision="8-bit"), algorithm=ais),
        "rbm-multinomial": changed(rbm, algorithm={**smc, "resampling": "multinomial"}),
        "rbm-residual": changed(rbm, algorithm={**smc, "resampling": "residual"}),
        "rbm-stratified-replicates": changed(rbm, algorithm={**smc, "resampling": "stratified", SMC_REPLICATES: 3}),
        "rbm-hidden-random-unit": changed(tables_of("rbm-hidden", update="random-unit", flips=5), algorithm=work),
        "gaussian-geometric": changed(gaussian, schedule={"kind": "geometric"}, kernel={"moves": 2}, algorithm=ais),
        "gaussian-adaptive-pilot": changed(adaptive, kernel={"pilot_particles": 40, "moves": 2}, algorithm=ais),
        "gaussian-online": changed(gaussian, kernel={"adapt": "online"}, algorithm=smc),
        "gaussian-random-walk": changed(gaussian, kernel={"kind": "random-walk", "moves": 5}, algorithm=ais),
        "gaussian-replicates-pilot": changed(adaptive, kernel={"adapt": "pilot", "pilot_particles": 50},
                                             algorithm={**smc, SMC_REPLICATES: 3}),
        "gaussian-levels-replicates": {"model": gaussian["model"], "kernel": {"pilot_particles": 40},
                                       "algorithm": {**levels, "replicates": 3}},
        "gaussian-chains-prior": {"model": gaussian["model"], "algorithm": {**chains, "start": "prior"}},
        "gaussian-rounds": changed(gaussian, algorithm={**smc, SMC_REPLICATES: 3, "target_error": 1e-6,
                                                        "most_replicates": 6}),
        "gaussian-enlarged": changed(gaussian, algorithm={**smc, "target_error": 1e-6, "most_particles": 150}),
        "gaussian-mixture-likelihood": changed(tables_of("gaussian-mixture"), algorithm=ais),
        "orthant-anticipate": {**without_schedule(tables_of("orthant")),
                               "algorithm": {**growing, "enlarge": "anticipate"}},
        "orthant-threshold": {**without_schedule(tables_of("orthant")),
                              "algorithm": {**growing, "allocation": "threshold"}},
        "orthant-anticipate-theorem": {**without_schedule(tables_of("orthant")),
                                       "algorithm": {**growing, "enlarge": "anticipate", "allocation": "theorem"}},
        "rbm-reseed": {**without_schedule(tables_of("rbm", random_visible=20, images="images.idx")),
                       "algorithm": {**growing, "enlarge": "reseed", "reseed_sweeps": 20}},
        "radiata-pine-data-path": changed(tables_of("radiata-pine"), path={"kind": "data"}, schedule={"steps": 30},
                                          kernel={"pilot_particles": 40, "moves": 2}, algorithm=work),
        "logistic-regression-data-path": {**tables_of("logistic-regression"), "path": {"kind": "data"},
                                          "schedule": ADAPTIVE, "kernel": {"moves": 1}, "algorithm": smc},
        "radiata-pine-bridge": changed(tables_of("radiata-pine"), kernel={"pilot_particles": 40, "moves": 2},
                                       path={"kind": "bridge", "starts": 3, "fit_particles": 200}, algorithm=work),
        "logistic-regression-bridge": changed(tables_of("logistic-regression"), kernel={"pilot_particles": 40},
                                              path={"kind": "bridge", "fit": "pathfinder", "reference": "mixture",
                                                    "starts": 3, "prior_leg": False}, algorithm=ais),
        "noisy-likelihood-bridge": {**tables_of("noisy-likelihood"), "schedule": ADAPTIVE, "kernel": {"moves": 1},
                                    "path": {"kind": "bridge", "fit_particles": 200}, "algorithm": smc},
        "linear-gaussian-exact": changed(linear_gaussian, model={"likelihood": "exact"}, algorithm=smc),
        "linear-gaussian-adapted": changed(linear_gaussian, model={"filter": "adapted"}, algorithm=smc),
        "linear-gaussian-auxiliary": changed(linear_gaussian, model={"filter": "auxiliary"}, algorithm=smc),
        "linear-gaussian-constant-variance": changed(
            linear_gaussian, model={"simulated_length": 8, "likelihood_variance": 8.0, "most_particles": 100},
            algorithm={**smc, "particles": 41}),
        "mixed-logistic-exact": changed(tables_of("mixed-logistic", likelihood="exact"), algorithm=smc),
        "volatility-leverage-student": changed(tables_of("stochastic-volatility", leverage=True, student=True),
                                               algorithm=smc),
    }


def searched():
    """{name: tables} of searches."""
    pisaa = {"name": "pisaa", **SEARCH}
    rastrigin = {"model": {"name": "test-function", "dimension": 5}, "algorithm": pisaa}
    protein = {"model": {"name": "ab-protein", "length": 8}, "algorithm": pisaa}
    rows = {
        "rastrigin-operations": changed(rastrigin, algorithm={"sync_every": 5},
                                        kernel={"operations": ["metropolis", "snooker", "differential",
                                                               "k-point-crossover"], "pilot_iterations": 300}),
        "rastrigin-ars": changed(rastrigin, run={"generator": "ars"}),
        "rastrigin-single": changed(rastrigin, algorithm={"name": "vfsa", "crossover": "single"}),
        "rastrigin-polish": changed(rastrigin, kernel={"scale_by_region": True}, algorithm={"polish": True}),
        "rastrigin-descent": changed(rastrigin, kernel={"descent_iterations": 5}, algorithm={"iterations": 150}),
        "rastrigin-averages": {"model": rastrigin["model"],
                               "algorithm": {"name": "pisaa", "iterations": 700, "regions": 40, "energy_low": 0.5,
                                             "energy_high": 60.0, "average_from": 100}},
        "protein-crankshaft": changed(protein, model={"energy": "irback"},
                                      kernel={"operations": ["crankshaft", "k-point", "metropolis",
                                                             "k-point-crossover"], "rates": [5, 5, 1, 1]}),
        "protein-hopping": changed(protein, model={"energy": "irback"}, algorithm={"iterations": 60},
                                   kernel={"operations": ["crankshaft", "k-point", "snooker"],
                                           "descent_iterations": 20, "basin_hopping": True}),
        "protein-concerted": changed(protein, model={"length": 13}, algorithm={"sync_every": 3},
                                     kernel={"operations": ["k-point", "concerted", "reflection", "snooker"]}),
        "protein-stillinger": changed(protein, model={"energy": "stillinger", "angles": "directions"}),
        "protein-azimuth": changed(protein, model={"energy": "azimuth"}),
        "image-operations": {"model": {"name": "image-restoration", **SEARCHED["image-restoration"]},
                             "algorithm": pisaa,
                             "kernel": {"operations": ["pixel", "rectangle", "cluster", "two-point-crossover"]}},
    }
    for function in ("ackley", "griewank", "schwefel", "rosenbrock", "levy"):
        rows[function] = changed(rastrigin, model={"function": function})
    return rows
