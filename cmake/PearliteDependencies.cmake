# Everything comes from Debian packages (cmake/debian-packages.txt); nothing is downloaded.

find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
find_package(Boost 1.74 REQUIRED COMPONENTS mpi serialization)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PNG REQUIRED)
find_package(MiniZip REQUIRED)
find_package(ZLIB REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(LBFGS REQUIRED)

# Serial or parallel: the ranks write into the file without MPI-IO. NetCDF must be built on the same one.
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(NetCDF 4.6.2 REQUIRED)

# Optional, for users' programs and tests that include pearlite/model/automatic_gradient.hpp.
find_package(StanMath QUIET)

# Random123 is headers only and ships no CMake files; it is used by the sources alone, never by installed headers.
find_path(PEARLITE_RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
if(NOT TARGET Random123::Random123)
    add_library(Random123::Random123 INTERFACE IMPORTED)
    target_include_directories(Random123::Random123 SYSTEM INTERFACE "${PEARLITE_RANDOM123_INCLUDE_DIR}")
endif()
