"""A repository in the layout of posteriordb (https://github.com/stan-dev/posteriordb): posteriors, programs, data and
reference draws.
"""

import dataclasses
import json
import pathlib
import zipfile

import numpy


@dataclasses.dataclass
class Posterior:
    name: str
    program: pathlib.Path
    data: pathlib.Path  # .json.zip
    draws: pathlib.Path  # .json.zip; no file where there is no reference

    @property
    def has_reference(self):
        return self.draws.is_file()

    def reference(self):
        """{quantity: draws of all chains}, chain after chain."""
        chains = read_zipped(self.draws)
        return {name: numpy.concatenate([numpy.asarray(chain[name], dtype=float) for chain in chains])
                for name in chains[0]}

    def chain_length(self):
        return len(next(iter(read_zipped(self.draws)[0].values())))


def read_zipped(file):
    """The JSON in an archive of one file."""
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read(archive.namelist()[0]))


def write_zipped(file, value):
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(file.name.removesuffix(".zip"), json.dumps(value))


def root_of(directory):
    root = pathlib.Path(directory)
    root = root / "posterior_database" if (root / "posterior_database").is_dir() else root
    if not (root / "posteriors").is_dir():
        raise FileNotFoundError(f"{directory}: no folder posterior_database/posteriors, expected a clone of posteriordb")
    return root


def programs(directory):
    """All Stan programs, also those of no posterior."""
    return set((root_of(directory) / "models/stan").glob("*.stan"))


def posteriors(directory):
    """All posteriors whose program and data are there, by name. FileNotFoundError if this is no such repository."""
    root, found = root_of(directory), []
    for file in sorted((root / "posteriors").glob("*.json"), key=lambda file: file.name.lower()):
        entry = json.loads(file.read_text(encoding="utf-8"))
        reference = entry.get("reference_posterior_name") or "none"
        one = Posterior(entry["name"], root / f"models/stan/{entry['model_name']}.stan",
                        root / f"data/data/{entry['data_name']}.json.zip",
                        root / f"reference_posteriors/draws/draws/{reference}.json.zip")
        if one.program.is_file() and one.data.is_file():
            found.append(one)
    return found
