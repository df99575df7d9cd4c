"""Settings of the rows of the golden table: what cuts each shipped job short, tiny models and algorithms."""

SMC_REPLICATES = "replicates"  # key of [algorithm]: independent populations of SMC


# Shipped jobs: what cuts them short, then their data.

WEIGHTS_CD25, WEIGHTS_15 = "rbm/rbm_cd25_500.f64", "rbm/rbm15.f64"
DIGITS, TEST_DIGITS = "mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"
FERRITE = "ferrite_pearlite/ferrite_pearlite_240x320.txt"
SPECT = ("spect/SPECT.train", "spect/SPECT.test")


def few_trajectories(n, steps, **keys):
    return {"algorithm.trajectories": n, "schedule.steps": steps, **keys}


def few_particles(n, **keys):
    return {"algorithm.particles": n, "schedule.conditional_ess": 0.8, "kernel.moves": 1, **keys}


def few_scans(replicas, scans, **keys):
    return {"algorithm.replicas": replicas, "algorithm.scans": scans, "algorithm.burn_in": scans // 4, **keys}


def few_iterations(iterations, **keys):
    return {"algorithm.iterations": iterations, "kernel.pilot_iterations": iterations // 2, **keys}


def few_grown(n, **keys):
    return {"algorithm.particles": n, "algorithm.most_passes": 2, "algorithm.replicates": 2, **keys}


def few_updates(updates, **keys):
    return {"algorithm.updates": updates, "algorithm.watched": 200, "algorithm.sample_sweeps": 2, "model.n_images": 3000,
            **keys}


ESTIMATED = {"schedule.log_weight_sd": 3.0}  # with few particles fewer temperatures do
JOBS = {
    "calibration": ({"sweep.replicates": 2}, []),
    "galaxies-tempering": (few_scans(8, 60, **{"schedule.steps": 20}), ["bayes/galaxies.csv"]),
    "galaxies-work": (few_trajectories(32, 40, **{"algorithm.equilibration": 5}), ["bayes/galaxies.csv"]),
    "gaussian": (few_trajectories(117, 30), []),
    "gaussian-tempering": (few_scans(8, 100), []),
    "gaussian-work": (few_trajectories(117, 50), []),
    "gbp-usd-9798": (few_particles(32, **ESTIMATED, **{"model.particles": 8}), ["pound_dollar/GBP_vs_USD_9798.txt"]),
    "ising": (few_trajectories(40, 60), []),
    "ising-arm": (few_grown(40), []),
    "ising-flips": (few_trajectories(40, 60, **{"algorithm.equilibration": 5, "sweep.model.flips": [50, 100]}), []),
    "ising-tempering": (few_scans(8, 24), []),
    "ising-work": (few_trajectories(40, 60, **{"algorithm.equilibration": 5}), []),
    "mixture-20": (few_iterations(4000), ["gaussmix20/modes.csv"]),
    "mixture-work": (few_trajectories(32, 40, **{"algorithm.equilibration": 5}), []),
    "pima": (few_particles(64, **{f"algorithm.{SMC_REPLICATES}": 3}), ["bayes/pima_standardised_532.dat"]),
    "pima-gp": (few_grown(40), ["bayes/pima_tr.csv", "bayes/pima_te.csv"]),
    "polypharm": (few_particles(32, **ESTIMATED, **{"model.samples": 4}), ["bayes/polypharm.csv"]),
    "potts-tempering": (few_scans(8, 12), []),
    "potts-work": (few_trajectories(40, 60, **{"model.flips": 200, "algorithm.equilibration": 5}), []),
    "pound-dollar": (few_particles(32, **ESTIMATED, **{"model.particles": 8}), ["pound_dollar/svpd_returns.csv"]),
    "pound-dollar-bridge": (few_particles(32, **ESTIMATED, **{"model.particles": 8, "path.fit_particles": 128}),
                            ["pound_dollar/svpd_returns.csv"]),
    "pound-dollar-chains": ({"model.particles": 5, "algorithm.iterations": 50, "algorithm.burn_in": 10,
                             "kernel.pilot_particles": 32, "schedule.conditional_ess": 0.5, "kernel.moves": 1},
                            ["pound_dollar/svpd_returns.csv"]),
    "protein-2d": (few_iterations(1500, **{"algorithm.replicates": 3}), []),
    "protein-3d": (few_iterations(1500, **{"algorithm.replicates": 3}), []),
    "protein-replicates": (few_iterations(600, **{"algorithm.replicates": 3}), []),
    "protein-searches": (few_iterations(600, **{"sweep.replicates": 2}), []),
    "radiata-pine": (few_particles(64, **{f"algorithm.{SMC_REPLICATES}": 3}), ["bayes/radiata_pine.csv"]),
    "rastrigin": (few_iterations(3000), []),
    "rastrigin-chains": (few_iterations(400, **{"sweep.replicates": 2}), []),
    "rastrigin-replicates": (few_iterations(1500, **{"algorithm.replicates": 3}), []),
    "rastrigin-tuned": (few_iterations(400, **{"algorithm.replicates": 3}), []),
    "rbm-15": (few_trajectories(70, 40), [WEIGHTS_15, DIGITS]),
    "rbm-15-arm": (few_grown(20, **{"algorithm.sweeps": 1}), [WEIGHTS_15, DIGITS]),
    "rbm-cd25": (few_trajectories(70, 30), [WEIGHTS_CD25, DIGITS]),
    "rbm-cd25-arm": (few_grown(4, **{"algorithm.sweeps": 1}), [WEIGHTS_CD25, DIGITS]),
    "rbm-pcd500-arm": (few_grown(4, **{"algorithm.sweeps": 1}), ["trained/pcd500.h5", DIGITS]),
    "rbm-random": (few_trajectories(117, 60), []),
    "rbm-random-smc": (few_particles(64, **{f"algorithm.{SMC_REPLICATES}": 3}), []),
    "rbm-schedule": (few_trajectories(70, 30, **{"schedule.pilot_steps": 24, "schedule.pilot_trajectories": 20,
                                                 "schedule.hold_knots": 4, "schedule.hold_sweeps": 16}),
                     [WEIGHTS_CD25, DIGITS]),
    "rbm-tempering": (few_scans(4, 12, **{"schedule.steps": 16}), [WEIGHTS_CD25, DIGITS]),
    **{f"rbm-train-{kind}": (few_updates(updates, **keys), [DIGITS, TEST_DIGITS]) for kind, updates, keys in (
        ("pcd20", 40, {}), ("cd1-20", 40, {}), ("cd25-20", 20, {}),
        ("pcd500", 30, {"algorithm.final_momentum_from": 0.05}), ("cd1-500", 30, {}), ("cd25-500", 10, {}))},
    "rbm-work": (few_trajectories(70, 20, **{"algorithm.equilibration": 5}), [WEIGHTS_CD25, DIGITS]),
    "rbm-work-marginal": (few_trajectories(20, 12, **{"algorithm.equilibration": 5}), [WEIGHTS_CD25, DIGITS]),
    "restore-image": (few_iterations(2000), [FERRITE]),
    "restore-image-replicates": (few_iterations(1000, **{"algorithm.replicates": 3}), [FERRITE]),
    "spect-edges": (few_iterations(600, **{"algorithm.average_from": 200, "schedule.temperature_steps": 100}), SPECT),
    "spect-network": (few_iterations(600), SPECT),
    "spect-network-replicates": (few_iterations(300, **{"algorithm.replicates": 3, "model.exact": False}), SPECT),
    "sv-arm": (few_grown(20, **{"growth.lag": 5}), ["pound_dollar/svpd_returns.csv"]),
    "toenail": (few_particles(32, **ESTIMATED, **{"model.samples": 4}), ["bayes/toenail.csv"]),
    **{f"usps-ais-{how}": (few_trajectories(20, 8, **{"model.training_rows": 60}), ["usps/usps.h5"])
       for how in ("gibbs", "hmc-p", "hmc-q", "rmhmc-p", "rmhmc-q")},
    "usps-arm": (few_grown(50, **{"model.training_rows": 60}), ["usps/usps.h5"]),
    "wheeze": (few_particles(32, **ESTIMATED, **{"model.samples": 4}), ["bayes/ohio_wheeze.csv"]),
}
JOBS_THAT_SEARCH = {"mixture-20", "protein-2d", "protein-3d", "protein-replicates", "rastrigin", "rastrigin-replicates",
                    "rastrigin-tuned", "restore-image", "restore-image-replicates", "spect-edges",
                    "spect-network", "spect-network-replicates"}
SWEEPS = {"calibration", "ising-flips", "protein-searches", "rastrigin-chains"}

# Algorithms and models, tiny: at least 7 blocks, the last of them not full.

SMALL_RBM = {"random_visible": 18, "random_hidden": 7, "random_weight_sd": 0.5}
ELSEWHERE = {"stan"}  # models whose density is compiled apart (tests/stan): none of our bits
MODELS = {  # those to be annealed
    "gaussian": {"dimension": 2, "start_mean": 3.0, "start_sd": 2.0},
    "gaussian-ar": {"dimension": 2, "start_mean": 3.0, "start_sd": 2.0},
    "gaussian-mixture": {"simulated_points": 30},
    "gp-classification": {"data": "logistic.csv"},
    "gp-orthant": {"data": "logistic.csv"},
    "ising": {"size": 6},
    "linear-gaussian": {"simulated_length": 20, "particles": 10},
    "linear-regression": {"data": "logistic.csv"},
    "logistic-regression": {"data": "logistic.csv"},
    "mixed-logistic": {"study": "table", "data": "mixed.csv", "samples": 6},
    "noisy-likelihood": {"dimension": 2, "samples": 4},
    "orthant": {"size": 9, "negative": 4, "correlation": 0.8},
    "poisson-regression": {"data": "logistic.csv"},
    "potts": {"size": 6, "colours": 5},
    "radiata-pine": {"data": "pine.csv"},
    "rbm": SMALL_RBM,
    "rbm-hidden": SMALL_RBM,
    "rbm-joint": SMALL_RBM,
    "stochastic-volatility": {"data": "returns.csv", "particles": 10},
}
PATHS = {"gaussian-mixture": {"kind": "data"}}  # where a model does not take the default path
FIXED = {"kind": "linear", "steps": 12}
ADAPTIVE = {"kind": "adaptive", "conditional_ess": 0.8}
PILOT = {"kernel": {"pilot_particles": 40, "moves": 1}}
ALGORITHMS = {  # for models to be annealed: tables; PILOT joins them for densities
    "annealed-importance": {"schedule": FIXED, "algorithm": {"trajectories": 117}},
    "importance-squared": {"schedule": FIXED,
                           "algorithm": {"draws": 997, "adaptation_rounds": 2, "draws_per_round": 200}},
    "nonequilibrium": {"schedule": FIXED,
                       "algorithm": {"trajectories": 117, "reverse_trajectories": 90, "equilibration": 5}},
    "parallel-tempering": {"schedule": {**FIXED, "steps": 6},
                           "algorithm": {"replicas": 12, "scans": 70, "burn_in": 20}},
    "pseudo-marginal": {"schedule": FIXED, "algorithm": {"chains": 9, "iterations": 130, "burn_in": 70, "thin": 3}},
    "resample-move": {"algorithm": {"particles": 117, "gamma_threshold": 0.95, "most_passes": 3, "replicates": 1}},
    "smc": {"schedule": ADAPTIVE, "algorithm": {"particles": 117, "ess_threshold": 0.9}},
}
WITHOUT_BLOCKS = ("parallel-tempering", "pseudo-marginal")  # blocks of these are temperatures, or chains
TAKE_PILOTS = ("annealed-importance", "importance-squared", "nonequilibrium", "parallel-tempering",
               "pseudo-marginal")
# Which draws of a round are made first depends on the number of ranks; the round's results do not.
NOT_INTERRUPTED = ("importance-squared",)
SEARCHED = {
    "ab-protein": {"length": 8},
    "bayesian-network": {"data": "table.csv"},
    "image-restoration": {"image": "image.pbm", "noise": 0.2},
    "mode-mixture": {"modes": "modes.csv", "variance": 0.05},
    "test-function": {"dimension": 5},
}
SEARCH = {"iterations": 700, "range_iterations": 400, "regions": 30, "chains": 7, "replicates": 2}
TRAINED = {"rbm-training": {"images": "images.csv", "held_out": "images.csv", "n_held_out": 90, "hidden": 7}}
TRAININGS = {"contrastive-divergence": {"updates": 40, "batch": 117, "persistent": True, "chains": 130, "momentum": 0.5,
                                        "weight_decay": 0.001, "rate_schedule": "linear", "sample_sweeps": 5}}
SEARCHES = ("aesamc", "asamc", "pisaa", "psaa", "sa", "saa", "vfsa")
SHORT = {  # of a model and an algorithm: the selection that CI runs
    ("ising", "annealed-importance"), ("gaussian", "smc"), ("linear-gaussian", "pseudo-marginal"),
    ("rbm", "parallel-tempering"), ("gaussian-mixture", "nonequilibrium"), ("noisy-likelihood", "importance-squared"),
    ("stochastic-volatility", "smc"), ("mixed-logistic", "annealed-importance"), ("radiata-pine", "nonequilibrium"),
    ("logistic-regression", "parallel-tempering"), ("potts", "smc"), ("rbm-hidden", "nonequilibrium"),
    ("rbm-joint", "annealed-importance"), ("orthant", "resample-move"), ("gp-classification", "resample-move"),
    ("gp-classification", "annealed-importance"), ("gp-orthant", "annealed-importance"), ("rbm", "resample-move"),
    ("stochastic-volatility", "resample-move"), ("gaussian-ar", "parallel-tempering"), ("ab-protein", "pisaa"),
    ("bayesian-network", "psaa"), ("image-restoration", "aesamc"), ("mode-mixture", "vfsa"),
    ("rbm-training", "contrastive-divergence"), ("test-function", "asamc"), ("test-function", "sa"), ("ab-protein", "saa")}
