"""`pearlite manual`: completions that work in bash, and pages that roff accepts, with every command and option."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import pearlite_runner as runner


def printed(part):
    ended = runner.pearlite("manual", part)
    if ended.status != runner.FINISHED:
        raise AssertionError(ended.describe())
    return ended.out


def plain(page):
    """A page without its requests and escapes."""
    text = re.sub(r"^\.\w+ ?", "", page, flags=re.MULTILINE)
    return re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")


def commands():
    """{command: its options}, by the help of each."""
    names = re.findall(r"^  ([a-z]+) {2,}", runner.pearlite("--help").out.partition("Subcommands:")[2], re.MULTILINE)
    return {name: re.findall(r"(?<=[ ,])--?[a-z][a-z-]*", runner.pearlite(name, "--help").out.partition("\n")[2])
            for name in names}


class Manual(unittest.TestCase):
    def test_pages_name_all_commands_options_and_keys(self):
        page = plain(printed("commands"))
        self.assertTrue("\npearlite command [options]" in page)
        self.assertGreaterEqual(len(commands()), 15)
        for command, options in commands().items():
            self.assertIn(f"pearlite {command}", page)
            for option in options:
                if option not in ("-h", "--help"):
                    self.assertIn(option, page, command)
        keys = plain(printed("keys"))
        for line in runner.pearlite("keys").out.splitlines():
            self.assertIn(line, keys)

    def test_roff_takes_the_pages(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        for part in ("commands", "keys"):
            made = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-K", "utf8"], input=printed(part), text=True,
                                  capture_output=True, check=True)
            self.assertEqual(made.stderr, "")
            self.assertIn("pearlite", made.stdout)

    def test_pages_of_scripts(self):
        """The other programs in bin/ have pages, too."""
        place = pathlib.Path(os.environ["PEARLITE"]).resolve().parents[1] / "manual"
        for name, words in (("pearlite-import-rbm", "vishid"), ("pearlite.sbatch", "PEARLITE_LAUNCHER")):
            page = gzip.decompress((place / f"{name}.1.gz").read_bytes()).decode()
            self.assertIn(words, plain(page))
            self.assertTrue(page.startswith(f".TH {name.upper()} 1"))
            if shutil.which("groff"):
                made = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-K", "utf8"], input=page, text=True,
                                      capture_output=True, check=True)
                self.assertEqual(made.stderr, "")

    def complete(self, *words, directory):
        script = (f"{printed('bash')}\nCOMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}\n"
                  "_pearlite; printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "-c", script], text=True, capture_output=True, check=True, cwd=directory)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes(self):
        with runner.scratch_directory() as directory:
            for name in ("job.toml", "job.csv", "results.h5", "model.stan"):
                (directory / name).touch()
            (directory / "runs").mkdir()
            complete = lambda *words: self.complete(*words, directory=directory)
            self.assertEqual(complete("pearlite", "re"), ["resume", "report"])
            self.assertEqual(complete("pearlite", "run", "--over"), ["--overwrite"])
            self.assertEqual(complete("pearlite", "run", "--set", "algorithm.traj"), ["algorithm.trajectories="])
            self.assertEqual(sorted(complete("pearlite", "run", "")), ["job.toml", "runs"])
            self.assertEqual(complete("pearlite", "run", "jo"), ["job.toml"])
            self.assertEqual(complete("pearlite", "resume", ""), ["runs"])
            self.assertEqual(complete("pearlite", "show", "res"), ["results.h5"])
            self.assertEqual(complete("pearlite", "stan", "m"), ["model.stan"])
            self.assertEqual(complete("pearlite", "keys", "model.is"), ["model.ising"])

    def test_zsh_takes_its_completions(self):
        text = printed("zsh")
        self.assertTrue(text.startswith("#compdef pearlite\n"))
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        subprocess.run(["zsh", "-n", "-c", text], check=True)

    def test_refusals(self):
        self.assertEqual(runner.pearlite("manual", "fish").status, runner.BAD_INPUT)
        self.assertEqual(runner.pearlite("manual").status, runner.BAD_INPUT)


if __name__ == "__main__":
    runner.main()
