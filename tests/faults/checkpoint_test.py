"""Checkpoints that are damaged, foreign or missing. A resume skips a damaged one with a warning and uses the one before
it. If none is left, or if the model, data or schedule are not those of the run, it is refused with status 2 and all
reasons."""

import hashlib
import json
import os
import random
import shutil
import struct
import time
import unittest
import unittest.mock

import h5py
import numpy

import pearlite_runner as runner

SMC = {
    "run": {"block": 16},
    "model": {"name": "gaussian", "dimension": 3},
    "schedule": {"kind": "linear", "steps": 60},
    "algorithm": {"name": "smc", "particles": 117},
}
SEARCH = {
    "algorithm": {"name": "pisaa", "chains": 3, "iterations": 4000, "range_iterations": 1000, "replicates": 2},
}
STAMP_BYTES = 512
PIECE_BYTES = 4 << 20


def read_stamp(data):
    """The lines of a container's stamp as a dictionary (those with a value)."""
    lines = data[:STAMP_BYTES].decode().rstrip("\n").split("\n")
    return dict(line.split(" ", 1) for line in lines[1:-1])


def stamped(data, **changes):
    """The container with other lines in its stamp, and with the checksum that belongs to them."""
    fields = {**read_stamp(data), **{key: str(value) for key, value in changes.items()}}
    lines = "pearlite container\n" + "".join(f"{key} {fields[key]}\n" for key in ("schema", "kind", "bytes"))
    whole = hashlib.sha256(lines.encode())
    for begin in range(STAMP_BYTES, len(data), PIECE_BYTES):
        whole.update(hashlib.sha256(data[begin : begin + PIECE_BYTES]).digest())
    text = lines + f"sha256 {whole.hexdigest()}\ncomplete\n"
    return text.encode().ljust(STAMP_BYTES, b"\n") + data[STAMP_BYTES:]


