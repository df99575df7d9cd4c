"""`pearlite mbar`: against exact answers of harmonic oscillators, against pymbar if it is installed, the same bits on
several ranks, all three kinds of files, and messages about wrong ones."""

import hashlib
import math
import time
import unittest
import warnings

import h5py
import numpy
import pearlite_runner as runner

try:
    import pymbar
except ImportError:
    pymbar = None


def oscillators(states, samples, seed=1):
    """u_kn, N_k and the exact f: springs along a line."""
    rng = numpy.random.default_rng(seed)
    centres, sds = numpy.linspace(0, 0.5 * states, states), numpy.linspace(1, 1.5, states)
    offsets = rng.normal(size=states) * 5
    x = numpy.concatenate([rng.normal(centre, sd, samples) for centre, sd in zip(centres, sds)])
    u = 0.5 * ((x - centres[:, None]) / sds[:, None]) ** 2 + offsets[:, None]
    f = offsets - numpy.log(sds)
    return u, numpy.full(states, samples), f - f[0]


class Case(unittest.TestCase):
    def setUp(self):
        self.directory = self.enterContext(runner.scratch_directory())

    def found(self, file, *options, ranks=None):
        where = self.directory / f"found-{file.name}-{ranks}"
        ended = runner.pearlite("mbar", file, "-o", where, "--overwrite", *options, ranks=ranks)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return runner.summary(where), ended

    def refusal(self, file, *options):
        ended = runner.pearlite("mbar", file, *options)
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        return ended.err


class Numbers(Case):
    def test_oscillators(self):
        u, counts, exact = oscillators(8, 400)
        file = self.directory / "u.npz"
        numpy.savez(file, u_kn=u, N_k=counts)
        summary, ended = self.found(file)
        self.assertIn("supported", ended.out)
        self.assertEqual(summary["files"][0]["sha256"], hashlib.sha256(file.read_bytes()).hexdigest())
        for state, f in list(zip(summary["mbar"]["states"], exact))[1:]:
            self.assertLess(abs(state["free_energy"] - f), 4 * state["standard_error"])
            self.assertGreater(abs(state["free_energy"] - f - 1), 4 * state["standard_error"])
        in_kj, _ = self.found(file, "--units", "kJ/mol", "--temperature", 298.15)
        self.assertAlmostEqual(in_kj["mbar"]["states"][3]["free_energy"],
                               summary["mbar"]["states"][3]["free_energy"] * 8.31446261815324e-3 * 298.15)

    def test_all_files_and_ranks_give_the_same(self):
        u, counts, _ = oscillators(4, 700)
        files = [self.directory / name for name in ("u.npz", "small.npz", "u.h5", "u.csv")]
        numpy.savez(files[0], u_kn=u, N_k=counts)
        numpy.savez_compressed(files[1], u_kn=numpy.asfortranarray(u), N_k=counts.astype("int32"))
        with h5py.File(files[2], "w") as file:
            file["u_kn"], file["N_k"] = u, counts
        own = numpy.repeat(numpy.arange(4), counts)
        rows = [f"{0.1 * i},l{k}," + ",".join(map(repr, map(float, u[:, i]))) for i, k in enumerate(own)]
        files[3].write_text("time,from,l0,l1,l2,l3\n" + "\n".join(rows) + "\n", encoding="utf-8")
        digests = set()
        for file in files:
            options = ("--state", "from", "--leave-out", "time") if file.suffix == ".csv" else ()
            digests.add(self.found(file, *options)[0]["digest"])
        digests |= {self.found(files[0], ranks=ranks)[0]["digest"] for ranks in (1, 2, 3, 4)}
        self.assertEqual(len(digests), 1)

    def test_states_that_do_not_overlap_have_no_error(self):
        u, counts, _ = oscillators(2, 200)
        u[1] = 0.5 * (numpy.sqrt(2 * numpy.maximum(u[0] - u[0].min(), 0)) - 40) ** 2
        u[:, 200:] = u[::-1, :200]
        file = self.directory / "apart.npz"
        numpy.savez(file, u_kn=u, N_k=counts)
        summary, ended = self.found(file)
        self.assertEqual(summary["headline"]["support"]["word"], "no error bar", ended.out)

    def test_a_state_without_overlap_has_no_error(self):
        """A state without samples or neighbours: its free energy depends only on the nearest sample."""
        u, counts, _ = oscillators(2, 300)
        far = 0.5 * ((u[0] - u[0].min()) - 40) ** 2 * 100
        file = self.directory / "far.npz"
        numpy.savez(file, u_kn=numpy.vstack([u, far]), N_k=[*counts, 0])
        summary, ended = self.found(file)
        states = summary["mbar"]["states"]
        self.assertLess(states[2]["effective_samples"], 5)
        self.assertNotIn("standard_error", states[2])
        self.assertIn("standard_error", states[1])
        self.assertEqual(summary["headline"]["support"]["word"], "no error bar")
        self.assertIn("state 2 have", ended.out)

    @unittest.skipUnless(pymbar, "pymbar is not installed")
    def test_against_pymbar(self):
        u, counts, exact = oscillators(64, 1563)  # 10^5 samples
        file = self.directory / "u.npz"
        numpy.savez(file, u_kn=u, N_k=counts)
        summary, ended = self.found(file, "--independent")
        began = time.perf_counter()
        warnings.simplefilter("ignore")  # it uses numpy.matrix
        theirs = pymbar.MBAR(u, counts, relative_tolerance=1e-10)
        result = theirs.getFreeEnergyDifferences(return_dict=True)
        seconds = time.perf_counter() - began
        states = summary["mbar"]["states"]
        for k in range(1, 64):
            self.assertAlmostEqual(states[k]["free_energy"], result["Delta_f"][0, k], places=6)
            self.assertAlmostEqual(states[k]["standard_error"], result["dDelta_f"][0, k], places=5)
        print(f"64 states, {u.shape[1]} samples: pearlite mbar {ended.seconds:.1f} s (of which {summary['timing']['wall_seconds']:.1f} s "
              f"after the start), pymbar {pymbar.version.short_version} {seconds:.1f} s", flush=True)


