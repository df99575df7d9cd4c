# The C library of NetCDF on the parallel HDF5, of which a program has one: NetCDF::NetCDF. Debian's netcdf-mpi.pc names
# a directory without its headers, hence the search. NetCDF_ROOT, as for every package, points elsewhere.
find_path(NetCDF_INCLUDE_DIR netcdf_mem.h
    PATH_SUFFIXES include HINTS "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/netcdf/mpi")
find_library(NetCDF_LIBRARY NAMES netcdf_mpi netcdf)
set(NetCDF_IS_PARALLEL FALSE)
if(NetCDF_INCLUDE_DIR AND EXISTS "${NetCDF_INCLUDE_DIR}/netcdf_meta.h")
    file(STRINGS "${NetCDF_INCLUDE_DIR}/netcdf_meta.h" parallel REGEX "^#define +NC_HAS_PARALLEL4 +1")
    file(STRINGS "${NetCDF_INCLUDE_DIR}/netcdf_meta.h" version REGEX "^#define +NC_VERSION +\"")
    string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" NetCDF_VERSION "${version}")
    if(parallel)
        set(NetCDF_IS_PARALLEL TRUE)
    endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NetCDF REQUIRED_VARS NetCDF_LIBRARY NetCDF_INCLUDE_DIR NetCDF_IS_PARALLEL
    VERSION_VAR NetCDF_VERSION)
mark_as_advanced(NetCDF_INCLUDE_DIR NetCDF_LIBRARY)
if(NetCDF_FOUND AND NOT TARGET NetCDF::NetCDF)
    add_library(NetCDF::NetCDF UNKNOWN IMPORTED)
    set_target_properties(NetCDF::NetCDF PROPERTIES
        IMPORTED_LOCATION "${NetCDF_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${NetCDF_INCLUDE_DIR}")
endif()
