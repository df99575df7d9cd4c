"""Digests of a run. Each depends only on contents, in a fixed order, so that a renamed group or key does not change it.

whole        as in summary.json: particles, log weights and the estimates of the evidence
states       of the finished run: log weights, draws, works, pictures, what a search or a training has found and learnt
interrupted  of the checkpoint where the run was stopped: particles, log weights, Eves, recorded draws, weights; not of
             searches, whose checkpoints are opaque, nor of runs whose order of work depends on the ranks
estimates    all numbers of the summary that are results: evidences, posterior, minima, fits, diagnostics
"""

import contextlib
import hashlib

import h5py
import numpy

import pearlite_runner as runner

COLUMNS = ("whole", "states", "interrupted", "estimates")
OF_STATES = ("states", "interrupted")
N_DIGITS = 16

CHECKPOINT_STATES = ("particles", "log_weight", "eve", "draws", "replica_tags")
LEARNER_STATES = ("learner/weights", "learner/visible_bias", "learner/hidden_bias", "learner/weight_velocity", "state/chains")
RESULT_STATES = ("samples/values", "samples/log_prior", "samples/log_likelihood", "images/pixels", "work/forward",
                 "work/reverse", "search/final_energies", "search/final_log_weights", "regions/theta", "regions/visits",
                 "best/state", "replicates/best", "polished/best", "polished/states", "filters/pixels",
                 "training/free_energy", "training/wrong_units")
SUMMARY_ESTIMATES = ("log_evidence", "posterior", "best", "polished", "replicates", "diagnostics",
                     "training", "test_log_likelihood")


class NoDigest(AssertionError):
    """A file does not hold what is to be digested."""


def is_state_of_results(name):
    parent, _, last = name.rpartition("/")
    return name in RESULT_STATES or (last == "log_weight" and parent != "samples")


def is_state_of_checkpoint(name):
    return name.rpartition("/")[2] in CHECKPOINT_STATES or name.endswith(LEARNER_STATES)


def digest_of_all(contents):
    """Digest of byte strings in any order."""
    whole = hashlib.sha256()
    for each in sorted(hashlib.sha256(content).digest() for content in contents):
        whole.update(each)
    return whole.hexdigest()[:N_DIGITS]


def digest_of_datasets(path, is_wanted):
    contents = []

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and is_wanted(name):
            contents.append(numpy.ascontiguousarray(item[()]).tobytes())

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    if not contents:
        raise NoDigest(f"{path.name}: no states in it")
    return digest_of_all(contents)


def numbers_of(value):
    """All numbers of a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for element in value for number in numbers_of(element)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def of_checkpoint(directory):
    """{column: digest} of a stopped run."""
    return {"interrupted": digest_of_datasets(runner.checkpoints(directory)[0], is_state_of_checkpoint)}


def of_results(directory):
    """{column: digest} of a finished run."""
    summary = runner.summary(directory)
    if summary.get("status") != "finished" or not summary.get("verdict") or len(summary.get("digest", "")) != 64:
        raise NoDigest(f"not finished, or without a verdict or digest: {summary}")
    if summary.get("kind") == "sweep":
        return {"whole": summary["digest"][:N_DIGITS]}
    numbers = numbers_of([summary.get(name) for name in SUMMARY_ESTIMATES])
    return {"whole": summary["digest"][:N_DIGITS],
            "states": digest_of_datasets(directory / "results.h5", is_state_of_results),
            "estimates": digest_of_all(repr(float(number)).encode() for number in numbers)}


def text_of(file, name):
    value = file[name][()]
    return value.decode() if isinstance(value, bytes) else str(value)


def build_and_cpu(directory):
    """(build, features of the CPU) as the checkpoints of a run say."""
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(h5py.File(runner.checkpoints(directory)[0], "r"))
        return text_of(file, "build"), text_of(file, "cpu")
