#!/usr/bin/env python3
"""Rates of other programs and of pearlite at the same work, in turns on one core, and their ratio.

usage: peers.py BUILD [--peers DIRECTORY] [--repeats 3] [--real-time] [--cases PATTERN]

BUILD: a build directory with the command and the benchmarks. Peers are the packages python3-pymbar, python3-torch
and NumPy (with the BLAS that it is linked to, libopenblas0 or the ten times slower reference), and sources in
DIRECTORY: `particles` (github.com/nchopin/particles; wants python3-numba, -joblib, -sklearn) and `PISAA_Rastrigin`
(github.com/georgios-stats/PISAA_Rastrigin, the paper's own program; compiled here with gcc -O3 -march=native and
rotated). Cases whose peer is absent are skipped with a note. PEARLITE_DATA_DIR has the Pima data. One thread each;
--real-time (root) runs both sides before all other work on the machine.

A ratio above 1 says how many times faster pearlite is: rates of the same steps, or, where the samplers differ, the time
to the same standard error.
"""
import argparse
import fnmatch
import importlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import compare
import pearlite_runner as runner

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


class Absent(Exception):
    """A missing peer; the text names the missing part."""


def module(name, package):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Absent(f"{error} ({package})") from error


def seconds_of(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


class Bench:
    """One row of a benchmark of pearlite."""

    def __init__(self, build, prefix, name, row, counter):
        self.arguments = (build / "tests" / "benchmarks" / f"{name}_benchmark", prefix, f"--benchmark_filter=^{row}$")
        self.row, self.counter = row, counter

    def __call__(self):
        return compare.google_benchmark(*self.arguments)[self.row][self.counter]


def bar(here):
    """10^6 + 10^6 normal works: solutions per second."""
    numpy = module("numpy", "python3-numpy")
    pymbar = module("pymbar", "python3-pymbar")
    random = numpy.random.default_rng(1)
    forward, reverse = random.normal(2, 2, 10**6), random.normal(2, 2, 10**6)
    solve = Bench(here.build, here.prefix, "bar", "solve", "seconds")
    yield ("BAR of 10^6 + 10^6 works, solutions/s", f"pymbar {pymbar.version.version}",
           lambda: 1 / seconds_of(lambda: pymbar.BAR(forward, reverse, compute_uncertainty=True)), lambda: 1 / solve())


def rbm(here):
    """AIS of an RBM 784 x 500, 512 chains: a chain through one temperature."""
    numpy = module("numpy", "python3-numpy")
    random = numpy.random.default_rng(1)
    weights = random.normal(0, 0.05, (784, 500)).astype(numpy.float32)
    chains, steps = 512, 12

    def drawn(x):
        return (random.random(x.shape, dtype=numpy.float32) < 1 / (1 + numpy.exp(-x))).astype(numpy.float32)

    def by_numpy():
        visible = drawn(numpy.zeros((chains, 784), dtype=numpy.float32))
        log_weights = numpy.zeros(chains)
        for step in range(steps):
            b, following = step / steps, (step + 1) / steps
            activations = visible @ weights
            log_weights += (numpy.logaddexp(0, following * activations) - numpy.logaddexp(0, b * activations)).sum(1)
            hidden = drawn(following * activations)
            visible = drawn(following * (hidden @ weights.T))

    own = Bench(here.build, here.prefix, "rbm", "rbm_anneal/512/manual_time", "best_updates")
    yield ("AIS of an RBM 784 x 500, 512 chains, updates/s", f"NumPy {numpy.__version__}",
           lambda: chains * steps / seconds_of(by_numpy), own)
    torch = module("torch", "python3-torch")
    torch.set_num_threads(1)
    matrix = torch.tensor(weights)

    def by_torch():
        visible = (torch.rand(chains, 784) < 0.5).float()
        log_weights = torch.zeros(chains, dtype=torch.float64)
        for step in range(steps):
            b, following = step / steps, (step + 1) / steps
            activations = visible @ matrix
            log_weights += (torch.nn.functional.softplus(following * activations) -
                            torch.nn.functional.softplus(b * activations)).sum(1)
            hidden = torch.bernoulli(torch.sigmoid(following * activations))
            visible = torch.bernoulli(torch.sigmoid(following * (hidden @ matrix.T)))

    yield ("the same", f"PyTorch {torch.__version__}", lambda: chains * steps / seconds_of(by_torch), own)


def particle_filter(here):
    """The bootstrap filter of a stochastic volatility with 945 returns and 1000 particles."""
    particles = here.source("particles")
    models = module("particles.state_space_models", "python3-numba, -joblib, -sklearn")
    model = models.StochVol(mu=-0.8, rho=0.975, sigma=0.165)
    _, returns = model.simulate(945)
    feynman_kac = models.Bootstrap(ssm=model, data=returns)

    def by_particles():
        particles.SMC(fk=feynman_kac, N=1000, resampling="systematic", ESSrmin=0.5).run()

    by_particles()  # numba compiles
    yield ("bootstrap filter, 945 x 1000 particle-steps/s", "particles", lambda: 945_000 / seconds_of(by_particles),
           Bench(here.build, here.prefix, "filter", "filter/plain/1000", "steps"))


def smc(here):
    """The evidence of a logistic regression of the Pima data: 1/(seconds x variance)."""
    particles = here.source("particles")
    numpy = module("numpy", "python3-numpy")
    samplers = module("particles.smc_samplers", "python3-numba, -joblib, -sklearn")
    distributions = importlib.import_module("particles.distributions")
    file = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "")) / "bayes" / "pima_standardised_532.dat"
    if not file.is_file():
        raise Absent("no bayes/pima_standardised_532.dat in PEARLITE_DATA_DIR")
    table = numpy.array([line.split() for line in file.read_text().splitlines()
                         if line.strip() and line.lstrip()[0] in "-.0123456789"], dtype=float)
    response, covariates = table[:, -1], table[:, :-1]
    design = numpy.column_stack([numpy.ones(len(response)), covariates])
    signed = design * (2 * response - 1)[:, None]
    prior = distributions.StructDist({"beta": distributions.MvNormal(scale=10, cov=numpy.eye(design.shape[1]))})

    class Regression(samplers.StaticModel):
        def loglik(self, theta, t=None):
            return -numpy.logaddexp(0, -theta["beta"] @ signed.T).sum(1)

    model = Regression(data=response, prior=prior)
    runs = 16

    def by_particles():
        values, begin = [], time.perf_counter()
        for _ in range(runs):
            sampler = particles.SMC(fk=samplers.AdaptiveTempering(model=model, len_chain=100), N=100)
            sampler.run()
            values.append(sampler.logLt)
        used = (time.perf_counter() - begin) / runs
        return 1 / (used * statistics.variance(values))

    def own():
        with tempfile.TemporaryDirectory() as place:
            toml = runner.write_configuration(
                pathlib.Path(place) / "pima.toml", run={"seed": int(time.time() * 1e3) % 2**31},
                model={"name": "logistic-regression", "data": str(file), "response": "column1",
                       "prior_variance": 100.0},
                algorithm={"name": "smc", "replicates": 16})
            used = seconds_of(lambda: subprocess.run(
                [*here.prefix, here.build / "drivers" / "pearlite", "run", toml, "-o", pathlib.Path(place) / "run"],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=here.environment))
            first = runner.summary(pathlib.Path(place) / "run")["log_evidence"][0]
        return 1 / (used * first["standard_error"] ** 2)

    yield ("evidence of a logistic regression 532 x 8, 1/(seconds x variance)", "particles, waste-free, 100 x 100",
           by_particles, own)


