"""The code of the notebooks and of the pages on Python runs unchanged and gives the results that the text states.

A notebook is a list of cells: they are executed one after another in one namespace, as Jupyter would, with figures in files.
"""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

import numpy

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
os.environ["MPLBACKEND"] = "Agg"


class Notebooks(unittest.TestCase):
    def executed(self, name):
        """The names that a notebook defines."""
        notebook = json.loads((DOCS / f"{name}.ipynb").read_text(encoding="utf-8"))
        found = {}
        for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
            exec(compile("".join(cell["source"]), f"{name}: cell {number}", "exec"), found)
            self.assertEqual(cell["outputs"], [])  # none are committed
        found["plt"].close("all")
        return found

    def test_tutorial(self):
        found = self.executed("python-tutorial")
        line, bent, best = found["line"], found["bent"], found["best"]
        self.assertEqual(line.support, "supported", line)
        for name, truth in (("a", 1), ("b", 2), ("log_sd", found["numpy"].log(0.3))):
            self.assertLess(abs(line.posterior[name].mean - truth), 4 * line.posterior[name].sd, name)
        self.assertGreater(found["difference"], 1)
        self.assertLess(abs(bent.log_evidence.value - found["exact"]), 4 * bent.log_evidence.standard_error)
        self.assertLess(bent.log_evidence.standard_error, 0.1)
        self.assertLess(best.minimum, 1e-6)

    def test_model_comparison(self):
        found = self.executed("notebooks/model-comparison")
        self.assertEqual(found["comparison"].names[0], "parabola")
        self.assertLess(max(map(abs, found["deviations"])), 4)
        for result in found["results"].values():
            self.assertEqual(result.support, "supported", result)

    def test_cosmology(self):
        found = self.executed("notebooks/cosmology")
        for name, result in found["comparison"].results.items():
            self.assertEqual(result.support, "supported", result)
            error = numpy.hypot(result.log_evidence.standard_error, 0.005)  # that of the grid
            self.assertLess(abs(result.log_evidence.value - found["exact"][name]), 4 * error, name)

    def test_lattice(self):
        found = self.executed("notebooks/lattice")
        free, symmetric = found["free"], found["runs"][-1.5].posterior
        self.assertLess(abs(free.log_evidence.value - found["exact"]), 4 * free.log_evidence.standard_error)
        self.assertLess(abs(free.posterior["m2"].mean - 1 / 8), 4 * free.posterior["m2"].mcse)
        self.assertGreater(symmetric["m2"].mean, 0.5)
        self.assertLess(abs(symmetric["m"].mean), 0.4)  # both phases
        self.assertEqual(found["ising"].support, "supported", found["ising"])

    def test_search(self):
        found = self.executed("notebooks/search")
        self.assertAlmostEqual(found["best"].minimum, -16.505384, delta=1e-5)
        self.assertEqual(found["best"].support, "supported", found["best"])
        self.assertEqual(sum(found["distances"] < 1.2), 16)
        self.assertLess(found["seen"][-1][1], -15.5)


class Page(unittest.TestCase):
    def test_the_page(self):
        blocks = re.findall("```python\n(.*?)```", (DOCS / "python.md").read_text(encoding="utf-8"), re.DOTALL)
        found = {}
        few = "particles=200, schedule={'kind': 'linear', 'steps': 10}, kernel__moves=2, algorithm__replicates=1"
        exec(compile(blocks[0] + blocks[1].replace("particles=1e3", few), "docs/python.md", "exec"), found)
        self.assertEqual(found["result"].support, "supported")
        for result, truths in (("result", {"a": 1, "b": 2}), ("line", {"m": 1.3, "b": -2, "sd": 1.5})):
            for name, truth in truths.items():
                parameter = found[result].posterior[name]
                self.assertLess(abs(parameter.mean - truth), 4 * parameter.sd, name)

    def test_plots(self):
        sys.path.append(str(DOCS / "_site"))
        import plots
        with tempfile.TemporaryDirectory() as place:
            files = plots.draw(pathlib.Path(place))
            self.assertEqual(len(files), len(plots.blocks()))
            for file in files:
                self.assertIn("<svg", file.read_text(encoding="utf-8"))

    def test_first_examples_of_other_packages(self):
        blocks = re.findall("```python\n(.*?)```", (DOCS / "python-examples.md").read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(len(blocks), 6)
        for number, block in enumerate(blocks):
            with self.subTest(block=number):
                found = {}
                exec(compile(block, f"docs/python-examples.md: block {number}", "exec"), found)
                result = found["result"]
                if "exact" in found:
                    estimate = result.log_evidence
                    self.assertLess(abs(estimate.value - found["exact"]), 4 * estimate.standard_error, result)
                for name, truth in found.get("truth", {}).items():
                    self.assertLess(abs(result.posterior[name].mean - truth), 4 * result.posterior[name].sd, name)
                if number != 4:  # the spectral line's is on the edge
                    self.assertEqual(result.support, "supported", result)
        self.assertAlmostEqual(found["share"], 0.1, delta=0.06)


if __name__ == "__main__":
    sys.exit(unittest.main())
