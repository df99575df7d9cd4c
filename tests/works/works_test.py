"""`pearlite works` on files of works: against a run's own numbers, against exact answers, and on files with mistakes.

Normal works obey Crooks' theorem exactly: forward ones N(mu, s^2) kT, reverse ones, as the reverse process does them,
N(s^2 - mu, s^2), with free energy difference mu - s^2/2. Estimates must lie within 4 standard errors, a false alarm in
15 000 seeds; the seeds are fixed.
"""

import hashlib
import random
import unittest

import h5py
import numpy
import pearlite_runner as runner

MU, SD = 7.0, 1.5
FREE_ENERGY = MU - SD ** 2 / 2
GAS_CONSTANT = 8.31446261815324e-3  # kJ/(mol K)


class Works(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.directory = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def write(self, name, lines):
        file = self.directory / name
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return file

    def normal_works(self, n=4000, seed=1, unit=1.0):
        draw = random.Random(seed)
        forward = [unit * draw.gauss(MU, SD) for _ in range(n)]
        reverse = [unit * draw.gauss(SD ** 2 - MU, SD) for _ in range(n)]
        return forward, reverse

    def works(self, *arguments, ranks=None, status=runner.FINISHED):
        ended = runner.pearlite("works", *arguments, ranks=ranks)
        self.assertEqual(ended.status, status, ended.describe())
        return ended

    def result(self, name, *arguments, **options):
        self.works(*arguments, "-o", self.directory / name, **options)
        return runner.summary(self.directory / name)

    def test_equal_to_a_run_bit_for_bit(self):
        file = runner.write_configuration(
            self.directory / "run.toml", run={"block": 16, "seed": 9}, model={"name": "gaussian-ar"},
            schedule={"kind": "linear", "steps": 30},
            algorithm={"name": "nonequilibrium", "trajectories": 317, "reverse_trajectories": 290,
                       "reverse_start": "exact"})
        where = self.directory / "run"
        ended = runner.pearlite("run", file, "-o", where)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        with h5py.File(where / "results.h5") as results:
            works = {way: results[f"work/{way}"][:].tolist() for way in ("forward", "reverse")}
        files = [self.write(f"{way}.csv", ["work", *map(repr, works[way])]) for way in ("forward", "reverse")]
        expected = runner.summary(where)
        for ranks in (None, 3):
            found = self.result(f"works-{ranks}", *files, "--same-sign", "--independent", "--seed", 9, ranks=ranks)
            own = [estimate for estimate in expected["log_evidence"] if estimate["quantity"] == "log_ratio"]
            self.assertEqual(len(found["log_evidence"]), len(own))
            for mine, its in zip(found["log_evidence"], own):
                for key in ("estimator", "value", "standard_error", "interval95"):
                    self.assertEqual(mine.get(key), its.get(key), mine["estimator"])
            for key in ("overlap", "effective_overlap", "crooks_slope", "lower_bound", "ess"):
                self.assertEqual(found["diagnostics"].get(key), expected["diagnostics"].get(key), key)

    def test_exact_answers_in_all_units(self):
        for unit, per_kt, options in (("kT", 1, ()), ("kJ/mol", GAS_CONSTANT * 310, ("--temperature", 310)),
                                      ("kcal/mol", GAS_CONSTANT * 310 / 4.184, ("--temperature", 310))):
            with self.subTest(unit):
                forward, reverse = self.normal_works(unit=per_kt)
                files = [self.write(f"{way}.csv", map(repr, values))
                         for way, values in (("forward", forward), ("reverse", reverse))]
                found = self.result(f"in-{unit[:2]}", *files, "--units", unit, *options)["free_energy_difference"]
                self.assertEqual(found["unit"], unit)
                self.assertLess(abs(found["value"] - FREE_ENERGY * per_kt), 4 * found["standard_error"])
                self.assertLess(found["standard_error"], 0.05 * per_kt)

    def test_a_wrong_sign_is_found_out(self):
        """Reverse works with the sign of the forward process, but without the option for that sign, cause a warning."""
        forward, reverse = self.normal_works()
        files = [self.write("forward.csv", map(repr, forward)), self.write("reverse.csv", (repr(-w) for w in reverse))]
        ended = self.works(*files)
        self.assertRegex(ended.out, "too fast|inconsistent")
        self.assertIn("with the other sign of the reverse works", ended.out)
        self.assertNotRegex(ended.out, "anneal|equilibration")
        self.assertIn("agree", self.works(*files, "--same-sign").out)

    def test_formats(self):
        forward, reverse = self.normal_works(n=200)
        plain = [self.write("forward.csv", map(repr, forward)), self.write("reverse.csv", map(repr, reverse))]
        expected = self.result("plain", *plain)["log_evidence"]
        tables = {
            "header": (["time,work,other", *(f"{k},{w!r},x" for k, w in enumerate(forward))], ("--column", "work")),
            "number": (["time,work,other", *(f"{k},{w!r},x" for k, w in enumerate(forward))], ("--column", "2")),
            "xvg": (["# gmx", "@ title \"W\"", *(f"{k} {w!r}" for k, w in enumerate(forward))], ()),
        }
        for name, (lines, options) in tables.items():
            with self.subTest(name):
                file = self.write(f"{name}.dat", lines)
                # The other file has one column of no name.
                other = plain[1] if not options else self.write(
                    "other.csv", ["work,work", *(f"{w!r},{w!r}" for w in reverse)])
                self.assertEqual(self.result(f"as-{name}", file, other, *options)["log_evidence"], expected)

    def test_files_are_recorded_by_their_digests(self):
        """Catches a result that does not say of which files it is, and a directory that has the digest of one record."""
        files = [self.write(f"{side}.csv", map(repr, works)) for side, works in zip("fr", self.normal_works(n=100))]
        digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]
        self.assertEqual([(entry["key"], entry["sha256"]) for entry in self.result("digests", *files)["files"]],
                         list(zip(("forward", "reverse"), digests)))
        places = []
        for side in ("forward", "reverse"):
            places.append(self.directory / side)
            places[-1].mkdir()
            for i in range(3):
                slope = i if side == "forward" else 2.5 - i
                (places[-1] / f"{i}.xvg").write_text(f"0 {slope}\n1 {slope + 1}\n", encoding="utf-8")
        printed = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
                          for file in sorted(places[0].iterdir()))
        found = self.result("of-records", *places, "--integrate", "lambda")["files"][0]
        self.assertEqual(found["sha256"], hashlib.sha256(printed.encode()).hexdigest())

    def test_report_of_works(self):
        forward, reverse = self.normal_works(n=300)
        files = [self.write("forward.csv", map(repr, forward)), self.write("reverse.csv", map(repr, reverse))]
        self.result("shown", *files)
        ended = runner.pearlite("report", self.directory / "shown")
        if ended.status == runner.BAD_INPUT and "needs Python" in ended.err:
            self.skipTest("no matplotlib")
        self.assertEqual(ended.status, 0, ended.describe())
        self.assertTrue((self.directory / "shown" / "report.html").exists())
        self.assertTrue(list((self.directory / "shown" / "figures").glob("*work*")))

    def test_mistakes_name_file_line_and_column(self):
        good = self.write("good.csv", ["1.5", "2.5", "3.5"])
        cases = {
            "nan": (["1", "nan", "3"], 'bad.csv:2: column 1: not a number (got "nan"), expected a finite number'),
            "inf": (["1", "2", "-inf"], 'bad.csv:3: column 1: not a number (got "-inf"), expected a finite number or inf'),
            "huge": (["1", "1e999"], 'bad.csv:2: column 1: not a number (got "1e999"), expected a finite number'),
            "word": (["1", "two"], 'bad.csv:2: column 1: not a number (got "two"), expected a finite number'),
            "hole": (["a,work", "1,2", "3,", "4,5"], 'bad.csv:3: column 2: not a number (got ""), expected a finite number'),
            "two-columns": (["1,2", "3,6", "4,5"], "several of its columns may have the works, expected --column with a "
                                                   "name or a number: column 1, column 2"),
            "comma": (["0.5,1", "0,592,2"], "bad.csv:2: wrong number of columns (got 3), expected 2 as in line 1"),
            "short": (["1 2", "3"], "bad.csv:2: wrong number of columns (got 1), expected 2 as in line 1"),
            "long": (["1", "2 3"], "bad.csv:2: wrong number of columns (got 2), expected 1 as in line 1"),
            "late-header": (["1", "work", "2"], 'bad.csv:2: column 1: not a number (got "work"), expected a finite number'),
            "one": (["1"], "1 row(s) of numbers, expected at least two"),
            "none": (["# nothing"], "0 row(s) of numbers, expected at least two"),
            "header-alone": (["work"], "0 row(s) of numbers, expected at least two"),
            "units": (["1 kJ", "2 kJ"], "several of its columns may have the works"),
            "hex": (["1", "0x10"], 'bad.csv:2: column 1: not a number (got "0x10"), expected a finite number'),
            "quoted": (["1", '"2"'], "bad.csv:2: column 1: not a number"),
            "semicolons": (["1;2", "3;4"], "bad.csv:1: column 1: not a number"),
        }
        for name, (lines, words) in cases.items():
            with self.subTest(name):
                ended = self.works(self.write("bad.csv", lines), good, status=runner.BAD_INPUT)
                self.assertIn("bad.csv", ended.err)
                self.assertIn(words, ended.err)
        options = {("--column", "work"): 'no column "work"', ("--column", "7"): 'no column "7"',
                   ("--units", "kJ/mol"): "need --temperature", ("--temperature", "300"): "have no --temperature",
                   ("--beta", "1", "--temperature", "300"): "expected one of them"}
        for extra, words in options.items():
            with self.subTest(extra):
                self.assertIn(words, self.works(good, good, *extra, status=runner.BAD_INPUT).err)
        for extra in (("--beta", "-1"), ("--units", "eV"), ("--seed", "-1"), ("--block", "0")):
            with self.subTest(extra):
                self.works(good, good, *extra, status=runner.BAD_INPUT)
        ended = self.works(self.directory / "none.csv", good, "-o", self.directory / "out", ranks=2, status=runner.BAD_INPUT)
        self.assertFalse((self.directory / "out").exists())
        self.assertIn("none.csv", ended.err)



