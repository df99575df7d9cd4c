"""`pearlite keys`: the committed documents are current, and the schema accepts the jobs and refuses their slips."""

import copy
import tomllib
import unittest

import key_schema
import pearlite_runner as runner


class Documents(unittest.TestCase):
    def test_documents_are_current(self):
        for option, file in (("--markdown", "docs/keys.md"), ("--json-schema", "docs/pearlite.schema.json")):
            with self.subTest(file):
                self.assertEqual((key_schema.SOURCE / file).read_text(encoding="utf-8"), key_schema.printed(option),
                                 f"to bring it up to date: pearlite keys {option} > {file}")

    def test_tables_by_name(self):
        self.assertIn("  size: an integer in [2, 4096]", key_schema.printed("model.ising"))
        self.assertIn("ess_threshold", key_schema.printed("algorithm.smc"))
        self.assertNotIn("trajectories", key_schema.printed("algorithm.smc"))
        for table in ("run", "path", "schedule", "kernel", "algorithm", "model", "prior"):
            self.assertIn(f"[{table}]", key_schema.printed(table))
        ended = runner.pearlite("keys", "model.isnig")
        self.assertEqual(ended.status, runner.BAD_INPUT, ended.describe())
        self.assertIn("did you mean 'model.ising'", ended.err)


class Schema(key_schema.NeedsJsonSchema):
    def jobs(self):
        folder = key_schema.SOURCE / "jobs"
        jobs = sorted(folder.rglob("*.toml"))
        self.assertGreater(len(jobs), 20)
        return {str(job.relative_to(folder)): tomllib.loads(job.read_text(encoding="utf-8")) for job in jobs}

    def test_every_job_is_valid(self):
        for name, job in self.jobs().items():
            with self.subTest(name):
                self.assertEqual(key_schema.mistakes(job), [])

    def test_resolved_jobs_are_valid(self):
        """Resolved configurations, which have every key, are valid for all jobs whose data are available."""
        found = 0
        for name, job in self.jobs().items():
            if "sweep" in job:
                continue  # it has as many resolved configurations as settings
            ended = runner.pearlite("check", key_schema.SOURCE / "jobs" / name, "--set", "run.short=true")
            if ended.status == runner.FINISHED:
                with self.subTest(name):
                    self.assertEqual(key_schema.mistakes(tomllib.loads(ended.out)), [])
                    found += 1
        self.assertGreater(found, 5)

    def test_slips_are_refused(self):
        """Each key of a table once for its model and algorithm."""
        seen = set()
        for name, job in self.jobs().items():
            subject = (job.get("model", {}).get("name"), job.get("algorithm", {}).get("name"), "sweep" in job)
            for table, keys in job.items():
                for key, value in keys.items():
                    if (*subject, table, key) in seen:
                        continue
                    seen.add((*subject, table, key))
                    for slip, content in ((key + "s", value), (key, {"no": "value"})):
                        if "sweep" in job and slip != key and slip in key_schema.names(table):
                            continue  # a key of another model, which a variant might have
                        wrong = copy.deepcopy(job)
                        del wrong[table][key]
                        wrong[table][slip] = content
                        with self.subTest(name, slip=f"{table}.{slip}", content=content):
                            self.assertTrue(key_schema.refuses(wrong))

    def test_tables_and_keys_of_others_are_refused(self):
        good = {"model": {"name": "ising"}, "algorithm": {"name": "smc"}}
        self.assertEqual(key_schema.mistakes(good), [])
        self.assertEqual(key_schema.mistakes({**good, "schedule": {"steps": 5}}), [])  # a linear one
        for table, extra in (("algorithm", {"trajectories": 8}), ("model", {"dimension": 2}), ("model", {"flips": 3}),
                             ("model", {"size": 1}), ("run", {"block": "large"}), ("kernel", {"kind": "random-walk"}),
                             ("schedule", {"kind": "adaptive", "epsilon": 0.1}), ("shedule", {}), ("prior", {}),
                             ("path", {"inverse_temperature_end": 0.0})):
            wrong = copy.deepcopy(good)
            wrong.setdefault(table, {}).update(extra)
            with self.subTest(table, **extra):
                self.assertTrue(key_schema.refuses(wrong))
        for algorithm, table in (("pseudo-marginal", "path"), ("pisaa", "path")):
            model = "gaussian" if algorithm == "pseudo-marginal" else "test-function"
            wrong = {"model": {"name": model}, "algorithm": {"name": algorithm}, table: {}}
            with self.subTest(algorithm):
                self.assertTrue(key_schema.refuses(wrong))
                del wrong[table]
                self.assertEqual(key_schema.mistakes(wrong), [])
        self.assertTrue(key_schema.refuses({"model": {"name": "ising"}, "algorithm": {"name": "pisaa"}}))
        self.assertTrue(key_schema.refuses({"algorithm": {"name": "smc"}}))


if __name__ == "__main__":
    runner.main()
