"""The JSON schema of configurations, as `pearlite keys` prints it."""

import functools
import json
import os
import pathlib
import unittest

import pearlite_runner as runner

try:
    import jsonschema
except ImportError:
    jsonschema = None

SOURCE = pathlib.Path(os.environ.get("PEARLITE_SOURCE_DIR", "."))


def printed(*arguments):
    ended = runner.pearlite("keys", *arguments)
    if ended.status != runner.FINISHED:
        raise AssertionError(ended.describe())
    return ended.out


@functools.cache
def schema():
    return json.loads(printed("--json-schema"))


@functools.cache
def validator():
    jsonschema.Draft7Validator.check_schema(schema())
    return jsonschema.Draft7Validator(schema())


def mistakes(configuration):
    """The mistakes that the schema finds in a configuration, a list of texts."""
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in validator().iter_errors(configuration)]


def refuses(configuration):
    return not validator().is_valid(configuration)


def names(table):
    """The keys that a table has for some model or algorithm."""
    return set(schema()["properties"].get(table, {}).get("properties", {}))


def tables(model, algorithm):
    """{table: its schema} for a model and an algorithm."""
    minimal = {"model": {"name": model}, "algorithm": {"name": algorithm}}
    found = {}
    for rule in schema()["then"]["allOf"]:
        if "then" not in rule or not validator().evolve(schema=rule["if"]).is_valid(minimal):
            continue
        for table, content in rule["then"]["properties"].items():
            if "additionalProperties" in content:
                found[table] = content
    return found


def models():
    """{model: the algorithms that suit it}."""
    found = {}
    for rule in schema()["then"]["allOf"]:
        names = rule.get("then", {}).get("properties", {}).get("algorithm", {}).get("properties", {}).get("name", {})
        if "model" in rule["if"].get("properties", {}) and "enum" in names:
            for model in rule["if"]["properties"]["model"]["properties"]["name"]["enum"]:
                found[model] = names["enum"]
    return found


class NeedsJsonSchema(unittest.TestCase):
    def setUp(self):
        if jsonschema is None:
            self.skipTest("python3-jsonschema is not installed")
