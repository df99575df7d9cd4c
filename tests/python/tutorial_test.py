"""The code of the tutorial notebook and of docs/python.md runs unchanged and gives the results that the text states.

A notebook is a list of cells: they are executed one after another in one namespace, as Jupyter would, with figures in files.
"""

import json
import os
import pathlib
import re
import sys
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
os.environ["MPLBACKEND"] = "Agg"


class Tutorial(unittest.TestCase):
    def test_notebook(self):
        notebook = json.loads((DOCS / "python-tutorial.ipynb").read_text(encoding="utf-8"))
        found = {}
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(cells):
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), found)
            self.assertEqual(cell["outputs"], [])  # none are committed
        line, bent, best = found["line"], found["bent"], found["best"]
        self.assertEqual(line.support, "supported", line)
        for name, truth in (("a", 1), ("b", 2), ("log_sd", found["numpy"].log(0.3))):
            self.assertLess(abs(line.posterior[name].mean - truth), 4 * line.posterior[name].sd, name)
        self.assertGreater(found["difference"], 1)
        self.assertLess(abs(bent.log_evidence.value - found["exact"]), 4 * bent.log_evidence.standard_error)
        self.assertLess(bent.log_evidence.standard_error, 0.1)
        self.assertLess(best.minimum, 1e-6)

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


if __name__ == "__main__":
    sys.exit(unittest.main())
