"""jobs/get-data.sh: its table is that of docs/data.md. It downloads generated sources from a directory and from a local
server; the checksums in its table are replaced by those of the expected files."""

import functools
import gzip
import hashlib
import http.server
import io
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

import pearlite_runner as runner

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "jobs/get-data.sh"
ENTRY = re.compile(r"^data_file (\S+) \S+ \\\n    ([0-9a-f]{64})", re.MULTILINE)
CHECKSUMS = dict(ENTRY.findall(SCRIPT.read_text(encoding="utf-8")))
NOWHERE = "http://127.0.0.1:9"  # nothing listens there
MODES = "gaussmix20/modes.csv"
TOENAIL = "bayes/toenail.csv"
TOOLS = "awk bash cat curl cut dirname gzip ls mkdir mktemp mv rm rmdir sed sha256sum tail".split()


def zip_of(name, contents):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, contents)
    return archive.getvalue()


def made_with_r(script):
    """The files a.rda, b.rda, ... that a program in R writes."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["Rscript", "--vanilla", "-e", script], cwd=place, check=True, capture_output=True, timeout=60)
        return [file.read_bytes() for file in sorted(pathlib.Path(place).iterdir())]


def made_weights():
    """A MATLAB file of two visible units and one hidden unit, and the flat one."""
    import h5py  # pylint: disable=import-outside-toplevel,unused-import # which the import takes as well
    import scipy.io  # pylint: disable=import-outside-toplevel

    file = io.BytesIO()
    scipy.io.savemat(file, {"vishid": [[1.5], [-2.0]], "visbiases": [[0.25, 0.5]], "hidbiases": [[3.0]]})
    return file.getvalue(), struct.pack("<2q5d", 2, 1, 1.5, -2.0, 0.25, 0.5, 3.0)


@functools.cache
def made_sources():
    """{name: (sources, what must come out)} for all files whose conversion can be tried on this machine."""
    made = {
        "bayes/radiata_pine.csv": ([b"# id y x z\n1 3040 29.2  25.4\n"], b"id,y,x,z\n1,3040,29.2,25.4\n"),
        TOENAIL: ([b"rownames,patientID,outcome,treatment,time,visit\n1,7,moderate or severe,terbinafine,0,1\n"
                   b"2,7,none or mild,itraconazole,0.8571429,2\n"],
                  b"patient,outcome,terbinafine,month,visit\n7,1,1,0,1\n7,0,0,0.8571429,2\n"),
        "bayes/ohio_wheeze.csv": ([b"rownames,resp,id,age,smoke\n1,0,0,-2,1\n"], b"resp,id,age,smoke\n0,0,-2,1\n"),
        "bayes/pima_tr.csv": ([b"rownames,npreg,type\n1,5,No\n2,7,Yes\n"], b"npreg,type\n5,0\n7,1\n"),
        "bayes/pima_te.csv": ([b"rownames,npreg,type\n1,6,Yes\n"], b"npreg,type\n6,1\n"),
        "bayes/galaxies.csv": ([b"rownames,dat\n1,9172\n2,9350\n"], b"velocity_km_s\n9172\n9350\n"),
        "spect/SPECT.train": ([b"22\r\n1,0,1\r\n0,0,0\r\n"], b"1,0,1\n0,0,0\n"),
        "spect/SPECT.test": ([b"22\r\n1,1,1\r\n"], b"1,1,1\n"),
        "mnist/train-images-idx3-ubyte.gz": ([gzip.compress(b"images")], gzip.compress(b"images")),
        "mnist/t10k-images-idx3-ubyte.gz": ([b"tests, not compressed"], b"tests, not compressed"),
    }
    for name in CHECKSUMS:
        if name.startswith("posteriordb/"):
            made[name] = ([zip_of(name.partition("/")[2], f"{{{name}}}" * 9)], f"{{{name}}}".encode() * 9)
    for name in ("bayes/pima_standardised_532.dat", "pound_dollar/GBP_vs_USD_9798.txt", "rbm/README_salakhutdinov.txt",
                 "ferrite_pearlite/ferrite_pearlite_240x320.txt", "usps/usps.h5"):
        made[name] = ([name.encode() + b"\0\r\n"], name.encode() + b"\0\r\n")
    if shutil.which("Rscript"):
        made["bayes/polypharm.csv"] = (
            made_with_r('polypharm <- data.frame(id = 1:2, group = factor(c("CFC", NA), levels = c("ABD", "CFC")), '
                        'age = c(4.67, 6)); save(polypharm, file = "a.rda")'),
            b"id,group,age\n1,1,4.67\n2,-2147483649,6\n")
        made["pound_dollar/svpd_returns.csv"] = (
            made_with_r('exchange <- c(0.1, -1 / 3); save(exchange, file = "a.rda"); svpdx <- data.frame('
                        'date = as.Date(c("1981-10-02", "1981-10-05")), pdx = 1:2); save(svpdx, file = "b.rda")'),
            b"date,y\n1981-10-02,0.1\n1981-10-05,-0.333333333333333\n")
    try:
        matlab, flat = made_weights()
        made |= {name: ([matlab], flat) for name in ("rbm/rbm15.f64", "rbm/rbm_cd25_500.f64")}
    except ImportError:
        pass
    return made


def plain(name, contents):
    return gzip.decompress(contents) if name.endswith(".gz") and contents[:2] == b"\x1f\x8b" else contents


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves a directory. Requests for a path with 'hang' in it get no answer."""

    def do_GET(self):
        if "hang" in self.path:
            self.server.asked.set()
            time.sleep(runner.PATIENCE)
        super().do_GET()

    def log_message(self, *_):
        pass


