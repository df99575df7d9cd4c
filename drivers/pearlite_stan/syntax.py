"""Stan programs of today in the syntax of Stan 2.21, which Debian's translator reads.

Rewriting keeps every line where it is. Sources of the rules: Stan Reference Manual, "Removed features" and "Deprecated
features"; Stan Functions Reference, the versions at which functions appeared.
"""

import re

from source import CLOSE, OPEN, Source, SyntaxProblem, Tokens

TYPES = set("int real vector row_vector matrix simplex unit_vector ordered positive_ordered corr_matrix cov_matrix "
            "cholesky_factor_corr cholesky_factor_cov".split())

# Functions under their names of 2.21: those with the same arguments.
RENAMED = {"gp_exp_quad_cov": "cov_exp_quad", "fatal_error": "reject", "std_normal_qf": "inv_Phi"}
# Functions that 2.21 lacks, in its own words.
ADDED = {
    "identity_matrix": "matrix identity_matrix(int n) { return diag_matrix(rep_vector(1, n)); }",
    "zeros_vector": "vector zeros_vector(int n) { return rep_vector(0, n); }",
    "ones_vector": "vector ones_vector(int n) { return rep_vector(1, n); }",
    "zeros_row_vector": "row_vector zeros_row_vector(int n) { return rep_row_vector(0, n); }",
    "ones_row_vector": "row_vector ones_row_vector(int n) { return rep_row_vector(1, n); }",
    "zeros_array": "real[] zeros_array(int n) { return rep_array(0.0, n); }",
    "ones_array": "real[] ones_array(int n) { return rep_array(1.0, n); }",
    "zeros_int_array": "int[] zeros_int_array(int n) { return rep_array(0, n); }",
    "ones_int_array": "int[] ones_int_array(int n) { return rep_array(1, n); }",
    "uniform_simplex": "vector uniform_simplex(int n) { return rep_vector(1.0 / n, n); }",
    "one_hot_vector": "vector one_hot_vector(int n, int k) { vector[n] x = rep_vector(0, n); x[k] = 1; return x; }",
    "linspaced_vector": "vector linspaced_vector(int n, data real a, data real b) { vector[n] x; "
                        "for (i in 1:n) x[i] = n == 1 ? b : a + (i - 1) * (b - a) / (n - 1); return x; }",
    "linspaced_array": "real[] linspaced_array(int n, data real a, data real b) { real x[n]; "
                       "for (i in 1:n) x[i] = n == 1 ? b : a + (i - 1) * (b - a) / (n - 1); return x; }",
    "log_inv_logit_diff": "real log_inv_logit_diff(real a, real b) "
                          "{ return a + log1m_exp(b - a) - log1p_exp(a) - log1p_exp(b); }",
}
BLOCKS = ("functions", "data", "transformed data", "parameters", "transformed parameters", "model", "generated quantities")
GLOBALS = {"transformed data", "transformed parameters", "generated quantities"}  # their variables last


def rename(source):
    """Functions and operators under the names of 2.21."""
    tokens, edits = Tokens(source), []
    vectors = set()
    for i, word in enumerate(tokens.words):
        if word in ("vector", "row_vector") and tokens[i - 1] != "]":
            size = tokens.until(i, (">",)) + 1 if tokens[i + 1] == "<" else i + 1
            vectors.add(tokens[tokens.behind(size)] if tokens[size] == "[" else tokens[size])
    for i, word in enumerate(tokens.words):
        if tokens[i + 1] != "(" and word != "%/%":
            continue
        replace = lambda new, i=i: edits.append((tokens.begins[i], tokens.ends[i], new))
        if word in RENAMED:
            replace(RENAMED[word])
        elif re.search(r"_lup[dm]f$", word):  # densities have all constants here
            replace(word[:-5] + "lp" + word[-2:])
        elif word == "%/%":
            replace("/")
        elif word == "size" and tokens[i + 2] in vectors and tokens[i + 3] == ")":
            replace("num_elements")
        elif word == "profile":
            edits.append((tokens.begins[i], tokens.ends[tokens.behind(i + 1) - 1], ""))
    return source.edited(edits)


