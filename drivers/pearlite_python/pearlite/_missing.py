"""Why the compiled part cannot be imported."""

import pathlib
import sys
import sysconfig

HERE = pathlib.Path(__file__).parent


def why(error):
    """The words of an ImportError in place of this one, in which Python blames a circular import."""
    built = [file.name for file in HERE.glob("_core*.so")]
    mine = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    python = f"Python {sys.version_info.major}.{sys.version_info.minor} ({sys.executable})"
    if not built:
        build = HERE.parents[1] if (HERE.parents[1] / "CMakeCache.txt").exists() else "BUILD"
        return (f"pearlite: its compiled part has not been built in {HERE}; expected {mine}, which "
                f"`cmake --build {build} --target pearlite_python` makes in a build directory, and `pip install "
                f"--no-build-isolation .` in the checkout for {python}")
    if mine not in built:
        return (f"pearlite: its compiled part {', '.join(built)} is for another Python than this one, {python}; expected "
                f"{mine}: run the Python that it was built for, or `pip install --no-build-isolation .` in the checkout")
    return f"pearlite: its compiled part cannot be loaded by {python}: {error}"
