#!/usr/bin/env python3
"""Contrastive divergence in NumPy, as jobs/rbm-train-*.toml configure it, to compare on the same machine.

    rbm_training.py runs it beside pearlite; alone it prints the updates a second:
    numpy_trainer.py IMAGES --hidden 500 --updates 200 [--sweeps K] [--persistent] [--batch 100] [--threads 1]

All arithmetic is single precision, products by the BLAS that NumPy is linked to. Binary images are drawn once an
epoch; gradients are those of binary hidden units.
"""
import argparse
import gzip
import json
import os
import time


def parse():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("images")
    options.add_argument("--hidden", type=int, default=500)
    options.add_argument("--updates", type=int, default=200)
    options.add_argument("--sweeps", type=int, default=1)
    options.add_argument("--persistent", action="store_true")
    options.add_argument("--batch", type=int, default=100)
    options.add_argument("--momentum", type=float, default=0.5)
    options.add_argument("--decay", type=float, default=1e-4)
    options.add_argument("--threads", type=int, default=1)
    return options.parse_args()


def main():
    options = parse()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    import numpy

    with gzip.open(options.images) as file:
        grey = numpy.frombuffer(file.read(), numpy.uint8, offset=16).reshape(-1, 784)
    grey = grey.astype(numpy.float32) / 255
    random = numpy.random.Generator(numpy.random.SFC64(1))
    one = numpy.float32(1)

    def drawn(field):
        """1 with probability sigma(field), in place of the field."""
        numpy.negative(field, field)
        numpy.exp(field, field)
        field += one
        numpy.divide(one, field, field)
        return (random.random(field.shape, numpy.float32) < field).astype(numpy.float32)

    n_visible, n_hidden, batch = 784, options.hidden, options.batch
    weights = (0.01 * random.standard_normal((n_visible, n_hidden), numpy.float32))
    means = (grey.sum(0) + 1) / (len(grey) + 2)
    visible_bias = numpy.log(means / (1 - means)).astype(numpy.float32)
    hidden_bias = numpy.zeros(n_hidden, numpy.float32)
    velocities = [numpy.zeros_like(x) for x in (weights, visible_bias, hidden_bias)]
    chains = (random.random((100, n_hidden)) < 0.5).astype(numpy.float32)
    rate, momentum, decay = (numpy.float32(x) for x in (0.005, options.momentum, options.decay))
    per_epoch = len(grey) // batch
    begin = time.perf_counter()
    for t in range(options.updates):
        if t % per_epoch == 0:
            order = random.permutation(len(grey))
            images = (random.random(grey.shape, numpy.float32) < grey).astype(numpy.float32)
            if t == 0 and options.updates < per_epoch:  # its share of an epoch's draws
                drawing = (time.perf_counter() - begin) * options.updates / per_epoch
                begin = time.perf_counter() - drawing
        v = images[order[t % per_epoch * batch:][:batch]]
        h = drawn(v @ weights + hidden_bias)
        h_model = chains if options.persistent else h
        for _ in range(options.sweeps):
            v_model = drawn(h_model @ weights.T + visible_bias)
            h_model = drawn(v_model @ weights + hidden_bias)
        if options.persistent:
            chains = h_model
        n_model = numpy.float32(len(h_model))
        gradients = (v.T @ h / numpy.float32(batch) - v_model.T @ h_model / n_model - decay * weights,
                     v.mean(0) - v_model.mean(0), h.mean(0) - h_model.mean(0))
        for parameter, velocity, gradient in zip((weights, visible_bias, hidden_bias), velocities, gradients):
            velocity *= momentum
            velocity += rate * gradient
            parameter += velocity
    seconds = time.perf_counter() - begin
    print(json.dumps({"updates_per_second": options.updates / seconds, "seconds": seconds}))


if __name__ == "__main__":
    main()
