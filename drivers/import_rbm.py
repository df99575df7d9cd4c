#!/usr/bin/env python3
"""Convert trained RBM weights to a file that Pearlite reads.

Input, by extension:
  .mat  MATLAB, version 7 or older, with the variables
          vishid     weights, visible x hidden
          visbiases  one bias per visible unit (row or column)
          hidbiases  one bias per hidden unit (row or column)
        as the demonstration code of Salakhutdinov and Murray (2008) saves them.
  .f64  int64 n_visible, int64 n_hidden, then float64 weights (visible x hidden, row by row), visible biases, hidden
        biases; all little-endian, nothing after.

Output, by extension; the file appears whole or not at all:
  .h5   HDF5 with the datasets weights (visible x hidden), visible_bias and hidden_bias, float64
  .f64  the flat form above

Exit status: 0 done, 2 an input that cannot be read, is not of this form or holds values that are not finite, or an
output that cannot be written.
"""

import argparse
import os
import pathlib
import sys
import tempfile

try:
    import h5py
    import numpy
    import scipy.io
except ImportError as missing:
    sys.exit(f"import_rbm.py: {missing} (Debian: python3-h5py, python3-scipy)")


class InputError(Exception):
    """A fault of the input, as a message for the user."""


def read_mat(path):
    """Weights, visible biases and hidden biases of a MATLAB file."""
    try:
        variables = scipy.io.loadmat(path)
    except NotImplementedError as error:
        raise InputError(f"{path}: MATLAB 7.3 format; in MATLAB, save it again with -v7") from error
    except OSError:
        raise
    except Exception as error:  # loadmat reports damage by many types
        raise InputError(f"{path}: not a MATLAB file that can be read ({error})") from error
    arrays = []
    for name in ("vishid", "visbiases", "hidbiases"):
        if name not in variables:
            known = ", ".join(key for key in variables if not key.startswith("__"))
            raise InputError(f"{path}: no variable '{name}', expected vishid, visbiases and hidbiases (found: {known})")
        value = variables[name]
        if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "fiu" or value.ndim != 2:
            raise InputError(f"{path}: '{name}' is not a matrix of real numbers")
        arrays.append(value.astype(numpy.float64))
    weights, visible_bias, hidden_bias = arrays
    for name, value in (("visbiases", visible_bias), ("hidbiases", hidden_bias)):
        if 1 not in value.shape:
            raise InputError(f"{path}: '{name}' is {value.shape[0]} x {value.shape[1]}, expected a row or a column")
    return weights, visible_bias.ravel(), hidden_bias.ravel()


def read_f64(path):
    """Weights, visible biases and hidden biases of a flat file."""
    data = pathlib.Path(path).read_bytes()
    if len(data) < 16:
        raise InputError(f"{path}: ends at byte {len(data)}, expected 16 bytes with n_visible and n_hidden")
    n_visible, n_hidden = (int(size) for size in numpy.frombuffer(data, "<i8", 2))
    if n_visible < 1 or n_hidden < 1:
        raise InputError(f"{path}: impossible sizes n_visible = {n_visible}, n_hidden = {n_hidden}")
    expected = 16 + 8 * (n_visible * n_hidden + n_visible + n_hidden)
    if len(data) != expected:
        raise InputError(
            f"{path}: {len(data)} bytes, expected {expected} for n_visible = {n_visible}, n_hidden = {n_hidden}"
        )
    values = numpy.frombuffer(data, "<f8", offset=16).astype(numpy.float64)
    end_of_weights = n_visible * n_hidden
    return (
        values[:end_of_weights].reshape(n_visible, n_hidden),
        values[end_of_weights : end_of_weights + n_visible],
        values[end_of_weights + n_visible :],
    )


def read_weights(path):
    """Weights and biases of a file of either form, checked."""
    readers = {".mat": read_mat, ".f64": read_f64}
    extension = pathlib.Path(path).suffix
    if extension not in readers:
        raise InputError(f"{path}: unknown kind of file '{extension}', expected .mat or .f64")
    weights, visible_bias, hidden_bias = readers[extension](path)
    sizes = (len(visible_bias), len(hidden_bias))
    if weights.shape != sizes or 0 in sizes:
        raise InputError(
            f"{path}: weights are {weights.shape[0]} x {weights.shape[1]}, expected {sizes[0]} x {sizes[1]} "
            "(visible x hidden) as the biases say"
        )
    for name, value in (("weights", weights), ("visible biases", visible_bias), ("hidden biases", hidden_bias)):
        if not numpy.isfinite(value).all():
            raise InputError(f"{path}: the {name} are not all finite")
    return weights, visible_bias, hidden_bias


def write_h5(path, weights, visible_bias, hidden_bias):
    """Weights and biases as three datasets."""
    with h5py.File(path, "w") as file:
        file["weights"] = weights
        file["visible_bias"] = visible_bias
        file["hidden_bias"] = hidden_bias


def write_f64(path, weights, visible_bias, hidden_bias):
    """Weights and biases one after the other, under their sizes."""
    values = numpy.concatenate([weights.ravel(), visible_bias, hidden_bias])
    pathlib.Path(path).write_bytes(numpy.array(weights.shape, "<i8").tobytes() + values.astype("<f8").tobytes())


WRITERS = {".h5": write_h5, ".f64": write_f64}


def write_whole(path, arrays):
    """Writes beside the target and renames, so that no half-written file is ever taken for a whole one."""
    target = pathlib.Path(path)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name + ".", suffix=".part")
    os.close(handle)
    try:
        WRITERS[target.suffix](temporary, *arrays)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # mkstemp lets only the owner read
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="trained weights, .mat or .f64")
    parser.add_argument("-o", "--output", required=True, help="file to write, .h5 or .f64")
    arguments = parser.parse_args()
    if pathlib.Path(arguments.output).suffix not in WRITERS:
        parser.error(f"the output is '{arguments.output}', expected a name that ends in .h5 or .f64")
    try:
        arrays = read_weights(arguments.input)
    except InputError as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")
    except OSError as error:
        parser.exit(2, f"{parser.prog}: error: {arguments.input}: {error.strerror or error}\n")
    try:
        write_whole(arguments.output, arrays)
    except OSError as error:
        parser.exit(2, f"{parser.prog}: error: {arguments.output}: cannot be written ({error.strerror or error})\n")
    n_visible, n_hidden = arrays[0].shape
    print(f"{arguments.output}: {n_visible} visible and {n_hidden} hidden units")
    return 0


if __name__ == "__main__":
    sys.exit(main())