class Border(Case):
    """Files as other programs write them: each case was read wrong, or trusted, or ended in an exception."""

    CENTRES, SPRINGS = numpy.array([0, 0.5, 1.0]), numpy.array([10, 10, 12.0])

    def samples(self, counts, seed=3, correlation=0.0):
        """The samples' reduced potentials, K x N; of each state a series of this correlation."""
        rng = numpy.random.default_rng(seed)
        points = []
        for centre, spring, n in zip(self.CENTRES, self.SPRINGS, counts):
            z = rng.normal(size=n)
            for i in range(1, n):
                z[i] = correlation * z[i - 1] + math.sqrt(1 - correlation ** 2) * z[i]
            points.append(centre + z / math.sqrt(spring))
        x = numpy.concatenate(points)
        return 0.5 * self.SPRINGS[:, None] * (x - self.CENTRES[:, None]) ** 2

    def saved(self, u, counts):
        file = self.directory / "u.npz"
        numpy.savez(file, u_kn=u, N_k=counts)
        return file

    def test_samples_of_other_states(self):
        """Counts in another order and potentials in another unit gave supported free energies."""
        counts = [1000, 1000, 1000]
        right, ended = self.found(self.saved(self.samples(counts), counts))
        self.assertEqual(right["headline"]["support"]["word"], "supported", ended.out)
        u = self.samples([200, 1500, 900])
        spoiled = {"labels": (u, [1500, 200, 900]), "kJ/mol": (2.479 * self.samples(counts), counts),
                   "reversed": (self.samples(counts)[:, ::-1], counts),
                   "columns": (self.samples(counts)[[1, 0, 2]], counts)}
        for name, (values, numbers) in spoiled.items():
            with self.subTest(name):
                summary, ended = self.found(self.saved(values, numbers))
                self.assertEqual(summary["headline"]["support"]["word"], "no error bar")
                self.assertIn("the samples are not of the states that they are said to be of", ended.out)
                self.assertNotIn("standard_error", summary["mbar"]["states"][2])

    def test_correlated_samples(self):
        counts = [2000, 2000, 2000]
        u = self.samples(counts, correlation=0.8)
        in_order, ended = self.found(self.saved(u, counts))
        twin, _ = self.found(self.saved(u, counts), "--independent")
        errors = [summary["mbar"]["states"][2]["standard_error"] for summary in (in_order, twin)]
        self.assertAlmostEqual(errors[0] / errors[1], 3, delta=1)  # g = 9
        self.assertAlmostEqual(in_order["mbar"]["states"][0]["inefficiency"], 9, delta=4)
        self.assertIn("the error bar is that of the samples in their order", ended.out)
        summary, ended = self.found(self.saved(self.samples([300] * 3, correlation=0.97), [300] * 3))
        self.assertIn("too few for an error bar", ended.out)
        self.assertNotIn("standard_error", summary["headline"])

    def test_a_state_without_possible_samples(self):
        """Its infinite free energy ended the writing of results."""
        counts = [1000, 1000, 0]
        for row in (2, 0):
            with self.subTest(row):
                u = self.samples([1000, 1000, 0])
                u[2] = numpy.inf
                order = [row, *(k for k in (2, 0, 1) if k != row)][::-1] if row == 2 else [2, 0, 1]
                summary, ended = self.found(self.saved(u[order], [counts[k] for k in order]))
                states = summary["mbar"]["states"]
                self.assertEqual(states[order.index(2)]["free_energy"], "inf")
                self.assertNotIn("standard_error", states[order.index(2)])
                self.assertIn("no sample is possible in state", ended.out)

    def test_states_that_hardly_overlap(self):
        """Newton's method stalled: 1000 iterations with ten evaluations each, 30 s."""
        rng = numpy.random.default_rng(5)
        for far in (2.0, 3.0):
            x = numpy.concatenate([rng.normal(c, k ** -0.5, 1000) for c, k in ((0, 10), (0.5, 10), (far, 1000))])
            u = 0.5 * numpy.array([10, 10, 1000.0])[:, None] * (x - numpy.array([0, 0.5, far])[:, None]) ** 2
            summary, _ = self.found(self.saved(u, [1000] * 3))
            self.assertLess(summary["mbar"]["iterations"], 60)
            self.assertNotIn("standard_error", summary["headline"])

    def test_two_lambdas(self):
        """States of two couplings, as data frames with two index levels are written; and numbers written otherwise."""
        u = self.samples([200, 200, 200])
        expected, _ = self.found(self.saved(u, [200] * 3))
        own = numpy.repeat([0, 1, 2], 200)
        def table(header, labels):
            file = self.directory / "u.csv"
            file.write_text(header + "\n" + "".join(f"{i % 200},{labels[k]}," + ",".join(map(repr, map(float, u[:, i]))) + "\n"
                                                    for i, k in enumerate(own)), encoding="utf-8")
            return file
        two = table('time,coul-lambda,vdw-lambda,"(0.0, 0.0)","(0.5, 0.0)","(1.0, 0.5)"', ["0.0,0.0", "0.5,0.0", "1.0,0.5"])
        for options in ((), ("--state", "coul-lambda,vdw-lambda"),
                        ("--state", "coul-lambda", "--state", "vdw-lambda", "--leave-out", "time")):
            summary, ended = self.found(two, *options)
            self.assertEqual(summary["digest"], expected["digest"])
            self.assertIn("states by 'coul-lambda', 'vdw-lambda'; not used: time", ended.out)
        one = table("time,fep-lambda,0,0.50,1", ["0.0", "0.5", "1.0"])
        self.assertEqual(self.found(one)[0]["digest"], expected["digest"])
        self.assertIn("one of 0, 0.50, 1", self.refusal(table("time,fep-lambda,0,0.50,1", ["0.0", "0.5", "0.7"])))
        self.assertIn("column 2 ('pV') is no state",
                      self.refusal(table("time,pV,fep-lambda,0,0.50,1", ["1,0", "1,0.5", "1,1"]), "--state", "fep-lambda"))


