"""Pearlite for Spack: builds a checkout (spack dev-build pearlite@=0.1.0)."""

from spack.package import *


class Pearlite(CMakePackage):
    """Annealed Monte Carlo on clusters: normalizing constants, posteriors and minima, with error bars and the same bits on
    any number of MPI ranks."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant("native", default=False, description="Build for the CPU of this machine alone")
    variant("report", default=True, description="Python modules of the report")

    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3.1:")
    depends_on("boost@1.74: +mpi +serialization +math")
    depends_on("eigen@3.4:")
    depends_on("hdf5@1.10:")
    depends_on("netcdf-c@4.6.2:")
    depends_on("random123")
    depends_on("liblbfgs")
    depends_on("cli11")
    depends_on("tomlplusplus")
    depends_on("nlohmann-json@3.11:")
    depends_on("spdlog")
    depends_on("fmt")
    depends_on("openssl")
    depends_on("zlib-api")
    depends_on("libpng")
    depends_on("minizip")
    depends_on("python@3.11:", type="run")
    depends_on("py-h5py", type="run", when="+report")
    depends_on("py-matplotlib", type="run", when="+report")

    requires("%gcc@12:")
    requires("target=x86_64_v3:")

    def cmake_args(self):
        return [
            self.define("PEARLITE_TESTS", False),
            self.define("PEARLITE_PYTHON_PACKAGE", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define_from_variant("PEARLITE_NATIVE", "native"),
        ]
