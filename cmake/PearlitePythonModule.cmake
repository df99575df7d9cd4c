# The Python package pearlite: drivers/pearlite_python/pearlite and its compiled part, built in <build>/python, which
# PYTHONPATH may name, and installed for the Python that it is built for.
include(PearlitePython)
pearlite_find_python(PEARLITE_PACKAGE_PYTHON h5py numpy)
set(Python3_EXECUTABLE "${PEARLITE_PACKAGE_PYTHON}")
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 QUIET)
if(NOT Python3_FOUND OR NOT pybind11_FOUND)
    message(STATUS "The Python package is not built: it needs Python 3.11 with its headers, for ${PEARLITE_PACKAGE_PYTHON}, "
        "and pybind11 (-DPEARLITE_PYTHON_PACKAGE=OFF says so)")
    return()
endif()

set(package "${PROJECT_BINARY_DIR}/python/pearlite")
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/*.cpp")
pybind11_add_module(pearlite_python MODULE NO_EXTRAS ${sources})
set_target_properties(pearlite_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${package}"
    CXX_EXTENSIONS ON CXX_VISIBILITY_PRESET hidden UNITY_BUILD OFF)
target_include_directories(pearlite_python PRIVATE "${PROJECT_SOURCE_DIR}/drivers")
target_link_libraries(pearlite_python PRIVATE Pearlite::app pearlite_warnings)
target_compile_options(pearlite_python PRIVATE $<$<CONFIG:Release>:-O1>)

# The Python sources are symbolic links in the build, so that changes apply at once.
file(GLOB modules CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/pearlite/*.py"
    "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/pearlite/*.pyi"
    "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/pearlite/py.typed")
file(MAKE_DIRECTORY "${package}")
foreach(module IN LISTS modules)
    cmake_path(GET module FILENAME name)
    file(CREATE_LINK "${module}" "${package}/${name}" SYMBOLIC)
endforeach()

# Debian's own Pythons look in dist-packages of /usr and /usr/local, a virtual environment in site-packages.
install(CODE "
    set(packages site-packages)
    if(CMAKE_INSTALL_PREFIX MATCHES \"^/usr(/local)?/?$\")
        set(packages dist-packages)
    endif()
    if(EXISTS \"$<TARGET_FILE:pearlite_python>\")
        file(INSTALL ${modules} \"$<TARGET_FILE:pearlite_python>\"
            DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/\${packages}/pearlite\")
    else()
        message(STATUS \"The Python package has not been built (cmake --build does) and is left out\")
    endif()
" COMPONENT python)
