"""Small jobs with a file of each kind of input, and another copy of that file, which is as long and valid, too."""

import pathlib
import struct
import sys
import typing

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import made_data
import pearlite_runner as runner
import settings

ANNEALED = {"algorithm": {"name": "annealed-importance", **settings.ALGORITHMS["annealed-importance"]["algorithm"]},
            "schedule": settings.FIXED}
WORK = {"algorithm": {"name": "nonequilibrium", **settings.ALGORITHMS["nonequilibrium"]["algorithm"],
                      "reverse_start": "data"}}
DENSITY = ANNEALED | settings.PILOT
RANDOM_RBM = {"name": "rbm", **settings.SMALL_RBM}
TRAINED = {"algorithm": {"name": "contrastive-divergence", **settings.TRAININGS["contrastive-divergence"]}}


def density(model, **keys):
    return DENSITY | {"model": {"name": model, **keys}}


def rbm(**keys):
    return ANNEALED | {"model": RANDOM_RBM | keys}


def trained(images, **keys):
    return TRAINED | {"model": {"name": "rbm-training", "images": images, "hidden": 7, **keys}}


def searched(model, **keys):
    return {"model": {"name": model, **settings.SEARCHED[model], **keys},
            "algorithm": {"name": "vfsa", **settings.SEARCH}}


def bridge(fit, **keys):
    return density("logistic-regression", data="logistic.csv") | {"path": {"kind": "bridge", "fit": fit, **keys}}


class Input(typing.NamedTuple):
    """The tables of a job and the name of one of its files, "" for the configuration itself."""

    tables: dict
    file: str


INPUTS = {
    "a configuration": Input(ANNEALED | {"model": {"name": "ising", "size": 6}, "run": {"seed": 1}}, ""),
    "a table": Input(density("logistic-regression", data="logistic.csv"), "logistic.csv"),
    "a table of blanks": Input(density("logistic-regression", data="logistic.dat", response="column1"), "logistic.dat"),
    "a held-out table": Input(density("gp-classification", data="logistic.csv", test_data="held-out.csv"),
                              "held-out.csv"),
    "a table in HDF5": Input(density("gp-classification", data="table.h5"), "table.h5"),
    "a table of timber": Input(density("radiata-pine", data="pine.csv", covariate="resin"), "pine.csv"),
    "a column": Input(ANNEALED | {"model": {"name": "gaussian-mixture", "data": "galaxies.csv"},
                                  "path": {"kind": "data"}}, "galaxies.csv"),
    "a study": Input(density("mixed-logistic", **settings.MODELS["mixed-logistic"]), "mixed.csv"),
    "a series": Input(density("linear-gaussian", data="returns.csv", particles=10), "returns.csv"),
    "a series of returns": Input(density("stochastic-volatility", data="returns.csv", particles=10), "returns.csv"),
    "a series of rates": Input(density("stochastic-volatility", rates="rates.csv", particles=10), "rates.csv"),
    "weights": Input(ANNEALED | {"model": {"name": "rbm", "weights": "weights.f64"}}, "weights.f64"),
    "weights in HDF5": Input(ANNEALED | {"model": {"name": "rbm", "weights": "weights.h5"}}, "weights.h5"),
    "images of base rates": Input(rbm(base_rates="images.idx"), "images.idx"),
    "images of reverse starts": Input(rbm(images="images.idx") | WORK, "images.idx"),
    "test images": Input(rbm(test_images="images.csv"), "images.csv"),
    "training images": Input(trained("images.csv"), "images.csv"),
    "training images, idx": Input(trained("images.idx"), "images.idx"),
    "training images in HDF5": Input(trained("images.h5"), "images.h5"),
    "held-out images": Input(trained("images.csv", held_out="held-out-images.csv"), "held-out-images.csv"),
    "modes": Input(searched("mode-mixture"), "modes.csv"),
    "an image": Input(searched("image-restoration"), "image.pbm"),
    "a table of levels": Input(searched("bayesian-network"), "table.csv"),
    "more rows of levels": Input(searched("bayesian-network", more_data="more.csv"), "more.csv"),
    "a schedule": Input(density("logistic-regression", data="logistic.csv")
                        | {"schedule": {"kind": "file", "file": "schedule.txt"}}, "schedule.txt"),
    "a reference": Input(bridge("given", file="reference.csv"), "reference.csv"),
    "draws": Input(bridge("draws", file="draws.csv"), "draws.csv"),
}
N_VISIBLE, N_HIDDEN = 18, 7


