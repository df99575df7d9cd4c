"""Configurations drawn at random from the keys that `pearlite keys` lists, some with mistakes: `check` accepts or refuses
each in time and with a message, accepts none that the schema refuses, and prints legal configurations."""

import random
import re
import tomllib
import unittest

import key_schema
import pearlite_runner as runner

CASES = 400
# Keys with which a model needs no file.
WITHOUT_DATA = {"gaussian-mixture": {"simulated_points": 8}, "rbm": {"random_hidden": 3}, "rbm-joint": {"random_hidden": 3},
                "rbm-hidden": {"random_hidden": 3}}
WORDS = ["metropolis", "pilot", "x", "", "normal(0, 1)", "A\\\"B"]


def whole_number(key, draw):
    low, high = key.get("minimum", -3), key.get("maximum", 1000)
    standard = key.get("default", low)
    return draw.choice([low, standard, min(low + 1, high), draw.randint(low, min(low + 200, high))])


def number(key, draw):
    low, high = key.get("minimum", key.get("exclusiveMinimum", -5)), key.get("maximum", key.get("exclusiveMaximum"))
    high = low + 3 if high is None else min(high, low + 3)
    return round(low + (high - low) * draw.choice([0.25, 0.5, 0.75, draw.uniform(0.01, 0.99)]), 6)


def legal(key, draw):
    """A value that the schema of a key allows."""
    if "anyOf" in key:
        return legal(draw.choice(key["anyOf"]), draw)
    if "enum" in key:
        return draw.choice(key["enum"])
    kind = key.get("type")
    if kind == "integer":
        return whole_number(key, draw)
    if kind == "number":
        return number(key, draw)
    if kind == "boolean":
        return draw.random() < 0.5
    if kind == "array":
        items = key["items"]
        if "enum" in items:
            return draw.sample(items["enum"], draw.randint(0, len(items["enum"])))
        return [legal(items, draw) for _ in range(draw.randint(0, 3))]
    return draw.choice(WORDS)


def illegal(key, draw):
    """A value of another type, or outside the range; None if there is none that the schema refuses."""
    if "anyOf" in key and any(option.get("type") == "integer" for option in key["anyOf"]):
        return illegal(next(option for option in key["anyOf"] if option.get("type") == "integer"), draw)
    if "enum" in key:
        return draw.choice(["no-such-name", 7])
    kind = key.get("type")
    if kind in ("integer", "number"):
        outside = [key["minimum"] - 1] if "minimum" in key else []
        outside += [key["maximum"] + 1] if "maximum" in key else []
        outside += [key["exclusiveMinimum"]] if "exclusiveMinimum" in key else []
        return draw.choice([*outside, "text", [1]])
    return {"boolean": 1, "array": "text", "string": 5}.get(kind)


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return runner.toml_value(value)


class Case:
    """A configuration and the keys that were made wrong in it."""

    def __init__(self, seed):
        draw = random.Random(seed)
        models = key_schema.models()
        model = draw.choice(sorted(models))
        algorithm = draw.choice(models[model])
        self.content = {"model": {"name": model, **WITHOUT_DATA.get(model, {})}, "algorithm": {"name": algorithm}}
        self.wrong, self.misspelt = [], []
        has_mistakes = draw.random() < 0.5
        for table, known in key_schema.tables(model, algorithm).items():
            for name, key in known["properties"].items():
                likely = 0.9 if name in known.get("required", []) else 0.02 if "only if" in repr(key) else 0.15
                if name not in self.content.get(table, {}) and draw.random() < likely:
                    self.add(table, name, key, draw, has_mistakes and draw.random() < 0.2)
        if self.content.get("run", {}).get("short") is True:
            self.content["short"] = {"run.seed": draw.randrange(100)}

    def add(self, table, name, key, draw, is_wrong):
        value = illegal(key, draw) if is_wrong else legal(key, draw)
        is_misspelt = is_wrong and draw.random() < 0.3
        if is_misspelt:
            name, value = name + "_", legal(key, draw)
        elif value is None:
            return
        self.content.setdefault(table, {})[name] = value
        if is_wrong:
            (self.misspelt if is_misspelt else self.wrong).append(f"{table}.{name}")

    def text(self):
        lines = []
        for table, keys in self.content.items():
            lines += [f"[{table}]", *(f"{key} = {toml(value)}" for key, value in keys.items())]
        return "\n".join(lines) + "\n"


# Keys about columns are judged once the table is read.
OF_TABLE = {f"model.{name}" for name in
            ("response", "exposure", "factors", "terms", "standardise", "intercept", "subject", "effects")}


class Drawn(key_schema.NeedsJsonSchema):
    def check(self, directory, text):
        file = directory / "drawn.toml"
        file.write_text(text, encoding="utf-8")
        return runner.pearlite("check", file, environment={"PEARLITE_DATA_DIR": ""})

    def judge(self, seed):
        """A description of the fault, or the status."""
        case = Case(seed)
        with runner.scratch_directory() as directory:
            text = case.text()
            ended = self.check(directory, text)
            try:
                self.assertIn(ended.status, (runner.FINISHED, runner.BAD_INPUT))
                if ended.status == runner.FINISHED:
                    self.accepted(directory, case, ended)
                else:
                    self.refused(case, ended)
            except AssertionError as error:
                return f"seed {seed}: {error}\n{text}\n{ended.describe()}"
        return ended.status

    def accepted(self, directory, case, ended):
        self.assertEqual(case.wrong + case.misspelt, [])
        self.assertEqual(key_schema.mistakes(tomllib.loads(case.text())), [])
        again = self.check(directory, ended.out)
        # Predictions are those of the moment. Elements of a list that are ignored stay in it.
        first, second = (re.sub("# ignored, .*\n", "", text.partition("# time: ")[0]) for text in (ended.out, again.out))
        self.assertEqual(second, first)
        self.assertEqual(key_schema.mistakes(tomllib.loads(ended.out)), [])

    def refused(self, case, ended):
        self.assertEqual(ended.out, "")
        self.assertRegex(ended.err, r"^pearlite: \S*drawn\.toml")
        # After a wrong choice the right one may know a name; then only likely slips are reported.
        if not re.search(r'expected (one of )?"', ended.err):
            for key in case.wrong + case.misspelt:
                waits = "model.data: " in ended.err and key in OF_TABLE
                if not waits and f"unknown table [{key.partition('.')[0]}]" not in ended.err:
                    self.assertIn(key, ended.err)
        for unknown in re.findall(r"unknown (?:key '|table \[)([a-z_.]+)", ended.err):
            table, _, name = unknown.partition(".")
            known = key_schema.tables(case.content["model"]["name"], case.content["algorithm"]["name"]).get(table, {})
            described = known.get("properties", {}).get(name, {})
            of_table = repr(described or known)
            self.assertTrue(unknown in case.misspelt or "only if" in of_table, f"{unknown} is listed, but unknown")

    def test_drawn_configurations(self):
        found = runner.side_by_side(self.judge, [(seed,) for seed in range(CASES)])
        failures = [text for text in found if isinstance(text, str)]
        self.assertEqual(failures, [], "\n".join(failures))
        self.assertGreater(found.count(runner.FINISHED), CASES // 10)
        self.assertGreater(found.count(runner.BAD_INPUT), CASES // 5)


if __name__ == "__main__":
    runner.main()
