"""The targets of the league table: 80 densities with a known log Z, half of them ordinary and half hard.

The list was fixed before any of them was run; none is dropped. UNSEEN are the hard ones that nothing in a run can be
expected to see, named beforehand, too: mass in tails and in a neck beyond all particles and maxima.
"""

def factors(likelihood, dimension, **keys):
    return {"name": "factors", "likelihood": likelihood, "dimension": dimension, **keys}


def mixture(dimension, **keys):
    return {"name": "mixture", "dimension": dimension, **keys}


def grid(side):
    """Centres of side x side components, 4 apart, for the layout "plane"."""
    places = [4.0 * (k - (side - 1) / 2) for k in range(side)]
    return [x for a in places for b in places for x in (a, b)]


def many(dimension, centres, sd, layout, **keys):
    """Components of one width and one weight at these centres."""
    n = len(centres) // 2 if layout == "plane" else len(centres)
    return mixture(dimension, centres=centres, sds=[sd] * n, weights=[1 / n] * n, layout=layout, **keys)


def pedestal(dimension, ratio, centre=0.0):
    """A narrow peak of half of the mass inside a wide one."""
    return mixture(dimension, prior="uniform", centres=[0.0, centre], sds=[1.0, ratio], weights=[0.5, 0.5])


def plain(target):
    """The same without a gradient, as most users' functions are."""
    return {**target, "name": target["name"] + "-plain"}


ORDINARY = {
    **{f"gaussian-{d}": {"name": "gaussian", "dimension": d} for d in (1, 2, 5, 10, 20, 50, 100)},
    **{f"correlated-{d}": mixture(d, centres=[1.0], sds=[0.5], layout="diagonal", correlation=0.9) for d in (2, 10, 50)},
    **{f"scaled-{d}": factors("normal", d, location=1, scale=0.5, units=1e6) for d in (6, 30)},
    **{f"logistic-{d}": factors("logistic", d) for d in (1, 3, 12, 40)},
    **{f"poisson-{d}": factors("poisson", d) for d in (1, 4, 16, 64)},
    "binomial-1": plain(factors("binomial", 1, prior="uniform", low=0, high=1, location=12, scale=30)),
    "binomial-5": plain(factors("binomial", 5, prior="uniform", low=0, high=1, location=3, scale=1)),
    **{f"log-gamma-{d}": factors("log-gamma", d, location=1) for d in (2, 10, 30)},
    **{f"laplace-{d}": plain(factors("laplace", d, prior="uniform", location=2, scale=0.5)) for d in (2, 8)},
    "cube-normal-3": plain(factors("normal", 3, prior="uniform", location=1, scale=0.5)),
    "cube-normal-20": factors("normal", 20, prior="uniform", location=1, scale=0.5),
    "student-5": factors("student", 5, prior_sd=3, location=1, scale=0.5),
    "quartic-5": factors("quartic", 5, location=1),
    **{f"corner-{d}": plain(factors("exponential", d, prior="uniform", low=0, high=1, scale=0.1)) for d in (1, 3)},
    "schools-10": {"name": "hierarchy", "dimension": 10},
    "truncated-6": plain(factors("normal", 6, prior="uniform", low=0, high=10, location=-0.2)),
    **{f"vague-{d}": factors("normal", d, prior_sd=100, location=20) for d in (2, 10)},
    "informative-4": plain(factors("normal", 4, prior_sd=0.1, location=1)),
    **{f"overlap-{d}": mixture(d, centres=[-0.7, 1.0], sds=[1.0, 0.8], weights=[0.4, 0.6]) for d in (2, 15)},
}

HARD = {
    # Separated peaks.
    **{f"peaks-{d}": many(d, [-3.0, 3.0], 0.5, "axis") for d in (2, 10, 30)},
    "unequal-4": plain(mixture(4, centres=[-3.0, 3.0], sds=[0.8, 0.25], weights=[0.1, 0.9], layout="diagonal")),
    "unequal-10": mixture(10, centres=[-4.0, 4.0], sds=[1.0, 0.5], weights=[0.5, 0.5]),
    "four-10": many(10, grid(2), 0.5, "plane"),
    "nine-2": plain(many(2, grid(3), 0.5, "plane", prior="uniform")),
    "twenty-five-2": plain(many(2, grid(5), 0.3, "plane", prior="uniform", low=-12, high=12)),
    **{f"well-{d}": plain(factors("well", d, prior="uniform", location=2, scale=1.25)) for d in (1, 3, 6)},
    "comb-3": plain(factors("comb", 3, prior="uniform", location=6, scale=4)),
    # A narrow peak inside a wide one.
    "pedestal-2": plain(pedestal(2, 0.1)),
    "pedestal-5": plain(pedestal(5, 0.1)),
    "pedestal-10": plain(pedestal(10, 0.2)),
    "pedestal-20": pedestal(20, 0.3),
    "pedestal-off-5": pedestal(5, 0.1, 1.5),
    "three-widths-5": mixture(5, centres=[0.0] * 3, sds=[1.0, 0.2, 0.04], weights=[0.4, 0.3, 0.3], prior="uniform"),
    **{f"spike-slab-{d}": plain(factors("normal", d, prior="spike-slab", prior_sd=3, location=1)) for d in (5, 10)},
    # Sharp.
    **{f"shells-{d}": plain({"name": "shells", "dimension": d, "prior": "uniform", "low": -6, "high": 6}) for d in (2, 5, 10)},
    "ring-2": plain({"name": "shells", "dimension": 2, "centres": [0.0], "scale": 0.01, "prior": "uniform", "low": -4,
                     "high": 4}),
    "conflict-20": plain(factors("normal", 20, prior_sd=1, location=6.708)),
    "needle-8": mixture(8, centres=[0.5], sds=[1e-4], prior_sd=1),
    "corner-10": plain(factors("exponential", 10, prior="uniform", low=0, high=1, scale=0.01)),
    "two-boxes-5": {"name": "two-boxes", "dimension": 5},
    # Heavy tails.
    "tails-10": factors("tails", 10, prior_sd=10),
    "tails-2-5": plain(factors("tails", 5, prior_sd=20, df=2)),
    "cauchy-2": plain(factors("tails", 2, prior_sd=20, df=1)),
    "two-cauchy-1": plain(factors("two", 1, prior_sd=10, location=5, scale=0.5)),
    "sparse-10": factors("normal", 10, prior="cauchy", prior_sd=0.1, location=2),
    # Curved.
    **{f"funnel-{d}": {"name": "bent", "shape": "funnel", "dimension": d, "prior_sd": 10} for d in (10, 30)},
    **{f"banana-{d}": {"name": "bent", "shape": "banana", "dimension": d, "prior_sd": 20} for d in (2, 20)},
    "rosenbrock-6": {"name": "bent", "shape": "rosenbrock", "dimension": 6, "prior_sd": 30},
    **{f"hierarchy-{d}": {"name": "hierarchy", "dimension": d, "centred": True} for d in (12, 62)},
}

UNSEEN = ("tails-2-5", "cauchy-2", "funnel-30", "rosenbrock-6")

assert len(ORDINARY) == len(HARD) == 40 and set(UNSEEN) <= set(HARD)