def pisaa(here):
    """Rastrigin, rotated, d 30, 14 chains: chain updates per second of the paper's own program."""
    sources = here.directory("PISAA_Rastrigin")
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place) / "pisaa"
        compiler = ["gcc", "-O3", "-march=native", "-w", "-D__ROTATE__=1"]
        subprocess.run([*compiler, *sources.glob("*.c"), "-lm", "-o", program], check=True)
        (pathlib.Path(place) / "output_files").mkdir()
        iterations = 60000
        options = {"ID": 1, "Ndim": 30, "Niter": iterations, "Npop": 14, "Nsam": 0, "Gwarm": 100, "Ghigh": 1.0,
                   "Gpow": 0.55, "Hlow": -0.01, "Hhigh": 40.0, "Hsize": 400, "Hzeta": 0.1, "Hconst": 1.0, "Twarm": 1,
                   "Thigh": 5.0, "Tlow": 0.01, "Tpow": 0.5, "Tini": 100.0, "Tref": 0.00001, "Sini": 1.0}
        arguments = [part for key, value in options.items() for part in (f"-{key}", str(value))]

        def by_the_authors():
            return 14 * iterations / seconds_of(lambda: subprocess.run(
                [*here.prefix, program, *arguments], cwd=place, check=True, stdout=subprocess.DEVNULL))

        yield ("PISAA, rotated Rastrigin, d 30, 14 chains, chain updates/s", "the authors' program in C",
               by_the_authors, Bench(here.build, here.prefix, "search", "search_rastrigin/14", "updates"))


class Here:
    """The build, the peers and the launcher on this machine, for the cases."""

    def __init__(self, options):
        self.build, self.peers = options.build.resolve(), options.peers
        self.prefix = ["chrt", "-f", "10"] if options.real_time else []
        self.environment = os.environ | compare.MPI_ENVIRONMENT

    def directory(self, name):
        place = self.peers / name if self.peers else None
        if place is None or not place.is_dir():
            raise Absent(f"no sources of {name} in --peers")
        return place

    def source(self, name):
        path = str(self.directory(name))
        if path not in sys.path:
            sys.path.insert(0, path)
        return module(name, "python3-numba, -joblib, -sklearn")


CASES = [bar, rbm, particle_filter, smc, pisaa]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--peers", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--cases", default="*")
    options = parser.parse_args()
    if options.real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    here = Here(options)
    print("| work | peer | its rate | pearlite | times faster, smallest to largest |\n|---|---|---|---|---|")
    for case in CASES:
        if not fnmatch.fnmatch(case.__name__, options.cases):
            continue
        try:
            for work, peer, its, own in case(here):
                pairs = [(its(), own()) for _ in range(options.repeats)]
                ratios = sorted(ours / theirs for theirs, ours in pairs)
                print(f"| {work} | {peer} | {statistics.median(a for a, _ in pairs):.3g} "
                      f"| {statistics.median(b for _, b in pairs):.3g} "
                      f"| {statistics.median(ratios):.3g} ({ratios[0]:.3g} to {ratios[-1]:.3g}) |", flush=True)
        except Absent as absent:
            print(f"| {case.__doc__.splitlines()[0]} | passed over: {absent} | | | |", flush=True)


if __name__ == "__main__":
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text():  # OpenBLAS does not know each CPU that has it
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    main()