class Records(unittest.TestCase):
    """Works that the program integrates by trapezoids equal those of NumPy."""

    def setUp(self):
        self.directory = self.enterContext(runner.scratch_directory())
        rng = numpy.random.default_rng(3)
        self.works = {"forward": [], "reverse": []}
        for name, sign in (("forward", 1), ("reverse", -1)):
            (self.directory / name).mkdir()
            for i in range(40):
                times = numpy.linspace(0, 5, 21)
                slope = 3 + sign * 0.5 + rng.normal(size=21)
                text = "@ title \"x\"\n@ s0 legend \"pV\"\n@ s1 legend \"dH/dl\"\n" + "".join(f"{t} 0 {float(v)!r}\n" for t, v in zip(times, slope))
                (self.directory / name / f"dhdl-{i:02}.xvg").write_text(text, encoding="utf-8")
                self.works[name].append(sign * float(numpy.trapz(slope, times)))

    def run_of(self, *arguments, status=runner.FINISHED):
        ended = runner.pearlite("works", *arguments)
        self.assertEqual(ended.status, status, ended.describe())
        return ended

    def estimates(self, text):
        return [line for line in text.splitlines() if "log Z/Z_0" in line]

    def test_of_lambda_and_of_a_force(self):
        for of, scale, options in (("lambda", 1 / 5, []), ("force", 0.25, ["--velocity", 0.25, "--column", 3])):
            for name, works in self.works.items():
                (self.directory / f"{name}.txt").write_text("".join(f"{w * scale!r}\n" for w in works), encoding="utf-8")
            made = self.run_of(self.directory / "forward", self.directory / "reverse", "--integrate", of, *options)
            given = self.run_of(self.directory / "forward.txt", self.directory / "reverse.txt")
            self.assertEqual(self.estimates(made.out), self.estimates(given.out))
            self.assertIn("column 3 ('dH/dl') (not used: column 2 ('pV')), 40 works", made.out)

    def test_mistakes(self):
        forward, reverse = self.directory / "forward", self.directory / "reverse"
        def refusal(*arguments):
            return self.run_of(*arguments, status=runner.BAD_INPUT).err
        self.assertIn("a directory; expected a file of works, or --integrate", refusal(forward, reverse))
        self.assertIn("expected --velocity", refusal(forward, reverse, "--integrate", "force"))
        self.assertIn("--velocity: expected --integrate force", refusal(forward, reverse, "--velocity", 1))
        self.assertIn("no directory", refusal(forward / "dhdl-00.xvg", reverse, "--integrate", "lambda"))
        legends = "@ s0 legend \"pV\"\n@ s1 legend \"dH/dl\"\n"
        (reverse / "dhdl-07.xvg").write_text(legends + "0 0 1\n1 0 2\n1 0 3\n", encoding="utf-8")
        self.assertIn("dhdl-07.xvg: time 1 comes after 1", refusal(forward, reverse, "--integrate", "lambda"))
        (reverse / "dhdl-07.xvg").write_text(legends + "0 0 1\n1 0 x\n", encoding="utf-8")
        self.assertIn("dhdl-07.xvg:4: ", refusal(forward, reverse, "--integrate", "lambda"))
        (self.directory / "empty").mkdir()
        self.assertIn("0 record(s) of trajectories", refusal(forward, self.directory / "empty", "--integrate", "lambda"))

    def test_records_that_are_no_whole_switches(self):
        """Records that end early, begin late, have holes or other columns would be integrated as whole switches."""
        record = self.directory / "forward" / "dhdl-11.xvg"
        lines = record.read_text(encoding="utf-8").splitlines()
        spoiled = {
            "dhdl-11.xvg: the record ends at time 3": lines[:16],
            "dhdl-11.xvg: the record begins at time 1": lines[:3] + lines[7:],
            "dhdl-11.xvg: the record has 20 lines": lines[:10] + lines[11:],
            "dhdl-11.xvg: the columns differ": ["@ s0 legend \"dH/dl\"", "0 1", "5 1"],
        }
        for words, text in spoiled.items():
            with self.subTest(words):
                record.write_text("\n".join(text) + "\n", encoding="utf-8")
                ended = self.run_of(self.directory / "forward", self.directory / "reverse", "--integrate", "lambda",
                                    status=runner.BAD_INPUT)
                self.assertIn(words, ended.err)
        for file in (self.directory / "forward").iterdir():
            file.write_text("\n".join(lines[:16]) + "\n", encoding="utf-8")
        ended = self.run_of(self.directory / "forward", self.directory / "reverse", "--integrate", "lambda",
                            status=runner.BAD_INPUT)
        self.assertIn("forward last 3, expected the same", ended.err)