class Agreement(unittest.TestCase):
    """The table of the script, the page, the jobs."""

    def setUp(self):
        self.page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
        section = self.page.partition("\n## Files\n")[2].partition("\n## ")[0]
        self.items = [" ".join(item.partition("\n\n")[0].split())
                      for item in re.split(r"^\* ", section, flags=re.MULTILINE)[1:]]

    def items_of_names(self):
        """{name: its item of the list}, {name: its checksum there}."""
        items, checksums = {}, {}
        for item in self.items:
            names = re.findall(r"`([^`]+)`", item.partition(": ")[0])
            found = re.findall(r"`([0-9a-f]{64})`(?: `([^`]+)`)?", item)
            if "*" in names[0]:
                names = [names[0].replace("*.json", file) for _, file in found]
            self.assertEqual(len(names), len(found), item)
            items |= {name: item for name in names}
            checksums |= {name: checksum for name, (checksum, _) in zip(names, found)}
        return items, checksums

    def test_checksums_of_page_and_script(self):
        self.assertGreater(len(CHECKSUMS), 20)
        self.assertEqual(self.items_of_names()[1], CHECKSUMS)

    def test_sources_of_page_and_script(self):
        listed = subprocess.run(["bash", SCRIPT, "--list", "-o", "/nowhere"], env=os.environ | {
            "PEARLITE_DATA_SOURCE": "https://a"}, check=True, capture_output=True, text=True).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed], list(CHECKSUMS))
        items, _ = self.items_of_names()
        for name, _, *addresses in map(str.split, listed):
            for address in addresses if name != MODES else []:
                owner, repository, commit, path = address.removeprefix("https://a/").split("/", 3)
                self.assertIn(f"{owner}/{repository}", items[name], name)
                self.assertRegex(commit, "^[0-9a-f]{40}$")
                for stated in re.findall(r"commit ([0-9a-f]+)", items[name]):
                    self.assertTrue(commit.startswith(stated), f"{name}: {stated} on the page, {commit} in the script")
                of_page = path if "*" not in items[name] else "posterior_database/data/data/NAME.json.zip"
                self.assertTrue(of_page in items[name] or pathlib.Path(path).name in items[name], f"{name}: {path}")

    def test_tree_on_the_page(self):
        tree = self.page.partition("The data directory contains\n\n")[2].partition("\n\n")[0]
        folder, names = "", []
        for word in tree.split():
            if word.endswith("/"):
                folder = word
            else:
                names.append(folder + word)
        self.assertEqual(sorted(names), sorted(CHECKSUMS))

    def test_files_that_jobs_name(self):
        folders = "|".join(sorted({name.partition("/")[0] for name in CHECKSUMS}))
        named = {name for job in (ROOT / "jobs").rglob("*.toml")
                 for name in re.findall(rf'"((?:{folders})/[^"]+)"', job.read_text(encoding="utf-8"))}
        self.assertGreater(len(named), 10)
        self.assertEqual(named - set(CHECKSUMS), set())

    def test_modes_of_page_and_script(self):
        texts = [re.search(r"printf '%s\\n' (k,mu1,mu2[^>}]*)", text)[1].replace("\\\n", " ").split()
                 for text in (self.page, SCRIPT.read_text(encoding="utf-8"))]
        self.assertEqual(*texts)