def without_reduce_sum(source):
    """reduce_sum(f, x, grain size, ...) as f(x, 1, size(x), ...), all of the sum in one call."""
    tokens = Tokens(source)
    for i, word in enumerate(tokens.words):
        if word in ("reduce_sum", "reduce_sum_static") and tokens[i + 1] == "(":
            ranges = tokens.arguments(i + 1)
            if len(ranges) < 3:
                continue
            texts = [tokens.text(*part) for part in ranges]
            name = re.sub(r"_lup([dm]f)$", r"_lp\1", texts[0])
            bar = " |" if re.search(r"_lp[dm]f$", name) else ","
            call = f"{name}({texts[1]}{bar} {', '.join(['1', f'size({texts[1]})'] + texts[3:])})"
            last = tokens.behind(i + 1) - 1
            return without_reduce_sum(source.edited([(tokens.begins[i], tokens.ends[last], call)]))
    return source


class Declarations:
    """Arrays in the syntax of 2.21, one variable to a declaration, declarations before statements."""

    def __init__(self, source):
        self.source, self.tokens, self.edits = source, Tokens(source), []

    def rewritten(self):
        i = 0
        while i < len(self.tokens):
            two = f"{self.tokens[i]} {self.tokens[i + 1]}"
            block = two if two in BLOCKS else self.tokens[i]
            brace = i + len(block.split())
            if block not in BLOCKS or self.tokens[brace] != "{":
                i += 1
            elif block == "functions":
                i = self.functions(brace + 1)
            else:
                i = self.block(brace, block in GLOBALS)
        return self.source.edited(self.edits)

    def functions(self, i):
        """Definitions of functions, from the first token in the block on."""
        while i < len(self.tokens) and self.tokens[i] != "}":
            i = self.unsized(i, self.tokens.until(i, ("{", ";")))
            i = self.block(i, False) if self.tokens[i] == "{" else i + 1
        return i + 1

    def unsized(self, i, end):
        """`array[,] real` as `real[,]` in tokens [i, end), arguments and types of functions."""
        tokens = self.tokens
        while i < end:
            if tokens[i] == "array" and tokens[i + 1] == "[":
                base = tokens.behind(i + 1)
                self.edits += [(tokens.begins[i], tokens.begins[base], ""),
                               (tokens.ends[base], tokens.ends[base], "".join(tokens.words[i + 1:base]))]
                i = base
            i += 1
        return end

    def is_declaration(self, i):
        tokens = self.tokens
        if tokens[i] == "array" and tokens[i + 1] == "[":
            return tokens[tokens.behind(i + 1)] in TYPES
        return tokens[i] in TYPES and tokens[i + 1] != "("

    def block(self, brace, lasting):
        """The block that this brace opens; its variables last if they belong to a block of the program. Returns the token
        behind it."""
        tokens, i = self.tokens, brace + 1
        first = None  # the first statement behind declarations
        nested = 0  # blocks that were opened for declarations behind statements
        while i < len(tokens) and tokens[i] != "}":
            if not self.is_declaration(i):
                first = i if first is None else first
                i = self.statement(i)
            elif first is None:
                i = self.declaration(i, None)
            elif lasting:
                self.check_sizes(i, first)
                i = self.declaration(i, tokens.begins[first])
            else:
                self.edits.append((tokens.begins[i], tokens.begins[i], "{ "))
                nested, first = nested + 1, None
                i = self.declaration(i, None)
        if nested and i < len(tokens):
            self.edits.append((tokens.begins[i], tokens.begins[i], "} " * nested))
        return i + 1

    def check_sizes(self, i, first):
        """Refuses a declaration at i whose sizes or constraints need what statements from `first` on have set."""
        tokens = self.tokens
        target = lambda k: tokens[tokens.behind(k + 1) if tokens[k + 1] == "[" else k + 1]
        assigned = {tokens[k] for k in range(first, i)
                    if re.match(r"[A-Za-z]", tokens[k]) and re.fullmatch(r"[-+*/]?=", target(k))}
        for k in range(i, tokens.until(i, (";", "="))):
            for inner in range(k, tokens.behind(k) if tokens[k] in OPEN else k + 1):
                if tokens[inner] in assigned - {"lower", "upper", "offset", "multiplier"}:
                    raise SyntaxProblem(self.place(inner), f"a size or constraint needs {tokens[inner]}, which statements "
                                        "set; in Stan 2.21 declarations precede statements. Declare it before them")

    def statement(self, i):
        tokens = self.tokens
        while tokens[i] in ("if", "for", "while", "else"):
            i = tokens.behind(i + 1) if tokens[i + 1] == "(" else i + 1
        return self.block(i, False) if tokens[i] == "{" else tokens.until(i, (";",)) + 1

    def declaration(self, i, hoist):
        """A declaration; its variables are declared at `hoist` and get their values here, or all of it stays here."""
        tokens, dims, begin = self.tokens, "", i
        if tokens[i] == "array":
            base = tokens.behind(i + 1)
            dims, i = tokens.text(i + 1, base).replace(" ", ""), base
        type_begin, i = i, i + 1
        if tokens[i] == "<":
            i = self.closing_angle(i) + 1
        if tokens[i] == "[":
            i = tokens.behind(i)
        name, kind = i, tokens.text(type_begin, i)
        last = tokens.until(i, (";",))
        if tokens[type_begin] == "real" and dims:
            self.real_literals(name, last)
        if hoist is None and tokens.until(name, (",",)) > last:  # one variable: its tokens stay as they are
            if dims:
                self.edits += [(tokens.begins[begin], tokens.begins[type_begin], ""),
                               (tokens.ends[name], tokens.ends[name], dims)]
            return last + 1
        first = True
        while name < last:
            old = tokens.behind(name + 1) if tokens[name + 1] == "[" else name + 1
            declared = f"{kind} {tokens[name]}{dims}{tokens.text(name + 1, old)}"
            if hoist is None:
                self.edits.append((tokens.begins[begin if first else name], tokens.ends[old - 1], declared))
            else:
                self.edits += [(hoist, hoist, f"{declared}; "),
                               (tokens.begins[begin if first else name], tokens.begins[name], ""),
                               (tokens.ends[name], tokens.ends[old - 1], "")]
                if tokens[old] != "=":
                    self.edits.append((tokens.begins[name], tokens.ends[name], ""))
            comma = tokens.until(old, (",", ";"))
            if tokens[comma] == ",":
                self.edits.append((tokens.begins[comma], tokens.ends[comma], ";"))
            name, first = comma + 1, False
        return last + 1

    def real_literals(self, begin, end):
        """Whole numbers in initial values in [begin, end) as reals, where 2.21 does not promote them: in {1, 2} and in
        rep_array(0, n), outside calls of functions."""
        tokens, around = self.tokens, []
        for i in range(begin, end):
            if tokens[i] in CLOSE:
                around.pop()
            elif tokens[i] in OPEN:
                around.append(tokens[i])
            listed = around and set(around) == {"{"} and tokens[i - 1] in ("{", ",") and tokens[i + 1] in (",", "}")
            if tokens[i].isdigit() and (listed or tokens.words[i - 3:i] == ["=", "rep_array", "("]):
                self.edits.append((tokens.ends[i], tokens.ends[i], ".0"))

    def closing_angle(self, i):
        """The token that closes the constraint that opens at i."""
        k = self.tokens.until(i + 1, (">", ";"))
        if self.tokens[k] != ">":
            raise SyntaxProblem(self.place(i), "a constraint that does not end, expected >")
        return k

    def place(self, i):
        text = self.source.text[:self.tokens.begins[i]]
        return self.source.place(text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1)


def with_added_functions(source):
    """With those functions that 2.21 lacks and that the program calls without defining them."""
    tokens = Tokens(source)
    called = {word for i, word in enumerate(tokens.words) if word in ADDED and tokens[i + 1] == "("
              and tokens[i - 1] not in TYPES and tokens[i - 1] != "]"}
    if not called:
        return source
    code = " ".join(ADDED[name] for name in sorted(called))
    if tokens[0] == "functions":
        at = tokens.ends[1]
    else:
        at, code = tokens.begins[0], f"functions {{ {code} }}"
    return source.edited([(at, at, f" {code} ")])


def rewrite(file):
    """The program of this file, its included files in place, in the syntax of Stan 2.21."""
    source = without_reduce_sum(rename(Source.of(file)))
    return with_added_functions(Declarations(source).rewritten())
