# Debian packages, made by `cpack` in a build directory: pearlite (the program and its scripts), libpearlite-dev
# (headers, libraries and the CMake package, for users' models), python3-pearlite where the package was built, and
# pearlite-doc.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pearlite)
set(CPACK_PACKAGE_VENDOR "The Pearlite authors")
set(CPACK_PACKAGE_CONTACT "The Pearlite authors <pearlite@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "annealed Monte Carlo on one core or a cluster")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development documentation)
set(changed program:pearlite development:libpearlite-dev documentation:pearlite-doc)
if(TARGET pearlite_python)
    list(APPEND CPACK_COMPONENTS_ALL python)
    list(APPEND changed python:python3-pearlite)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME pearlite)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "openmpi-bin, python3")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-h5py, python3-matplotlib")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libpearlite-dev, pearlite-doc, r-cran-rstan, r-cran-stanheaders")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "Pearlite moves a population of states along a path of distributions and returns\nnormalising constants and \
posteriors with error bars, and minima of energies.\nThe same seed gives the same bits on any number of MPI ranks.")

# Packages that a user's program needs: the development packages of the build, except those of tests.
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/debian-packages.txt" packages REGEX "^(g\\+\\+|cmake|make|lib.*-dev|nlohmann-json3-dev)$")
list(FILTER packages EXCLUDE REGEX "gtest|gmock|benchmark")
list(JOIN packages ", " packages)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libpearlite-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${packages}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, libraries and the CMake package with which densities, estimated\nlikelihoods and energies of users \
get the whole command line of pearlite.")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME pearlite-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOCUMENTATION_DESCRIPTION
    "The guide, the reference of all keys, algorithms and models, measured results,\nand the sources of the examples.")

set(next "${Python3_VERSION_MINOR}")
math(EXPR next "${next} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-pearlite)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy, python3-h5py")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "openmpi-bin, python3-matplotlib, python3-scipy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-xarray, python3-mpi4py")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "The Python package pearlite: evidences, posteriors and minima of Python\nfunctions, with error bars, on one core or \
under mpirun.")

# Each package has its licence and its changes where Debian looks for them.
set(log "${PROJECT_BINARY_DIR}/changelog")
file(WRITE "${log}" "pearlite (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md in pearlite-doc.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000\n")
execute_process(COMMAND gzip -9 -n -f "${log}" COMMAND_ERROR_IS_FATAL ANY)
foreach(each IN LISTS changed)
    string(REPLACE ":" ";" each "${each}")
    list(GET each 0 component)
    list(GET each 1 package)
    install(FILES LICENSE RENAME copyright DESTINATION "share/doc/${package}" COMPONENT ${component})
    install(FILES "${log}.gz" DESTINATION "share/doc/${package}" COMPONENT ${component})
endforeach()
include(CPack)
