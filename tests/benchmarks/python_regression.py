"""A logistic regression in numpy, 532 x 8, from Python: processor time of a whole run beside numpy's own for the same
products.

usage: PYTHONPATH=build/ci/python OPENBLAS_NUM_THREADS=1 python3 python_regression.py [REPEATS]

The run calls the density and its gradient with blocks of points, whose sizes are noted. Then numpy evaluates the same
functions on blocks of these sizes, as often, in a plain loop; the ratio of the two times is printed for each of REPEATS
pairs (by default 5), and its median. Start-up, the pilot, resampling and results are part of the run's time.
"""

import statistics
import sys
import time

import numpy
import pearlite


def problem():
    """(log density, gradient) of blocks (n, 8), simulated data, coefficients N(0, 100)."""
    generator = numpy.random.default_rng(1)
    x = generator.normal(size=(532, 8))
    x[:, 0] = 1
    y = (generator.random(532) < 1 / (1 + numpy.exp(-x @ generator.normal(size=8)))).astype(float)
    with_y = x.T @ y

    def log_density(beta):
        return beta @ with_y - numpy.logaddexp(0, beta @ x.T).sum(axis=1) - 0.005 * (beta**2).sum(axis=1)

    def gradient(beta):
        return with_y - 1 / (1 + numpy.exp(-(beta @ x.T))) @ x - 0.01 * beta

    return log_density, gradient


def main():
    functions = problem()
    calls = []

    def noting(which):
        def call(beta):
            calls.append((which, len(beta)))
            return functions[which](beta)
        return call

    def run():
        calls.clear()
        start = time.process_time()
        result = pearlite.sample(noting(0), [f"beta{k}" for k in range(8)], noting(1), algorithm="smc", particles=4096,
                                 seed=1, fingerprint="regression", progress=False)
        return result, time.process_time() - start

    def plainly():
        start = time.process_time()
        for which, size in calls:
            functions[which](blocks[size])
        return time.process_time() - start

    result, _ = run()
    blocks = {size: numpy.random.default_rng(size).normal(size=(size, 8)) for size in {size for _, size in calls}}
    ratios = []
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
        before, (result, whole), after = plainly(), run(), plainly()
        ratios.append(2 * whole / (before + after))
        print(f"{len(calls)} calls: run {whole:.2f} s, numpy alone {(before + after) / 2:.2f} s, ratio {ratios[-1]:.3f}",
              flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}; log integral {result.log_evidence.value:.4f} "
          f"+- {result.log_evidence.standard_error:.4f}")


if __name__ == "__main__":
    main()
