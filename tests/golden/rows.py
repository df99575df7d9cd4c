"""The rows of the golden table: every shipped job in its short form, every algorithm with every model it goes with, and some
variants.

All settings that they need beyond jobs/*.toml are in settings.py and variants.py, and nowhere else. A job without a
short form, a model or an algorithm without settings is an error, so that a new one gets its rows.
"""

import dataclasses
import os
import pathlib
import tomllib

import pearlite_runner as runner
import settings
import variants

SEARCHES = ("sa", "vfsa", "saa", "psaa", "pisaa", "asamc", "aesamc")
JOBS_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "jobs"


@dataclasses.dataclass(frozen=True)
class Row:
    """A run: the tables of its configuration, or a shipped job with overrides."""

    name: str
    tables: dict | None = None
    job: pathlib.Path | None = None
    overrides: tuple = ()
    data: tuple = ()  # of a job: files below PEARLITE_DATA_DIR without which it cannot run
    is_interrupted: bool = True  # stopped before its end, so that the states in its checkpoint are compared as well
    is_short: bool = False  # one of the selection that CI runs

    def arguments(self, scratch):
        """Arguments of `pearlite run` without the directory. Generated data are in `scratch`."""
        sets = [word for override in self.overrides for word in ("--set", override)]
        if self.job:
            return [self.job, *sets]
        configuration = scratch / (self.name.replace("/", "+") + ".toml")
        return [runner.write_configuration(configuration, **self.tables), "--data-dir", scratch, *sets]

    def is_search(self):
        tables = self.tables or tomllib.loads(self.job.read_text(encoding="utf-8"))
        return tables.get("algorithm", {}).get("name") in SEARCHES

    def missing_data(self):
        """The first data file that is not there; None if all are."""
        directory = pathlib.Path(os.environ.get("PEARLITE_DATA_DIR", "/nonexistent"))
        return next((file for file in self.data if not (directory / file).exists()), None)


def texts_of(value):
    """All texts among the values of a table, and of the tables and lists in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_of(each)


def job_row(file):
    """LookupError if the job has no short form."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    if "short" not in tables:
        raise LookupError(f"{file}: no table [short], by which tests run the job within seconds")
    name = file.stem
    data = sorted({text for text in texts_of(tables) if "/" in text})
    data += [settings.DATA_OF_STUDIES[name]] if name in settings.DATA_OF_STUDIES else []
    return Row(f"job/{name}", job=file, overrides=("run.short=true",), data=tuple(data),
               is_interrupted="sweep" not in tables and name not in settings.JOBS_THAT_SEARCH)


def job_rows():
    """Every jobs/*.toml."""
    return [job_row(file) for file in sorted(JOBS_DIRECTORY.glob("*.toml"))]


def annealed_tables(model, algorithm, kernel):
    extra = settings.ALGORITHMS[algorithm]
    tables = {"model": {"name": model, **settings.MODELS[model]}, **extra,
              "algorithm": {"name": algorithm, **extra["algorithm"]}}
    if model in settings.PATHS:
        tables["path"] = settings.PATHS[model]
    if algorithm not in settings.WITHOUT_BLOCKS:
        tables["run"] = {"block": 16}
    if kernel != "native" and algorithm in settings.TAKE_PILOTS:
        tables |= settings.PILOT
    return tables


def annealed_pair(model, algorithm, kernel):
    return Row(f"{algorithm}/{model}", annealed_tables(model, algorithm, kernel),
               is_interrupted=algorithm not in settings.NOT_INTERRUPTED, is_short=(model, algorithm) in settings.SHORT)


def searched_pair(model, algorithm):
    tables = {"model": {"name": model, **settings.SEARCHED[model]}, "algorithm": {"name": algorithm, **settings.SEARCH}}
    return Row(f"{algorithm}/{model}", tables, is_interrupted=False, is_short=(model, algorithm) in settings.SHORT)


def trained_pair(model, algorithm):
    tables = {"model": {"name": model, **settings.TRAINED[model]},
              "algorithm": {"name": algorithm, **settings.TRAININGS[algorithm]}}
    return Row(f"{algorithm}/{model}", tables, is_short=(model, algorithm) in settings.SHORT)


def names_of(section):
    return [line.split()[0] for line in section.splitlines()[1:] if line.startswith("  ")]


def pair_rows(listing):
    """Rows of the output of `pearlite list`. LookupError if it names a model or algorithm without settings here."""
    every = [section.strip("\n") for section in listing.split("\n\n") if section.strip()]
    first_of_training = next(i for i, section in enumerate(every) if section.startswith("models to be trained"))
    trained, trainings = every[first_of_training : first_of_training + 2]
    _, annealing, combinations, searched, searches, _ = every[:6]  # operations of boxes follow
    sections = [*every[:6], trained, trainings]
    known = {*settings.ALGORITHMS, *settings.MODELS, *settings.SEARCHED, *settings.SEARCHES, *settings.TRAINED,
             *settings.TRAININGS, *settings.ELSEWHERE}
    listed = {name for section in sections for name in names_of(section)}
    if listed != known:
        raise LookupError(f"`pearlite list` and {settings.__file__} do not match: " + ", ".join(sorted(listed ^ known)))
    for line in combinations.splitlines()[1:]:
        model, kernel, algorithms = line.split(maxsplit=2)
        if model in settings.ELSEWHERE:
            continue
        for algorithm in algorithms.partition(";")[0].split(", "):
            if algorithm not in names_of(annealing):
                raise LookupError(f"`pearlite list`: {line!r} does not list algorithms")
            yield annealed_pair(model, algorithm, kernel)
    for model in names_of(searched):
        for algorithm in names_of(searches):
            yield searched_pair(model, algorithm)
    for model in names_of(trained):
        for algorithm in names_of(trainings):
            yield trained_pair(model, algorithm)


def variant_rows():
    for name, tables in variants.annealed().items():
        yield Row(f"variant/{name}", tables)
    for name, tables in variants.searched().items():
        yield Row(f"variant/{name}", tables, is_interrupted=False)


def all_rows():
    """Every row, in the order of their names."""
    listing = runner.pearlite("list")
    if listing.status != runner.FINISHED:
        raise RuntimeError(f"pearlite list: {listing.describe()}")
    return sorted([*job_rows(), *pair_rows(listing.out), *variant_rows()], key=lambda row: row.name)


