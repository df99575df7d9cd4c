"""Jobs of all families, and sweeps, on emulated nodes: the digests of one process, also after a resume on other nodes
and another number of ranks. Catches whatever works in the memory of one machine only."""

import pathlib
import sys
import time
import unittest

import emulated_nodes
import pearlite_runner as runner

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

try:
    import digests
    import golden
    import rows as golden_rows
    import runs as golden_runs
    import variants
except ModuleNotFoundError as error:
    print(f"skipped: this Python has no {error.name}: {sys.executable}")
    sys.exit(runner.SKIPPED)

# Ranks, and the nodes that they are on; mpirun is on the first one.
PLACES = {2: {1: 1, 2: 1}, 3: {3: 2, 2: 1}, 4: {2: 1, 3: 2, 1: 1}}
# Ranks with which a row begins, and goes on with after its stop.
CROSSINGS = ((2, 3), (3, 2), (2, 4), (3, 4), (4, 2))
# Rows of the golden table: each algorithm, and each way in which ranks share work.
ROWS = (
    "annealed-importance/ising", "annealed-importance/mixed-logistic", "smc/gaussian", "smc/stochastic-volatility",
    "variant/gaussian-replicates-pilot", "parallel-tempering/rbm", "nonequilibrium/radiata-pine",
    "resample-move/orthant", "resample-move/rbm", "pseudo-marginal/linear-gaussian",
    "importance-squared/noisy-likelihood", "likelihood-constrained/gaussian", "variant/rbm-varopt",
    "variant/rbm-moments", "variant/logistic-regression-bridge", "pisaa/ab-protein", "sa/test-function",
    "psaa/bayesian-network", "aesamc/image-restoration", "vfsa/mode-mixture", "contrastive-divergence/rbm-training",
)
SEARCHED_SWEEP = """\
[run]
checkpoint_every = 0.05

[model]
name = "test-function"
function = "rastrigin"
dimension = 10

[schedule]
temperature_start = 5.0
temperature_steps = 500

[algorithm]
name = "pisaa"
iterations = 2500
regions = 100
energy_low = -0.01
energy_high = 40.0

[sweep]
scalars = ["best.energy"]
replicates = 4
algorithm.chains = [1, 2, 4, 8]
"""
ANNEALED_SWEEP = """\
[model]
name = "gaussian"

[schedule]
kind = "geometric"
steps = 10

[kernel]
adapt = "online"

[algorithm]
name = "smc"
particles = 64

[sweep]
scalars = ["log_evidence.product.log_ratio.value", "diagnostics.ess"]
replicates = 4
"model.dimension" = [1, 2]
algorithm.resampling = ["multinomial", "systematic"]
"""


def waste_free():
    """No row of the table has chains whose states are all kept."""
    tables = variants.tables_of("ising")
    return golden_rows.Row("nodes/waste-free", variants.changed(tables, algorithm={"name": "smc", "particles": 120,
                                                                                 "waste_free": 10}))


class RunsOnNodes(golden_runs.Runs):
    """More than one rank are on several nodes."""

    def __init__(self, nodes):
        (nodes.scratch / "rows").mkdir()
        super().__init__(nodes.scratch / "rows")
        self.nodes = nodes

    def start(self, *arguments, ranks):
        if ranks == 1:
            return super().start(*arguments, ranks=1)
        return self.nodes.pearlite(PLACES[ranks], *arguments, timeout=golden_runs.SECONDS_OF_A_RUN)


class OnNodes(unittest.TestCase):
    def setUp(self):
        self.nodes = self.enterContext(emulated_nodes.Nodes(3))


class Families(OnNodes):
    def test_digests_are_those_of_one_process(self):
        runs = RunsOnNodes(self.nodes)
        part = golden.read_table().get(runs.key(), {})
        every = {row.name: row for row in golden_rows.all_rows()}
        cases = [(number, every[name]) for number, name in enumerate(ROWS)] + [(len(ROWS), waste_free())]

        def measure(number, row):
            expected = part.get(row.name) or golden.new_digests(runs, row, {})
            return expected, runs.measure(row, expected.get("stop"), *CROSSINGS[number % len(CROSSINGS)])

        def attempt(number, row):
            try:
                return measure(number, row)
            except AssertionError as error:
                return {}, error

        began = time.monotonic()
        for (_, row), (expected, found) in zip(cases, runner.side_by_side(attempt, cases)):
            with self.subTest(row.name):
                self.assertEqual(golden.differences(expected, found, digests.COLUMNS), [])
        print(f"{len(cases)} rows on two and three nodes in {time.monotonic() - began:.0f} s")

    def test_all_files_are_those_of_one_node(self):
        """Results to the byte: one rank, two ranks on each of two nodes, and three on one."""
        file = runner.write_configuration(self.nodes.scratch / "a.toml", **waste_free().tables)
        for number, ranks in enumerate(({1: 1}, {1: 2, 2: 2}, {2: 3})):
            ended = self.nodes.pearlite(ranks, "run", file, "-o", self.nodes.scratch / f"run-{number}")
            self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        found = [runner.findings(self.nodes.scratch / f"run-{number}") for number in range(3)]
        self.assertTrue(all(one == found[0] for one in found))


class Sweeps(OnNodes):
    def tables_of(self, where):
        summary = runner.summary(where)
        self.assertEqual(summary["finished"], 16)
        return summary["digest"], (where / "tables.md").read_text(encoding="utf-8")

    def sweep(self, name, text, ranks, *arguments):
        """Digest and tables.md of a sweep; ranks None is one process."""
        where, file = self.nodes.scratch / name, self.nodes.scratch / f"{name}.toml"
        file.write_text(text, encoding="utf-8")
        arguments = ("run", file, "-o", where, *arguments)
        ended = self.nodes.pearlite(ranks, *arguments) if ranks else runner.pearlite(*arguments)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        return self.tables_of(where)

    def test_tables_are_those_of_one_process(self):
        for name, text, places in (("searched", SEARCHED_SWEEP, ((2, 1), (3, 3))),
                                   ("annealed", ANNEALED_SWEEP, ((4, 1), (4, 2)))):
            alone = self.sweep(f"{name}-alone", text, None)
            for ranks, group in places:
                with self.subTest(name, ranks=ranks, group=group):
                    found = self.sweep(f"{name}-{ranks}-{group}", text, PLACES[ranks], "--set",
                                       f"sweep.ranks_per_run={group}")
                    self.assertEqual(found, alone)

    def test_killed_and_resumed_on_other_nodes(self):
        alone = self.sweep("alone", SEARCHED_SWEEP, None)
        where, file = self.nodes.scratch / "killed", self.nodes.scratch / "killed.toml"
        file.write_text(SEARCHED_SWEEP, encoding="utf-8")
        with self.nodes.program({1: 1, 2: 2}, "run", file, "-o", where) as program:
            begun = runner.wait_until(lambda: list(where.glob("rows.*.jsonl")) or not program.running())
            self.assertTrue(begun and program.running(), "the sweep ended before the kill")
            self.nodes[2].kill()
            ended = program.wait(30)
        self.assertNotEqual(ended.status, runner.FINISHED, ended.describe())
        ended = self.nodes.pearlite({3: 1, 1: 1}, "resume", where)
        self.assertEqual(ended.status, runner.FINISHED, ended.describe())
        self.assertEqual(self.tables_of(where), alone)


if __name__ == "__main__":
    emulated_nodes.require()
    runner.main()
