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
set_source_files_properties("${PROJECT_SOURCE_DIR}/drivers/pearlite_python/module.cpp" PROPERTIES
    COMPILE_DEFINITIONS "PEARLITE_PACKAGE_VERSION=\"${PROJECT_VERSION}\"")

# The Python sources are symbolic links in the build, so that changes apply at once.
file(GLOB modules CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/pearlite/*.py"
    "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/pearlite/*.pyi"
    "${PROJECT_SOURCE_DIR}/drivers/pearlite_python/pearlite/py.typed")
file(MAKE_DIRECTORY "${package}")
foreach(module IN LISTS modules)
    cmake_path(GET module FILENAME name)
    file(CREATE_LINK "${module}" "${package}/${name}" SYMBOLIC)
endforeach()
# Its figures are those of the report.
set(report "${PROJECT_SOURCE_DIR}/drivers/pearlite_report")
file(CREATE_LINK "${report}" "${package}/_report" SYMBOLIC)

# Debian's own Pythons look in dist-packages: that of /usr is for all versions of Python 3. A virtual environment looks
# in site-packages.
install(CODE "
    set(place lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/site-packages)
    if(CMAKE_INSTALL_PREFIX MATCHES \"^/usr/?$\")
        set(place lib/python3/dist-packages)
    elseif(CMAKE_INSTALL_PREFIX MATCHES \"^/usr/local/?$\")
        set(place lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
    endif()
    set(place \"\${CMAKE_INSTALL_PREFIX}/\${place}/pearlite\")
    if(EXISTS \"$<TARGET_FILE:pearlite_python>\")
        file(INSTALL ${modules} \"$<TARGET_FILE:pearlite_python>\" DESTINATION \"\${place}\")
        file(INSTALL \"${report}/\" DESTINATION \"\${place}/_report\" FILES_MATCHING PATTERN \"*.py\" PATTERN \"*.css\"
            PATTERN __pycache__ EXCLUDE)
        if(CMAKE_INSTALL_DO_STRIP)
            execute_process(COMMAND strip --strip-unneeded
                \"\$ENV{DESTDIR}\${place}/$<TARGET_FILE_NAME:pearlite_python>\" COMMAND_ERROR_IS_FATAL ANY)
        endif()
    else()
        message(STATUS \"The Python package is left out: it has not been built (cmake --build ... --target pearlite_python)\")
    endif()
" COMPONENT python)
