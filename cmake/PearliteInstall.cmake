# install() rules and the package that find_package(Pearlite) finds.
include(CMakePackageConfigHelpers)

get_property(layers GLOBAL PROPERTY PEARLITE_LAYERS)
install(TARGETS pearlite_abi ${layers} EXPORT PearliteTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/pearlite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT PearliteTargets NAMESPACE Pearlite:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite)

configure_package_config_file(cmake/PearliteConfig.cmake.in "${PROJECT_BINARY_DIR}/PearliteConfig.cmake"
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/PearliteConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/PearliteConfig.cmake" "${PROJECT_BINARY_DIR}/PearliteConfigVersion.cmake"
    cmake/FindLBFGS.cmake cmake/FindMiniZip.cmake cmake/FindNetCDF.cmake cmake/FindStanMath.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite)

# What the commands and jobs need at run time. The import of weights and the report are programs of their own as well.
set(support "${CMAKE_INSTALL_DATADIR}/pearlite")
install(PROGRAMS drivers/report.py drivers/import_rbm.py DESTINATION "${support}")
install(FILES docs/pearlite.schema.json DESTINATION "${support}")
install(PROGRAMS drivers/pearlite_stan/compile.sh DESTINATION "${support}/pearlite_stan")
install(FILES drivers/pearlite_stan/stan_model.cpp drivers/pearlite_stan/stan_data.hpp
    DESTINATION "${support}/pearlite_stan")
install(DIRECTORY drivers/pearlite_report DESTINATION "${support}" FILES_MATCHING PATTERN "*.py" PATTERN "*.css"
    PATTERN __pycache__ EXCLUDE)
install(DIRECTORY jobs/ DESTINATION "${support}/jobs" FILES_MATCHING PATTERN "*.toml" PATTERN "*.sbatch" PATTERN "*.py"
    PATTERN "mpi-environment.sh" PATTERN __pycache__ EXCLUDE)

# Documents keep their places relative to each other, so that their links hold.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.ipynb")
install(FILES drivers/custom_model.cpp drivers/custom_likelihood.cpp drivers/custom_growing.cpp drivers/custom_energy.cpp
        drivers/custom_gradient.cpp
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/drivers)
