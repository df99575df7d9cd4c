"""The backend of pyproject.toml, setuptools' with CMake: it builds the compiled part in build/release, or in the directory
that PEARLITE_BUILD names, and takes what is there already."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, build_meta, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = "drivers/pearlite_python/pearlite"
REPORT = "drivers/pearlite_report"


def version():
    return re.search(r"project\(Pearlite VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def packages():
    """{package: its folder}: the figures of the report are a part of the package."""
    parts = [file.parent.relative_to(ROOT / REPORT) for file in (ROOT / REPORT).rglob("__init__.py")]
    return {"pearlite": SOURCES, **{".".join(["pearlite._report", *part.parts]): f"{REPORT}/{part}" for part in parts}}


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        build = pathlib.Path(os.environ.get("PEARLITE_BUILD", ROOT / "build" / "release"))
        if not (build / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "--preset", "release", "-B", str(build), "-D", "PEARLITE_TESTS=OFF",
                            "-D", f"PEARLITE_PACKAGE_PYTHON={sys.executable}"], cwd=ROOT, check=True)
        jobs = subprocess.run(["bash", "-c", ". cmake/setup.sh && build_jobs"], cwd=ROOT, check=True, capture_output=True,
                              text=True).stdout.strip()
        subprocess.run(["cmake", "--build", str(build), "--target", "pearlite_python", "-j", jobs], check=True)
        module = build / "python" / "pearlite" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
        if not module.exists():
            raise RuntimeError(f"{module}: not there, but expected: {build} builds for another Python than {sys.executable}; "
                               f"PEARLITE_BUILD=DIRECTORY builds in another directory")
        place = pathlib.Path(self.get_ext_fullpath(extension.name))
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(module, place)
        subprocess.run(["strip", "--strip-unneeded", str(place)], check=True)


class Backend(build_meta._BuildMetaBackend):
    """In place of a script setup.py."""

    def run_setup(self, setup_script="setup.py"):
        del setup_script
        (ROOT / "build").mkdir(exist_ok=True)
        setup(version=version(), packages=list(packages()), package_dir=packages(),
              package_data={"pearlite": ["py.typed", "*.pyi"], "pearlite._report": ["*.css"]},
              ext_modules=[Extension("pearlite._core", sources=[])], cmdclass={"build_ext": CMakeBuild}, zip_safe=False,
              options={"egg_info": {"egg_base": "build"}, "build": {"build_base": "build/pip"}})


_backend = Backend()
build_wheel, build_sdist = _backend.build_wheel, _backend.build_sdist
get_requires_for_build_wheel = _backend.get_requires_for_build_wheel
prepare_metadata_for_build_wheel = _backend.prepare_metadata_for_build_wheel
