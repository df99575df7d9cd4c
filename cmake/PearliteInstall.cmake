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
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite)

install(FILES drivers/report.py DESTINATION ${CMAKE_INSTALL_DATADIR}/pearlite)
install(DIRECTORY drivers/pearlite_report DESTINATION ${CMAKE_INSTALL_DATADIR}/pearlite FILES_MATCHING PATTERN "*.py" PATTERN "*.css")
install(DIRECTORY jobs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pearlite/jobs FILES_MATCHING PATTERN "*.toml" PATTERN "*.sbatch")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