class Border(unittest.TestCase):
    """Files as other programs write them: each case was read wrong, or refused, or trusted, without a word."""

    def setUp(self):
        self.directory = self.enterContext(runner.scratch_directory())
        self.rng = numpy.random.default_rng(7)
        sd = 1.5
        self.forward = self.rng.normal(3 + sd ** 2 / 2, sd, 2000)
        self.reverse = self.rng.normal(-3 + sd ** 2 / 2, sd, 2000)

    def write(self, name, lines):
        file = self.directory / name
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return file

    def pair(self, forward, reverse):
        return [self.write(name, [line if isinstance(line, str) else repr(float(line)) for line in lines])
                for name, lines in (("forward.csv", forward), ("reverse.csv", reverse))]

    def found(self, files, *options):
        ended = runner.pearlite("works", *files, "-o", self.directory / "found", "--overwrite", *options)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(self.directory / "found"), ended.out

    def refusal(self, files, *options):
        ended = runner.pearlite("works", *files, *options)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        return ended.err

    def entry(self, summary, estimator, method=None):
        return next(e for e in summary["log_evidence"]
                    if e["estimator"] == estimator and method in (None, e.get("error_method")))

    def test_one_huge_work(self):
        """The bootstrap's solver left the root for the middle of a bracket that the huge work had made."""
        for huge in (1e5, 1e300):
            forward = self.forward.copy()
            forward[0] = huge
            summary, _ = self.found(self.pair(forward, self.reverse))
            errors = [self.entry(summary, "bar", method)["standard_error"] for method in ("series", "bootstrap")]
            self.assertLess(max(errors), 1.5 * min(errors))

    def test_infinite_works(self):
        """Lost trajectories have weight 0: log Z falls by the log of their share."""
        forward = [("Inf" if k % 4 == 0 else repr(float(w))) for k, w in enumerate(self.forward)]
        summary, out = self.found(self.pair(forward, self.reverse))
        bar = summary["log_evidence"][0]
        self.assertLess(abs(bar["value"] + 3 - numpy.log(0.75)), 4 * bar["standard_error"])
        self.assertEqual(summary["works"]["forward"]["infinite"], 500)
        self.assertIn("500 of them infinite", out)
        self.assertIn("-inf", self.refusal(self.pair(["-inf", "1", "2"], self.reverse)))
        self.assertIn("nan", self.refusal(self.pair(["nan", "1", "2"], self.reverse)))
        written = [("-infinity" if k % 100 == 0 else repr(float(-w))) for k, w in enumerate(self.reverse)]
        self.assertEqual(self.found(self.pair(self.forward, written), "--same-sign")[0]["works"]["reverse"]["infinite"], 20)
        self.assertIn("expected a finite number or -inf",
                      self.refusal(self.pair(self.forward, ["inf", "1", "2"]), "--same-sign"))

    def test_works_that_are_all_alike(self):
        summary, out = self.found(self.pair([2.5] * 50, [-2.5] * 30))
        self.assertEqual((summary["headline"]["value"], summary["headline"]["standard_error"]), (-2.5, 0))
        self.assertIn("supported: agree: all works are alike", out)
        _, out = self.found(self.pair([2.5] * 50, [-2.4] * 30))
        self.assertIn("no error bar", out)

    def test_repeated_and_correlated_lines(self):
        """Lines of a series that were taken as independent had error bars many times too small."""
        few = [numpy.repeat(side[:100], 20) for side in (self.forward, self.reverse)]
        summary, _ = self.found(self.pair(*few))
        alone, _ = self.found(self.pair(self.forward[:100], self.reverse[:100]), "--independent")
        twin, _ = self.found(self.pair(*few), "--independent")
        error = summary["log_evidence"][0]["standard_error"]
        self.assertAlmostEqual(error / alone["log_evidence"][0]["standard_error"], 1, delta=0.25)
        self.assertLess(twin["log_evidence"][0]["standard_error"], error / 3)
        self.assertGreater(summary["works"]["forward"]["inefficiency"], 12)
        fewer = [numpy.repeat(side[:10], 200) for side in (self.forward, self.reverse)]
        summary, out = self.found(self.pair(*fewer))
        self.assertIn("too correlated", out)
        self.assertNotIn("standard_error", summary["log_evidence"][0])

    def test_works_that_do_not_meet(self):
        """BAR says nothing about the order of works that do not meet: no statistical inefficiency of rounding errors."""
        summary, out = self.found(self.pair(self.forward + 40, self.reverse + 40))
        self.assertIn("too fast", out)
        self.assertNotIn("inefficiency", summary["works"]["forward"])

    def test_columns(self):
        """The column of the works is the one that is named so, or the only one that can be it."""
        rows = list(zip(self.forward, self.reverse))
        def tables(header, line, *options):
            files = [self.write(f"{name}.csv", ([header] if header else []) + [line(k, rows[k][way]) for k in range(500)])
                     for way, name in enumerate(("a", "b"))]
            return files
        expected = self.found(self.pair(self.forward[:500], self.reverse[:500]))[0]["log_evidence"]
        good = {
            "column 1 ('work') (not used: column 2 ('replica'))": ("work,replica", lambda k, w: f"{w!r},{k % 4}"),
            "column 2 ('Work (kT)')": ("\"\",Work (kT)", lambda k, w: f"{k},{w!r}"),
            "column 2 ('w')": ("w_err,w", lambda k, w: f"0.1,{w!r}"),
            "column 3 ('dissipated')": ("time,run,dissipated", lambda k, w: f"{k * 0.5},{k % 7},{w!r}"),
            "column 2": (None, lambda k, w: f"{k + 1} {w!r}"),
        }
        for words, (header, line) in good.items():
            with self.subTest(words):
                summary, out = self.found(tables(header, line))
                self.assertIn(words, out)
                self.assertEqual(summary["log_evidence"], expected)
        bad = {
            "several of its columns may have the works, expected --column with a name or a number: column 1 ('a'), "
            "column 2 ('b')": ("a,b", lambda k, w: f"{w!r},{k % 5}"),
            "decimal commas": (None, lambda k, w: f"{w:.4f}".replace(".", ",")),
            "expected a finite number or inf, with a decimal point": ("work", lambda k, w: f"{w:.4f}".replace(".", ",")),
            "none of its columns": ("run,note", lambda k, w: f"{k},x"),
            "several of its columns": ("work_a,work_b", lambda k, w: f"{w!r},{w!r}"),
        }
        for words, (header, line) in bad.items():
            with self.subTest(words):
                self.assertIn(words, self.refusal(tables(header, line)))
        latin = tables("größe", lambda k, w: f"{w!r}")
        for file in latin:
            file.write_bytes(file.read_text(encoding="utf-8").encode("latin-1"))
        self.assertIn("is not UTF-8, the text seems to be Latin-1", self.refusal(latin))

    def test_advice_on_foreign_works(self):
        """Crooks' slope names the unit; runs are annealed, works of others are not."""
        for unit, per_kt in (("kJ/mol", 2.479), ("kcal/mol", 0.5925), ("eV", 0.02569)):
            with self.subTest(unit):
                _, out = self.found(self.pair(per_kt * self.forward, per_kt * self.reverse))
                self.assertRegex(out, "inconsistent|too fast")
                self.assertNotRegex(out, "anneal|equilibration|verdict: supported")
                if unit != "eV":
                    self.assertIn(f"works in {unit} read as kT", out)
        _, out = self.found(self.pair(-self.forward, -self.reverse))
        self.assertIn("with the other sign of all works", out)

    def test_intervals_of_cumulants(self):
        """They are exact for normal works alone: elsewhere their intervals hold far less often than they say."""
        normal, _ = self.found(self.pair(self.forward, self.reverse))
        self.assertIn("standard_error", self.entry(normal, "cumulant-both"))
        x = self.rng.normal(size=(2, 4000))
        quench = [2 * x[0] ** 2, -2 * x[1] ** 2 / 5]  # from precision 1 to 5
        other, _ = self.found(self.pair(*quench))
        for name in ("cumulant-forward", "cumulant-reverse", "cumulant-both"):
            self.assertNotIn("standard_error", self.entry(other, name))


if __name__ == "__main__":
    runner.main()