def write_rbm(directory, numbers):
    weights, visible, hidden = (numbers.integers(-50, 50, size) / 100.0 for size in
                                ((N_VISIBLE, N_HIDDEN), N_VISIBLE, N_HIDDEN))
    with h5py.File(directory / "weights.h5", "w") as file:
        file["weights"], file["visible_bias"], file["hidden_bias"] = weights, visible, hidden
    content = struct.pack("<2q", N_VISIBLE, N_HIDDEN) + b"".join(part.tobytes() for part in (weights, visible, hidden))
    (directory / "weights.f64").write_bytes(content)


def write_images(directory, numbers):
    images = numbers.integers(0, 2, (250, N_VISIBLE))
    for name in ("images", "held-out-images"):
        made_data.write_table(directory / f"{name}.csv", [], images.tolist())
    with h5py.File(directory / "images.h5", "w") as file:
        file["images"] = images * 255.0
    pixels = (255 * images).astype(numpy.uint8).tobytes()
    (directory / "images.idx").write_bytes(struct.pack(">4i", 2051, len(images), 3, 6) + pixels)


def write_tables(directory, numbers):
    logistic = (directory / "logistic.csv").read_text(encoding="utf-8")
    (directory / "held-out.csv").write_text(logistic, encoding="utf-8")
    (directory / "logistic.dat").write_text(logistic.partition("\n")[2].replace(",", " "), encoding="utf-8")
    (directory / "more.csv").write_bytes((directory / "table.csv").read_bytes())
    with h5py.File(directory / "table.h5", "w") as file:
        file["train/data"] = numbers.integers(-200, 200, (30, 2)) / 100.0
        file["train/target"] = numbers.integers(0, 2, 30)
    velocities = [[n] for n in numbers.integers(9000, 30000, 40)]
    made_data.write_table(directory / "galaxies.csv", ["velocity_km_s"], velocities)
    made_data.write_table(directory / "rates.csv", ["y"], [[n / 100] for n in numbers.integers(150, 160, 25)])
    temperatures = [f"{step / 12:.4f}" for step in range(12)] + ["1.0000"]
    (directory / "schedule.txt").write_text("\n".join(temperatures) + "\n", encoding="utf-8")
    (directory / "reference.csv").write_text("0.00,0.10,0.20\n1.00,0,0\n0,1.00,0\n0,0,1.05\n", encoding="utf-8")
    draws = numbers.integers(-100, 100, (50, 3)) / 100.0
    made_data.write_table(directory / "draws.csv", ["intercept", "a", "b"], draws.tolist())


def last_digit(content):
    """Another last digit of the text, a bit where it is a bit."""
    digit = content[-2:-1]
    return content[:-2] + {b"0": b"1", b"1": b"0"}.get(digit, b"3" if digit != b"3" else b"4") + b"\n"


def last_value(content, file, dataset, change):
    """Another last value of the dataset of an HDF5 file."""
    with h5py.File(file) as whole:
        values = whole[dataset][()]
        end = whole[dataset].id.get_offset() + values.nbytes
    values.flat[-1] = change(values.flat[-1])
    return content[:end - values.nbytes] + values.tobytes() + content[end:]


def flip(content, place, bits):
    content = bytearray(content)
    content[place] ^= bits
    return bytes(content)


CHANGES = {  # by the name of the file; else its last digit
    "job.toml": lambda content, _: content.replace(b"seed = 1", b"seed = 2"),
    "schedule.txt": lambda content, _: content.replace(b"0.5000", b"0.5001"),
    "table.h5": lambda content, file: last_value(content, file, "train/data", lambda value: value + 0.5),
    "weights.h5": lambda content, file: last_value(content, file, "hidden_bias", lambda value: value + 0.5),
    "images.h5": lambda content, file: last_value(content, file, "images", lambda value: 255.0 - value),
    "images.idx": lambda content, _: flip(content, 16, 0xff),
    "weights.f64": lambda content, _: flip(content, -2, 0x01),
}


def other_copy(file):
    """The bytes of the file with one value another."""
    content = file.read_bytes()
    other = CHANGES.get(file.name, lambda text, _: last_digit(text))(content, file)
    assert len(other) == len(content) and other != content, file
    return other


def write(directory, name):
    """Writes the job in a new directory. Returns its configuration and the file of which there is another copy."""
    directory.mkdir(parents=True)
    made_data.make_data(directory)
    numbers = numpy.random.default_rng(5)
    for write_some in (write_rbm, write_images, write_tables):
        write_some(directory, numbers)
    configuration = runner.write_configuration(directory / "job.toml", **INPUTS[name].tables)
    return configuration, directory / INPUTS[name].file if INPUTS[name].file else configuration
