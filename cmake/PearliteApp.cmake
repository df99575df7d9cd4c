# Definitions that the build passes to the app layer: versions, and the place of the report program (in this tree, or
# where it is installed).
set(libraries "HDF5 ${HDF5_VERSION}, NetCDF ${NetCDF_VERSION}, Boost ${Boost_VERSION_STRING}, MPI ${MPI_CXX_VERSION}, OpenSSL ${OPENSSL_VERSION}")
target_compile_definitions(pearlite_app PRIVATE
    PEARLITE_VERSION="${PROJECT_VERSION}"
    PEARLITE_ARCHITECTURE="${PEARLITE_ARCHITECTURE}"
    PEARLITE_LIBRARY_VERSIONS="${libraries}")
target_compile_definitions(pearlite_app PUBLIC
    $<BUILD_INTERFACE:PEARLITE_SUPPORT_DIRECTORY="${PROJECT_SOURCE_DIR}/drivers">
    $<INSTALL_INTERFACE:PEARLITE_SUPPORT_DIRECTORY="$<INSTALL_PREFIX>/${CMAKE_INSTALL_DATADIR}/pearlite">)

# The target that a user's program links.
add_library(Pearlite::Pearlite ALIAS pearlite_app)
