"""Settings of the rows of the golden table: tiny models and algorithms. Shipped jobs have their own in [short]."""

SMC_REPLICATES = "replicates"  # key of [algorithm]: independent populations of SMC


# Shipped jobs.

DATA_OF_STUDIES = {"polypharm": "bayes/polypharm.csv", "toenail": "bayes/toenail.csv", "wheeze": "bayes/ohio_wheeze.csv"}
JOBS_THAT_SEARCH = {"mixture-20", "protein-2d", "protein-3d", "protein-hopping", "protein-replicates", "rastrigin",
                    "rastrigin-replicates", "rastrigin-tuned", "restore-image", "restore-image-replicates",
                    "spect-edges", "spect-network", "spect-network-replicates"}

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
    "linear-regression": {"data": "logistic.csv", "precision_rate": 1},
    "logistic-regression": {"data": "logistic.csv"},
    "mixed-logistic": {"study": "table", "data": "mixed.csv", "samples": 6},
    "noisy-annealing": {"dimension": 2, "samples": 4},
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
    "likelihood-constrained": {"algorithm": {"particles": 117}},
    "nonequilibrium": {"schedule": FIXED,
                       "algorithm": {"trajectories": 117, "reverse_trajectories": 90, "equilibration": 5}},
    "parallel-tempering": {"schedule": {**FIXED, "steps": 6},
                           "algorithm": {"replicas": 12, "scans": 70, "burn_in": 20}},
    "pseudo-marginal": {"schedule": FIXED, "algorithm": {"chains": 9, "iterations": 130, "burn_in": 70, "thin": 3}},
    "resample-move": {"algorithm": {"particles": 117, "gamma_threshold": 0.95, "most_passes": 3, "replicates": 1}},
    "smc": {"schedule": ADAPTIVE, "algorithm": {"particles": 117, "ess_threshold": 0.9}},
}
WITHOUT_BLOCKS = ("parallel-tempering", "pseudo-marginal")  # blocks of these are temperatures, or chains
TAKE_PILOTS = ("annealed-importance", "importance-squared", "likelihood-constrained", "nonequilibrium",
               "parallel-tempering", "pseudo-marginal")
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
    ("linear-regression", "likelihood-constrained"), ("stochastic-volatility", "smc"), ("mixed-logistic", "annealed-importance"), ("radiata-pine", "nonequilibrium"),
    ("logistic-regression", "parallel-tempering"), ("potts", "smc"), ("rbm-hidden", "nonequilibrium"),
    ("rbm-joint", "annealed-importance"), ("orthant", "resample-move"), ("gp-classification", "resample-move"),
    ("gp-classification", "annealed-importance"), ("gp-orthant", "annealed-importance"), ("rbm", "resample-move"),
    ("stochastic-volatility", "resample-move"), ("gaussian-ar", "parallel-tempering"), ("ab-protein", "pisaa"),
    ("bayesian-network", "psaa"), ("image-restoration", "aesamc"), ("mode-mixture", "vfsa"),
    ("rbm-training", "contrastive-divergence"), ("test-function", "asamc"), ("test-function", "sa"), ("ab-protein", "saa")}