class Mistakes(Case):
    def test_each_is_named(self):
        u, counts, _ = oscillators(3, 5)
        def saved(**arrays):
            file = self.directory / "u.npz"
            numpy.savez(file, **arrays)
            return file
        self.assertIn("no array \"N_k\"", self.refusal(saved(u_kn=u)))
        self.assertIn("N_k sums to 16, but u_kn has 15 samples", self.refusal(saved(u_kn=u, N_k=counts + [1, 0, 0])))
        self.assertIn("u_kn has 3 states and N_k 2", self.refusal(saved(u_kn=u, N_k=counts[:2])))
        self.assertIn("N_k[0] is 4.5", self.refusal(saved(u_kn=u, N_k=counts - 0.5)))
        self.assertIn("type '<c16'", self.refusal(saved(u_kn=u.astype(complex), N_k=counts)))
        self.assertIn("expected one or two dimensions", self.refusal(saved(u_kn=u[None, :, :], N_k=counts)))
        self.assertIn("shape (0, 15), expected at least one number", self.refusal(saved(u_kn=u[:0], N_k=counts)))
        self.assertIn("N_k sums to inf", self.refusal(saved(u_kn=u, N_k=counts * [1, 1, math.inf])))
        u[1, 3] = math.nan
        self.assertIn("sample 4: reduced potential nan in state 2", self.refusal(saved(u_kn=u, N_k=counts)))
        whole = saved(u_kn=u, N_k=counts).read_bytes()
        for content in (b"", b"PK", whole[:100], whole[:-30], whole[:90] + b"\xff" + whole[91:]):
            file = self.directory / "torn.npz"
            file.write_bytes(content)
            self.assertIn("torn.npz", self.refusal(file))

    def test_tables(self):
        def table(text):
            file = self.directory / "u.csv"
            file.write_text(text, encoding="utf-8")
            return file
        self.assertIn("there is no column 'state'", self.refusal(table("a,b\n1,2\n")))
        self.assertIn("u.csv:3: column 1 ('state'): got \"c\", expected one of a, b", self.refusal(table("state,a,b\na,1,2\nc,1,2\n")))
        self.assertIn("u.csv:2: column 3 ('b'): got \"x\", expected a number, or inf", self.refusal(table("state,a,b\na,1,x\n")))
        self.assertIn("no columns of states", self.refusal(table("state\na\n")))
        self.assertIn("--temperature", self.refusal(table("state,a\na,1\n"), "--units", "kJ/mol"))


if __name__ == "__main__":
    unittest.main()
