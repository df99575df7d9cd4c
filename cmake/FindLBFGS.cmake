# libLBFGS ships no CMake files: LBFGS::LBFGS from its header and library.
find_path(LBFGS_INCLUDE_DIR lbfgs.h)
find_library(LBFGS_LIBRARY lbfgs)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LBFGS REQUIRED_VARS LBFGS_LIBRARY LBFGS_INCLUDE_DIR)
mark_as_advanced(LBFGS_INCLUDE_DIR LBFGS_LIBRARY)
if(LBFGS_FOUND AND NOT TARGET LBFGS::LBFGS)
    add_library(LBFGS::LBFGS UNKNOWN IMPORTED)
    set_target_properties(LBFGS::LBFGS PROPERTIES
        IMPORTED_LOCATION "${LBFGS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LBFGS_INCLUDE_DIR}")
endif()