class Base(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.random = random.Random(self._testMethodName)

    def configure(self, tables, name="run"):
        return runner.write_configuration(self.directory / f"{name}.toml", **tables)

    def go(self, *arguments, status=runner.FINISHED, **options):
        ended = runner.pearlite(*arguments, **options)
        allowed = (status, runner.FAILED) if status == runner.STOPPED else (status,)
        self.assertIn(ended.status, allowed, ended.describe())
        return ended

    def stopped(self, file, *options, steps=(20, 20)):
        """A run directory with a checkpoint for each stop."""
        where = self.directory / "stopped"
        self.go("run", file, "-o", where, "--step-limit", steps[0], *options, status=runner.STOPPED)
        for more in steps[1:]:
            self.go("resume", where, "--step-limit", more, status=runner.STOPPED)
        self.assertEqual(len(runner.checkpoints(where)), 2)
        return where

    def resumed(self, where, status, **options):
        return self.go("resume", where, status=status, **options)


class DamagedCheckpoints(Base):
    def damages(self):
        """name: (damage, its message). A damage is a function of the file."""
        places = ("at the front", "of the stamp", "in the middle", "at the end")
        flips = {f"a bit {place}": self.flip(place) for place in places}
        return {
            "nothing left": (lambda file: file.write_bytes(b""), "empty"),
            "cut within the stamp": (lambda file: os.truncate(file, 100), "cut short"),
            "cut at random": (self.cut, "cut short"),
            "one byte short": (lambda file: os.truncate(file, file.stat().st_size - 1), "cut short"),
            "one byte long": (lambda file: file.write_bytes(file.read_bytes() + b"\0"), "damaged"),
            **{name: (damage, "damaged|not a Pearlite|of schema|cut short") for name, damage in flips.items()},
            "zeros in the middle": (self.zeros, "damaged: its checksum differs"),
            "older schema": (lambda file: file.write_bytes(stamped(file.read_bytes(), schema=0)), "schema 0, .*older"),
            "newer schema": (lambda file: file.write_bytes(stamped(file.read_bytes(), schema=99)), "schema 99, .*newer"),
            "another kind": (lambda file: file.write_bytes(stamped(file.read_bytes(), kind="results")), "is a results"),
            "garbage": (lambda file: file.write_bytes(self.random.randbytes(file.stat().st_size)), "not a Pearlite"),
            "text": (lambda file: file.write_text("hello\n"), "not a Pearlite container"),
            "a directory": (self.make_directory, "is a directory"),
            "a pipe": (self.make_pipe, "not a regular file"),
            "a link to nowhere": (self.make_link, "No such file"),
        }

    def flip(self, place):
        def damage(file):
            data = bytearray(file.read_bytes())
            at = {"at the front": 0, "of the stamp": self.random.randrange(20, 150), "at the end": len(data) - 1,
                  "in the middle": self.random.randrange(STAMP_BYTES, len(data))}[place]
            data[at] ^= 1 << self.random.randrange(7)
            file.write_bytes(data)

        return damage

    def cut(self, file):
        os.truncate(file, self.random.randrange(STAMP_BYTES, file.stat().st_size - 1))

    def zeros(self, file):
        """Zeroes a page, as a disk does that did not write it."""
        data = bytearray(file.read_bytes())
        pages = [k for k in range(1, len(data) // 4096) if any(data[4096 * k : 4096 * (k + 1)])]
        k = self.random.choice(pages)
        data[4096 * k : 4096 * (k + 1)] = bytes(4096)
        file.write_bytes(data)

    def make_directory(self, file):
        file.unlink()
        file.mkdir()
        (file / "inside").write_text("something", encoding="utf-8")

    def make_pipe(self, file):
        file.unlink()
        os.mkfifo(file)

    def make_link(self, file):
        file.unlink()
        file.symlink_to(self.directory / "nowhere")

    def test_stamps_are_understood(self):
        """The tests change stamps only as stated: rewriting an unchanged stamp gives the same bytes."""
        where = self.stopped(self.configure(SMC))
        data = runner.checkpoints(where)[0].read_bytes()
        self.assertEqual(stamped(data), data)

    def test_the_newest_is_damaged(self):
        file = self.configure(SMC)
        self.go("run", file, "-o", self.directory / "whole")
        expected = runner.findings(self.directory / "whole")
        stopped = self.stopped(file)
        for name, (damage, said) in self.damages().items():
            with self.subTest(name):
                where = self.directory / name
                shutil.copytree(stopped, where)
                newest, previous = runner.checkpoints(where)
                damage(newest)
                ended = self.resumed(where, runner.FINISHED, ranks=2)
                self.assertRegex(ended.err, f"warning: passed over {newest.name}: .*({said})")
                self.assertIn(f"resumed from {previous.name}", ended.err)
                log = (where / "run.log").read_text(encoding="utf-8")
                self.assertRegex(log, f"warning: passed over {newest.name}: .*({said})")
                self.assertEqual(runner.findings(where), expected)

    def test_both_are_damaged(self):
        stopped = self.stopped(self.configure(SMC))
        names = [("cut at random", "nothing left"), ("garbage", "newer schema"), ("a directory", "zeros in the middle")]
        for ranks, (first, second) in zip((None, 2, 3), names):
            with self.subTest(first, second=second):
                where = self.directory / first
                shutil.copytree(stopped, where)
                files, said = runner.checkpoints(where), []
                for file, name in zip(files, (first, second)):
                    damage, reason = self.damages()[name]
                    damage(file)
                    said.append(f"passed over {file.name}: .*({reason})")
                ended = self.resumed(where, runner.BAD_INPUT, ranks=ranks)
                for pattern in ["no usable checkpoint", "--overwrite", *said]:
                    self.assertRegex(ended.err, pattern)
                self.assertFalse((where / "results.h5").exists())

    def test_stamps_are_believed(self):
        """Damage under a valid checksum: numbers that point nowhere are refused, since they contradict others."""
        annealing = {**SMC, "algorithm": {"name": "annealed-importance", "trajectories": 64}}
        for name, tables, place, wrong, steps in (
                ("a negative", SMC, "eve", -1, 20), ("a far", SMC, "eve", 1 << 40, 20),
                ("no", annealing, "step", 1 << 40, 20), ("a bygone", annealing, "step", -1, 20),
                ("too many", SMC, "size", 1 << 61, 20), ("too large", SMC, "round", 1 << 40, 20),
                ("unlikely", annealing, "learnt", 1e228, 90)):
            with self.subTest(f"{name} {place}"):
                where = self.directory / f"{name} {place}"
                self.go("run", self.configure(tables), "-o", where, "--step-limit", steps, status=runner.STOPPED)
                file, *earlier = runner.checkpoints(where)
                for each in earlier:
                    each.unlink()
                with h5py.File(file, "r+") as container:
                    found = []
                    container["state"].visit(lambda path: found.append(path) if path.split("/")[-1] == place else None)
                    self.assertTrue(found)
                    for path in found:
                        numbers = container["state"][path]
                        numbers[()] = numpy.full(numbers.shape, wrong)
                file.write_bytes(stamped(file.read_bytes()))
                ended = self.resumed(where, runner.BAD_INPUT, ranks=2)
                self.assertIn("its contents contradict each other", ended.err)

    def test_damaged_ones_do_not_stay(self):
        """A run that skipped a damaged checkpoint leaves two good ones."""
        where = self.stopped(self.configure(SMC))
        damaged, previous = runner.checkpoints(where)
        damaged.write_bytes(b"hello")
        self.go("resume", where, "--step-limit", "10", status=runner.STOPPED)
        self.assertNotIn(damaged, runner.checkpoints(where))
        self.assertEqual(len(runner.checkpoints(where)), 2)
        self.assertIn(previous, runner.checkpoints(where))
        self.assertNotIn("passed over", self.go("resume", where).err)


class OtherInputs(Base):
    """Data, weights or temperatures that differ from those of the checkpoint."""

    def setUp(self):
        super().setUp()
        # A run continues with the data directory with which it began, even if the environment names another.
        elsewhere = unittest.mock.patch.dict(os.environ, {"PEARLITE_DATA_DIR": str(self.directory / "elsewhere")})
        elsewhere.start()
        self.addCleanup(elsewhere.stop)

    def write_weights(self, directory, scale=1.0):
        directory.mkdir(exist_ok=True)
        numbers = random.Random(1)
        n_visible, n_hidden = 12, 5
        values = [numbers.gauss(0, 0.5) for _ in range(n_visible * n_hidden + n_visible + n_hidden)]
        values[7] *= scale
        (directory / "weights.f64").write_bytes(struct.pack(f"<2q{len(values)}d", n_visible, n_hidden, *values))
        return directory

    def write_table(self, directory, changed=0.0):
        directory.mkdir(exist_ok=True)
        numbers = random.Random(2)
        rows = [[numbers.randrange(2), numbers.gauss(0, 1), numbers.gauss(0, 1)] for _ in range(40)]
        rows[11][2] += changed
        (directory / "table.dat").write_text("".join(f"{y} {a!r} {b!r}\n" for y, a, b in rows), encoding="utf-8")
        return directory

    def write_image(self, directory, changed=False):
        directory.mkdir(exist_ok=True)
        numbers = random.Random(4)
        pixels = [numbers.randrange(2) for _ in range(12 * 9)]
        pixels[50] ^= changed
        (directory / "image.pbm").write_text("P1\n12 9\n" + " ".join(map(str, pixels)) + "\n", encoding="utf-8")
        return directory

    def write_levels(self, directory, changed=False):
        directory.mkdir(exist_ok=True)
        numbers = random.Random(5)
        rows = [[numbers.randrange(3) for _ in range(4)] for _ in range(50)]
        rows[20][1] = (rows[20][1] + changed) % 3
        (directory / "levels.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
        return directory

    def refused_elsewhere(self, model, right, wrong, tables=SMC):
        tables = {**tables, "model": model}
        file = self.configure(tables)
        self.go("run", file, "-o", self.directory / "whole", "--data-dir", right)
        where = self.stopped(file, "--data-dir", right)
        for ranks in (None, 3):
            ended = self.resumed_with(where, wrong, runner.BAD_INPUT, ranks)
            self.assertRegex(ended.err, "model or its data .* are not those the checkpoint was made with")
        (self.directory / "empty").mkdir()
        ended = self.resumed_with(where, self.directory / "empty", runner.BAD_INPUT, None)
        self.assertRegex(ended.err, "no such file")
        moved = shutil.copytree(where, self.directory / "moved")
        right.rename(self.directory / "elsewhere")
        self.resumed(where, runner.FINISHED, ranks=3)  # found by the environment
        self.assertEqual(runner.findings(where), runner.findings(self.directory / "whole"))
        (self.directory / "elsewhere").rename(self.directory / "farther")
        self.resumed_with(moved, self.directory / "farther", runner.FINISHED, 2)
        self.assertEqual(runner.findings(moved), runner.findings(self.directory / "whole"))

    def resumed_with(self, where, data_directory, status, ranks):
        return self.go("resume", where, "--data-dir", data_directory, status=status, ranks=ranks)

    def test_weights(self):
        right = self.write_weights(self.directory / "right")
        wrong = self.write_weights(self.directory / "wrong", 1 + 2.0**-52)
        self.refused_elsewhere({"name": "rbm", "weights": "weights.f64"}, right, wrong)

    def test_table(self):
        right, wrong = self.write_table(self.directory / "right"), self.write_table(self.directory / "wrong", 1e-9)
        self.refused_elsewhere({"name": "logistic-regression", "data": "table.dat", "response": "column1"}, right, wrong)

    def test_image(self):
        right, wrong = self.write_image(self.directory / "right"), self.write_image(self.directory / "wrong", True)
        self.refused_elsewhere({"name": "image-restoration", "image": "image.pbm"}, right, wrong, SEARCH)

    def test_table_of_a_network(self):
        right, wrong = self.write_levels(self.directory / "right"), self.write_levels(self.directory / "wrong", True)
        self.refused_elsewhere({"name": "bayesian-network", "data": "levels.csv"}, right, wrong, SEARCH)

    def test_schedule_file(self):
        schedule = self.directory / "schedule.txt"
        points = [k / 60 for k in range(61)]
        schedule.write_text("\n".join(map(repr, points)), encoding="utf-8")
        where = self.stopped(self.configure({**SMC, "schedule": {"kind": "file", "file": "schedule.txt"}}))
        points[50] += 1e-6
        schedule.write_text("\n".join(map(repr, points)), encoding="utf-8")
        ended = self.resumed(where, runner.BAD_INPUT, ranks=2)
        self.assertIn("the inverse temperatures are not those the checkpoint was made with", ended.err)
        schedule.unlink()
        self.assertRegex(self.resumed(where, runner.BAD_INPUT).err, "no such file .*schedule.txt")

    def changed_by_hand(self, tables, old, new):
        """Checkpoints whose configuration was changed by hand, stamp and all, and with it the model."""
        where = self.stopped(self.configure(tables))
        for file in runner.checkpoints(where):
            data = file.read_bytes()
            self.assertEqual(data.count(old), 1)
            file.write_bytes(stamped(data.replace(old, new)))
        ended = self.resumed(where, runner.BAD_INPUT, ranks=2)
        self.assertRegex(ended.err, "model or its data .* are not those the checkpoint was made with")

    def test_another_model(self):
        self.changed_by_hand({**SMC, "model": {"name": "gaussian", "end_sd": 1.5}}, b"end_sd = 1.5", b"end_sd = 2.5")

    def test_another_energy(self):
        model = {"name": "test-function", "dimension": 4, "rotation_seed": 7}
        self.changed_by_hand({**SEARCH, "model": model}, b"rotation_seed = 7", b"rotation_seed = 8")

    def test_another_function(self):
        model = {"name": "test-function", "dimension": 4, "function": "griewank"}
        self.changed_by_hand({**SEARCH, "model": model}, b'"griewank"', b'"schwefel"')


class Directories(Base):
    """Messages of `pearlite resume` for directories without a run that can be resumed."""

    def test_finished(self):
        where = self.directory / "finished"
        first = self.go("run", self.configure(SMC), "-o", where)
        before = {file.name: file.read_bytes() for file in where.iterdir()}
        for ranks in (None, 3):
            again = self.resumed(where, runner.FINISHED, ranks=ranks)
            self.assertEqual(again.out, first.out)
            self.assertIn(runner.summary(where)["digest"], again.out)
        self.assertEqual({file.name: file.read_bytes() for file in where.iterdir()}, before)

    def test_empty(self):
        (self.directory / "empty").mkdir()
        for ranks in (None, 2):
            ended = self.resumed(self.directory / "empty", runner.BAD_INPUT, ranks=ranks)
            self.assertRegex(ended.err, "no checkpoint in .*; nothing to resume: `pearlite run FILE.toml -o .*--overwrite`")
        self.assertEqual(os.listdir(self.directory / "empty"), [])

    def test_absent(self):
        ended = self.resumed(self.directory / "absent", runner.BAD_INPUT)
        self.assertIn("no such directory; expected the directory of a run", ended.err)
        self.assertFalse((self.directory / "absent").exists())

    def test_a_file(self):
        ended = self.resumed(self.configure(SMC), runner.BAD_INPUT)
        self.assertIn("expected the directory of a run", ended.err)

    def test_a_damaged_summary(self):
        """A summary of another program, or half a summary, does not prevent a resume."""
        file = self.configure(SMC)
        self.go("run", file, "-o", self.directory / "whole")
        for number, text in enumerate(("", "{", "[]", "null", '{"status": 3}', '{"status": "stopped"}', "\xff")):
            with self.subTest(text):
                where = self.directory / f"run-{number}"
                self.go("run", file, "-o", where, "--step-limit", 20, status=runner.STOPPED)
                (where / "summary.json").write_bytes(text.encode("latin-1"))
                self.resumed(where, runner.FINISHED)
                self.assertEqual(runner.findings(where), runner.findings(self.directory / "whole"))

    def test_a_damaged_summary_of_a_finished_run(self):
        """Numbers of another type in the summary are bad input."""
        where = self.directory / "finished"
        self.go("run", self.configure(SMC), "-o", where)
        whole = runner.summary(where)
        for number, change in enumerate(({"headline": {"value": "x"}}, {"diagnostics": {"warnings": [3]}}, {"timing": []},
                                         {"verdict": 3})):
            with self.subTest(change):
                (where / "summary.json").write_text(json.dumps({**whole, **change}), encoding="utf-8")
                ended = self.resumed(where, runner.BAD_INPUT, ranks=(None, 2)[number % 2])
                self.assertIn("summary.json: damaged; expected what a run wrote", ended.err)

    def test_a_checkpoint_of_another_run(self):
        file = self.configure(SMC)
        where = self.stopped(file)
        self.go("run", file, "-o", self.directory / "whole")
        self.go("run", self.configure({**SMC, "run": {"block": 16, "seed": 5}}, "other"), "-o", self.directory / "other")
        newest = runner.checkpoints(self.directory / "other")[0]
        self.assertGreater(newest.name, runner.checkpoints(where)[0].name)
        shutil.copy(newest, where)
        for number, ranks in enumerate((None, 2)):
            copy = shutil.copytree(where, self.directory / f"copy-{number}")
            ended = self.resumed(copy, runner.FINISHED, ranks=ranks)
            self.assertRegex(ended.err, f"passed over {newest.name}: it belongs to another run, [0-9a-f]{{32}}; the run of "
                                        "this directory is [0-9a-f]{32}")
            self.assertEqual(runner.findings(copy), runner.findings(self.directory / "whole"))
        # Alone, in a directory that no run has, it is what its owner wants.
        alone = self.directory / "alone"
        alone.mkdir()
        shutil.copy(newest, alone)
        self.assertNotIn("passed over", self.resumed(alone, runner.FINISHED).err)
        self.assertEqual(runner.findings(alone), runner.findings(self.directory / "other"))
        self.assertRegex((alone / "run.id").read_text(encoding="utf-8"), "^[0-9a-f]{32}\n$")

    def test_automatic_interval(self):
        """With a failure every 5 s, checkpoints follow each other within seconds; with one a year, there is only the
        first during this test."""
        def times_of(between_failures, patience):
            tables = {**SMC, "run": {"checkpoint_every": "auto", "mean_time_between_failures": between_failures},
                      "model": {"name": "gaussian", "dimension": 20}, "schedule": {"kind": "linear", "steps": 100_000}}
            file = self.configure(tables, "often" if between_failures < 100 else "seldom")
            where = file.with_suffix("")
            found = {}
            with runner.Program("run", file, "-o", where) as program:
                runner.wait_until(lambda: runner.checkpoints(where))
                begin = time.monotonic()
                while time.monotonic() < begin + patience and len(found) < 3:
                    for file in runner.checkpoints(where):
                        found.setdefault(file.name, time.monotonic() - begin)
                    time.sleep(0.02)
                program.kill_all()
            return sorted(found.values())

        often, seldom = times_of(5, 60), times_of(3e7, 5)
        self.assertEqual(len(seldom), 1)
        self.assertEqual(len(often), 3)
        for before, after in zip(often, often[1:], strict=False):
            self.assertGreater(after - before, 0.9)

    def test_foreign_files_stay(self):
        where = self.stopped(self.configure(SMC))
        foreign = {"notes.txt", ".hidden", "checkpoint.h5", "checkpoint.1.h5.bak", "results.old.h5"}
        for name in foreign:
            (where / name).write_text("mine", encoding="utf-8")
        self.go("resume", where, ranks=2)
        for name in foreign:
            self.assertEqual((where / name).read_text(encoding="utf-8"), "mine")


if __name__ == "__main__":
    runner.main()