@unittest.skipIf(shutil.which("curl") is None, "curl is not installed")
class GetData(unittest.TestCase):
    def setUp(self):
        scratch = runner.scratch_directory()
        self.place = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.data, self.mirror = self.place / "data", self.place / "mirror"
        self.mirror.mkdir()
        (self.place / "jobs").mkdir()
        (self.place / "drivers").symlink_to(ROOT / "drivers")
        text = SCRIPT.read_text(encoding="utf-8")
        for name, (_, contents) in made_sources().items():
            text = text.replace(CHECKSUMS[name], hashlib.sha256(plain(name, contents)).hexdigest())
        self.script = self.place / "jobs/get-data.sh"
        self.script.write_text(text)
        base = f"file://{self.mirror}"
        self.sources = {}
        for line in self.run_script("--list", base=base).stdout.splitlines():
            name, _, *addresses = line.split()
            self.sources[name] = [pathlib.Path(address.removeprefix("file://")) for address in addresses]
        for name, (contents, _) in made_sources().items():
            for path, source in zip(self.sources[name], contents, strict=True):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(source)

    def environment(self, base):
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"  # a Python with the modules of this one
        without = {name: value for name, value in os.environ.items() if name != "PEARLITE_DATA_DIR"}
        return without | {"PEARLITE_DATA_SOURCE": base or f"file://{self.mirror}", "no_proxy": "*", "PATH": path}

    def run_script(self, *arguments, base=None, script=None, directory=True, **environment):
        where = ["-o", self.data] if directory else []
        return subprocess.run(["bash", script or self.script, *where, *arguments], capture_output=True, text=True,
                              timeout=60, cwd=self.place, env=self.environment(base) | environment)

    def serve(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                 functools.partial(Server, directory=self.mirror))
        server.asked = threading.Event()
        server.daemon_threads, server.block_on_close = True, False
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def assert_status(self, ended, status):
        self.assertEqual(ended.returncode, status, f"{ended.stdout}\n{ended.stderr}")

    def outcome(self, ended, name):
        """The row of a file in the closing table."""
        rows = re.findall(rf"^{re.escape(name)} +(.+)$", ended.stdout, re.MULTILINE)
        self.assertEqual(len(rows), 1, f"{name} in\n{ended.stdout}")
        return rows[0]

    def files(self):
        return sorted(str(path.relative_to(self.data)) for path in self.data.rglob("*") if not path.is_dir())

    def test_all_that_can_be_made(self):
        names = [*made_sources(), MODES]
        ended = self.run_script(*names)
        self.assert_status(ended, 0)
        self.assertEqual(self.files(), sorted(names))
        for name, (_, contents) in made_sources().items():
            self.assertEqual((self.data / name).read_bytes(), contents, name)
            self.assertEqual(self.outcome(ended, name), "fetched")
        self.assertEqual(self.outcome(ended, MODES), "made")
        self.assertIn(f"export PEARLITE_DATA_DIR={self.data}", ended.stdout)
        umask = os.umask(0)
        os.umask(umask)
        self.assertEqual((self.data / TOENAIL).stat().st_mode & 0o777, 0o666 & ~umask)

        before = {name: (self.data / name).stat().st_mtime_ns for name in names}
        again = self.run_script(*names, base=NOWHERE)
        self.assert_status(again, 0)
        self.assertEqual([self.outcome(again, name) for name in names], ["there"] * len(names))
        self.assertEqual({name: (self.data / name).stat().st_mtime_ns for name in names}, before)
        print(f"{len(names)} of {len(CHECKSUMS)} conversions tried")

    def test_wrong_checksum(self):
        ended = self.run_script("bayes/galaxies.csv", TOENAIL, MODES, script=SCRIPT)
        self.assert_status(ended, 1)
        self.assertEqual(self.outcome(ended, TOENAIL), "failed: wrong checksum")
        self.assertEqual(self.outcome(ended, MODES), "made")
        self.assertRegex(ended.stderr, f"got +{hashlib.sha256(made_sources()[TOENAIL][1]).hexdigest()}\n"
                                       f" +expected +{CHECKSUMS[TOENAIL]}\n")
        self.assertEqual([path.name for path in self.data.iterdir()], ["gaussmix20"])
        self.assertNotIn("no network", ended.stderr)

    def test_wrong_file_is_replaced_by_a_right_one_only(self):
        target = self.data / TOENAIL
        target.parent.mkdir(parents=True)
        target.write_text("mine\n")
        source, = self.sources[TOENAIL]
        right = source.read_bytes()
        source.write_bytes(right + b"more\n")
        self.assert_status(self.run_script(TOENAIL), 1)
        self.assertEqual(target.read_text(), "mine\n")
        source.write_bytes(right)
        ended = self.run_script(TOENAIL)
        self.assert_status(ended, 0)
        self.assertEqual(self.outcome(ended, TOENAIL), "fetched, in place of a wrong one")
        self.assertEqual(target.read_bytes(), made_sources()[TOENAIL][1])
        self.assertEqual(self.files(), [TOENAIL])

    def test_list(self):
        self.assertFalse(self.data.exists())
        (self.data / "bayes").mkdir(parents=True)
        (self.data / TOENAIL).write_bytes(made_sources()[TOENAIL][1])
        (self.data / "bayes/galaxies.csv").write_text("mine\n")
        ended = self.run_script("--list", base=NOWHERE)
        self.assert_status(ended, 0)
        rows = [line.split() for line in ended.stdout.splitlines()]
        self.assertEqual([row[0] for row in rows], list(CHECKSUMS))
        states = {row[0]: row[1] for row in rows}
        self.assertEqual((states.pop(TOENAIL), states.pop("bayes/galaxies.csv")), ("there", "wrong"))
        self.assertEqual(set(states.values()), {"missing"})
        self.assertTrue(all(row[2].startswith(NOWHERE) for row in rows if row[0] != MODES))
        self.assertEqual(self.files(), ["bayes/galaxies.csv", TOENAIL])
        of_folder = self.run_script("--list", "spect/", base=NOWHERE).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in of_folder], ["spect/SPECT.train", "spect/SPECT.test"])

    def test_no_network(self):
        for base in (NOWHERE, f"{NOWHERE}/folder/"):
            ended = self.run_script("bayes", MODES, "spect", base=base)
            self.assert_status(ended, 1)
            self.assertEqual(ended.stderr.count("no network"), 1)
            self.assertIn("no network: could not reach 127.0.0.1:9; the files can be copied by hand, docs/data.md says "
                          "from where\n", ended.stderr)
            self.assertEqual(self.outcome(ended, "spect/SPECT.test"), "failed: no network")
            self.assertEqual(self.files(), [MODES])

    def test_a_source_that_is_not_there(self):
        self.sources[TOENAIL][0].unlink()
        server = self.serve()
        for base in (None, f"http://127.0.0.1:{server.server_port}"):
            shutil.rmtree(self.data, ignore_errors=True)
            ended = self.run_script(TOENAIL, "bayes/galaxies.csv", base=base)
            self.assert_status(ended, 1)
            self.assertEqual(self.outcome(ended, TOENAIL), "failed: could not be fetched")
            self.assertEqual(self.outcome(ended, "bayes/galaxies.csv"), "fetched")
            self.assertNotIn("no network", ended.stderr)
            self.assertEqual(self.files(), ["bayes/galaxies.csv"])

    def test_stopped_while_fetching(self):
        server = self.serve()
        script = subprocess.Popen(["bash", self.script, "-o", self.data, TOENAIL], start_new_session=True,
                                  env=self.environment(f"http://127.0.0.1:{server.server_port}/hang"),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(server.asked.wait(runner.PATIENCE))
        os.killpg(script.pid, signal.SIGTERM)
        self.assertEqual(script.wait(runner.PATIENCE), 143)
        self.assertEqual(list((self.data / "bayes").iterdir()), [])

    def test_damaged_sources(self):
        for name in ("posteriordb/arK.json", "mnist/train-images-idx3-ubyte.gz"):
            source, = self.sources[name]
            source.write_bytes(source.read_bytes()[:-9] if name.endswith(".gz") else source.read_bytes()[:45])
            ended = self.run_script(name)
            self.assert_status(ended, 1)
            self.assertRegex(self.outcome(ended, name), "failed: (wrong checksum|could not be converted)")
            self.assertEqual(self.files(), [])

    def test_tools_that_are_missing(self):
        tools = self.place / "tools"
        tools.mkdir()
        for tool in TOOLS:
            (tools / tool).symlink_to(shutil.which(tool))
        ended = self.run_script("bayes/polypharm.csv", TOENAIL, PATH=str(tools))
        self.assert_status(ended, 1)
        self.assertEqual(self.outcome(ended, "bayes/polypharm.csv"), "failed: Rscript is missing (Debian: r-base-core)")
        self.assertEqual(self.outcome(ended, TOENAIL), "fetched")
        (tools / "curl").unlink()
        ended = self.run_script("spect/SPECT.test", MODES, PATH=str(tools))
        self.assert_status(ended, 1)
        self.assertEqual(self.outcome(ended, "spect/SPECT.test"), "failed: curl is missing (Debian: curl)")
        self.assertEqual(self.outcome(ended, MODES), "made")

    def test_bad_arguments(self):
        (self.place / "file").write_text("")
        for arguments, message in ((["toenail.csv"], "no data file or folder is called 'toenail.csv'"),
                                   ([MODES, ""], "no data file or folder is called ''"),
                                   (["--force"], "unknown option --force"), (["-o"], "-o needs a directory"),
                                   (["-o", "file"], "file is not a directory")):
            ended = self.run_script(*arguments)
            self.assert_status(ended, 2)
            self.assertIn(message, ended.stderr)
            self.assertFalse(self.data.exists())
        usage = self.run_script("--help")
        self.assert_status(usage, 0)
        self.assertIn("bash jobs/get-data.sh [-o DIR] [NAME...]", usage.stdout)

    def test_default_directory(self):
        self.assert_status(self.run_script(MODES, directory=False), 0)
        self.assertTrue((self.place / "data-files" / MODES).exists())
        ended = self.run_script("gaussmix20", directory=False, PEARLITE_DATA_DIR=str(self.data))
        self.assert_status(ended, 0)
        self.assertEqual(self.files(), [MODES])
        self.assertNotIn("export", ended.stdout)


if __name__ == "__main__":
    runner.main()
