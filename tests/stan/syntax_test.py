"""Programs of today in the syntax of Stan 2.21: drivers/pearlite_stan/syntax.py, without R and a compiler. Catches
declarations that lose a size or move to another line, and messages that name a wrong line.
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "drivers/pearlite_stan"))
import syntax


def rewritten(text, **included):
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        for name, words in {"main": text, **included}.items():
            (place / f"{name}.stan").write_text(words, encoding="utf-8")
        return syntax.rewrite(place / "main.stan")


def squeezed(text):
    return "".join(text.split())


class Rewriting(unittest.TestCase):
    def check(self, given, expected):
        found = rewritten(given)
        self.assertEqual(squeezed(found.text), squeezed(expected))
        self.assertEqual(found.text.count("\n"), given.count("\n"))
        for line, words in enumerate(found.text.split("\n"), 1):  # an identity of lines for a single file
            self.assertEqual(found.place(line).line, line, words)

    def test_arrays(self):
        self.check("data { array[N] int<lower=0, upper=n> y; array[J, K] vector<lower=0>[T] x; array[2] int a = {1, 2}; }",
                   "data { int<lower=0, upper=n> y[N]; vector<lower=0>[T] x[J,K]; int a[2] = {1, 2}; }")
        self.check("model { array[2, 2] real a = {{1, 2}, f(3, {4})}, b = rep_array(0, 2, 2); }",
                   "model { real a[2,2] = {{1.0, 2.0}, f(3, {4})}; real b[2,2] = rep_array(0.0, 2, 2); }")
        self.check("data { array[N,\n  M] // sizes\n  simplex[K] theta; }", "data { \n\n simplex[K] theta[N,M]; }".replace(
            "\n\n", "\n  \n  "))
        self.check("model { array[1] = 2; }", "model { array[1] = 2; }")  # once a legal name

    def test_functions(self):
        self.check("functions { array[,] real f(array[] vector x, data array[] int n) { array[2] real y; return {y}; } }",
                   "functions { real[,] f(vector[] x, data int[] n) { real y[2]; return {y}; } }")
        self.check("model { K = gp_exp_quad_cov(x, a, r) + size(x); vector[3] v; n = size(v) %/% 2; }",
                   "model { K = cov_exp_quad(x, a, r) + size(x); { vector[3] v; n = num_elements(v) / 2; } }")
        self.check("model { target += normal_lupdf(y | 0, 1); profile(\"slow\") { x ~ foo(1); } }",
                   "model { target += normal_lpdf(y | 0, 1); { x ~ foo(1); } }")
        self.check("model { target += reduce_sum(part_lupmf, y, 1, mu[, 1], f(a, b)); }",
                   "model { target += part_lpmf(y | 1, size(y), mu [ , 1 ], f ( a , b )); }")

    def test_declarations(self):
        """Several names to a type, and declarations behind statements: local ones open a block, others move up."""
        self.check("parameters { real a, b; array[2] real c, d; }",
                   "parameters { real a; real b; real c[2]; real d[2]; }")
        self.check("model { a ~ normal(0, 1); real b = 2; if (b > a) { b = 1; real c; c = b; } }",
                   "model { a ~ normal(0, 1); { real b = 2; if (b > a) { b = 1; { real c; c = b; } } } }")
        self.check("transformed parameters { real a; a = 1; vector[2] b = [a, a]'; array[2] real c; c[1] = a; }",
                   "transformed parameters { real a; vector[2] b; real c[2]; a = 1; b = [a, a]'; ; c[1] = a; }")
        self.check("generated quantities { for (i in 1:2) print(i); real a = 1, b; }",
                   "generated quantities { real a; real b; for (i in 1:2) print(i); a = 1; ; }")

    def test_added_functions(self):
        self.check("model { x ~ f(identity_matrix(2)); }",
                   f"functions {{ {syntax.ADDED['identity_matrix']} }} model {{ x ~ f(identity_matrix(2)); }}")
        own = "functions { matrix identity_matrix(int n) { return x; } } model { y = 1; }"
        self.check(own, own)

    def test_comments_and_strings_stay(self):
        text = "// array[2] real x; {\nmodel { # { old\n print(\"array[2] real x;\"); /* { */ }\n"
        self.assertEqual(rewritten(text).text, text)

    def test_old_programs_stay(self):
        for file in (pathlib.Path(__file__).parent / "programs").glob("*.stan"):
            if "array[" not in file.read_text(encoding="utf-8"):
                with self.subTest(file.name):
                    self.assertEqual(syntax.rewrite(file).text, file.read_text(encoding="utf-8"))


class Places(unittest.TestCase):
    def test_columns(self):
        text = "data {\n  array[10] real y, z;\n}\nmodel {\n  y ~ nothing(gp_exp_quad_cov(z));\n}\n"
        found = rewritten(text)
        at = found.text.split("\n")[4].index("z") + 1
        place = found.place(5, at)
        self.assertEqual((place.line, found.user_line(place)[place.column - 1]), (5, "z"))

    def test_included_files(self):
        text = "functions {\n#include part.stan\n}\nmodel {\n  y ~ g(1);\n}\n"
        found = rewritten(text, part="real f() {\n  return 1;\n}\n")
        line = found.text.split("\n").index("  return 1;") + 1
        self.assertEqual((pathlib.Path(found.place(line).file).name, found.place(line).line), ("part.stan", 2))
        line = found.text.split("\n").index("  y ~ g(1);") + 1
        self.assertEqual((pathlib.Path(found.place(line).file).name, found.place(line).line), ("main.stan", 5))
        begin, own, file = found.segments()[1]
        self.assertEqual((found.text.split("\n")[begin], own, pathlib.Path(file).name), ("real f() {", 0, "part.stan"))

    def test_refusals(self):
        for text, words in (("functions {\n#include other.stan\n}", "main.stan:2: cannot read"),
                            ("functions {\n}\n#include main.stan\n", "main.stan:3: .*includes itself"),
                            ("transformed data {\n int n;\n n = 2;\n vector[n] x;\n}", "main.stan:4: .*needs n")):
            with self.subTest(text), self.assertRaisesRegex(syntax.SyntaxProblem, words):
                rewritten(text)


if __name__ == "__main__":
    unittest.main()
