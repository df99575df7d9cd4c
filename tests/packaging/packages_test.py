"""The Debian packages that cpack makes: their contents and dependencies, and, in a bare Debian 12, their installation
and a user-defined model that is built and run there.

usage: packages_test.py BUILD_DIRECTORY

The last part needs root, a network for apt, and a bare system, which is made with
    debootstrap --variant=minbase bookworm DIRECTORY
PEARLITE_BARE_SYSTEM names this directory; without it the part is skipped. The test changes the system.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1])
BARE = os.environ.get("PEARLITE_BARE_SYSTEM")
PLACES = {
    "pearlite": ["usr/bin/pearlite", "usr/bin/pearlite-import-rbm", "usr/bin/pearlite.sbatch", "usr/share/pearlite/report.py",
                 "usr/share/pearlite/pearlite_stan/compile.py", "usr/share/pearlite/jobs/ising.toml",
                 "usr/share/pearlite/templates/model/name.cpp.in", "usr/share/man/man1/pearlite.1.gz",
                 "usr/share/man/man5/pearlite.toml.5.gz", "usr/share/bash-completion/completions/pearlite",
                 "usr/share/zsh/vendor-completions/_pearlite"],
    "libpearlite-dev": ["usr/include/pearlite/app/custom_model.hpp", "usr/lib/cmake/Pearlite/PearliteConfig.cmake",
                        "usr/lib/libpearlite_app.a"],
    "python3-pearlite": ["usr/lib/python3/dist-packages/pearlite/__init__.py",
                         "usr/lib/python3/dist-packages/pearlite/py.typed",
                         "usr/lib/python3/dist-packages/pearlite/_report/page.css"],
    "pearlite-doc": ["usr/share/doc/pearlite/README.md", "usr/share/doc/pearlite/docs/user-guide.md",
                     "usr/share/doc/pearlite/docs/figures/tour-protein.svg"],
}
DEPENDS = {"pearlite": ["openmpi-bin", "python3", "libhdf5-103", "libnetcdf19"],
           "libpearlite-dev": ["libeigen3-dev", "libopenmpi-dev", "libhdf5-dev", "cmake", "g++"],
           "python3-pearlite": ["python3-numpy", "python3-h5py", "libhdf5-103"], "pearlite-doc": []}
MISSING = [tool for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file") if shutil.which(tool) is None]
if MISSING:
    print(f"skipped: {', '.join(MISSING)} not installed (Debian: dpkg-dev, file)")
    sys.exit(77)
PARTS_OF_A_RUN = """set -e
mount -t proc proc /proc
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
trap 'umount /dev/shm /proc' EXIT
cd /root && rm -rf mine
pearlite new model mine && cd mine && cmake -S . -B build && cmake --build build
. /usr/share/pearlite/jobs/mpi-environment.sh
mpirun -n 2 build/mine run mine.toml
pearlite run /usr/share/pearlite/jobs/ising.toml --set run.short=true -o runs/ising
pearlite report runs/ising
python3 -c "import pearlite; print(pearlite.sample(lambda a, b: -a * a - b * b, seed=1, vectorized=True))"
grep -q '"status": "finished"' runs/mine/summary.json runs/ising/summary.json
"""


def call(*command):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout[-5000:]}")
    return done.stdout


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = pathlib.Path(tempfile.mkdtemp(prefix="packages-"))
        cls.addClassCleanup(shutil.rmtree, place)
        call("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", place)
        cls.files = {re.match(r"[a-z0-9-]+(?=_)", file.name)[0]: file for file in place.glob("*.deb")}

    def test_contents(self):
        self.assertEqual(self.files.keys(), PLACES.keys())
        seen = set()
        for package, places in PLACES.items():
            listing = call("dpkg-deb", "--contents", self.files[package])
            found = set(re.findall(r" \./(\S+[^/\s])(?: ->.*)?$", listing, re.MULTILINE))
            self.assertEqual([place for place in [*places, f"usr/share/doc/{package}/copyright",
                                                  f"usr/share/doc/{package}/changelog.gz"] if place not in found], [])
            self.assertEqual(found & seen, set(), "a file of two packages")
            self.assertEqual([file for file in found if "__pycache__" in file or file.startswith("usr/local")], [])
            seen |= found

    def test_dependencies(self):
        for package, needed in DEPENDS.items():
            depends = call("dpkg-deb", "--field", self.files[package], "Depends") if needed else ""
            self.assertEqual([name for name in needed if name not in depends], [], depends)
            self.assertNotRegex(depends, "gtest|benchmark")

    @unittest.skipUnless(BARE, "PEARLITE_BARE_SYSTEM names no bare system (debootstrap)")
    def test_bare_system(self):
        files = pathlib.Path(BARE) / "root"
        for file in self.files.values():
            shutil.copy(file, files)
        install = ["chroot", BARE, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
        call(*install, "update")
        call(*install, "install", "-y", "--no-install-recommends", "python3-h5py", "python3-matplotlib",
             *(f"/root/{file.name}" for file in self.files.values()))
        print(call("chroot", BARE, "bash", "-c", PARTS_OF_A_RUN)[-1500:])
        call("chroot", BARE, "dpkg", "--purge", *self.files)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
