# install() rules, by component, and the package that find_package(Pearlite) finds.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

get_property(layers GLOBAL PROPERTY PEARLITE_LAYERS)
install(TARGETS pearlite_abi ${layers} EXPORT PearliteTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/pearlite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT PearliteTargets NAMESPACE Pearlite:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite COMPONENT development)

configure_package_config_file(cmake/PearliteConfig.cmake.in "${PROJECT_BINARY_DIR}/PearliteConfig.cmake"
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/PearliteConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/PearliteConfig.cmake" "${PROJECT_BINARY_DIR}/PearliteConfigVersion.cmake"
    cmake/FindLBFGS.cmake cmake/FindMiniZip.cmake cmake/FindNetCDF.cmake cmake/FindStanMath.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Pearlite COMPONENT development)

# Files that the commands and jobs need at run time. The import of weights and the report can also be run by themselves.
set(support "${CMAKE_INSTALL_DATADIR}/pearlite")
install(PROGRAMS drivers/report.py drivers/import_rbm.py DESTINATION "${support}")
install(PROGRAMS drivers/import_rbm.py RENAME pearlite-import-rbm DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS jobs/pearlite.sbatch DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS jobs/pearlite.sbatch jobs/python.sbatch DESTINATION "${support}/jobs")
install(FILES docs/pearlite.schema.json DESTINATION "${support}")
install(DIRECTORY drivers/pearlite_stan DESTINATION "${support}" PATTERN __pycache__ EXCLUDE)
install(DIRECTORY drivers/templates DESTINATION "${support}")
install(DIRECTORY drivers/pearlite_report DESTINATION "${support}" FILES_MATCHING PATTERN "*.py" PATTERN "*.css"
    PATTERN __pycache__ EXCLUDE)
install(DIRECTORY jobs/ DESTINATION "${support}/jobs" FILES_MATCHING PATTERN "*.toml" PATTERN "*.py"
    PATTERN "mpi-environment.sh" PATTERN __pycache__ EXCLUDE)

# Pages of the manual and completions, which the program itself writes. A build of the program alone goes without.
set(manual "${PROJECT_BINARY_DIR}/manual")
file(MAKE_DIRECTORY "${manual}")
set(written)
function(pearlite_manual part name place)
    add_custom_command(OUTPUT "${manual}/${name}" COMMAND pearlite manual ${part} > "${manual}/${name}" DEPENDS pearlite
        VERBATIM)
    set(file "${name}")
    if(place MATCHES "^man/")
        set(file "${name}.gz")
        add_custom_command(OUTPUT "${manual}/${file}" COMMAND gzip -9 -n -k -f "${manual}/${name}"
            DEPENDS "${manual}/${name}" VERBATIM)
    endif()
    install(FILES "${manual}/${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${place}" OPTIONAL)
    set(written ${written} "${manual}/${file}" PARENT_SCOPE)
endfunction()
pearlite_manual(commands pearlite.1 man/man1)
pearlite_manual(keys pearlite.toml.5 man/man5)
pearlite_manual(bash pearlite bash-completion/completions)
pearlite_manual(zsh _pearlite zsh/vendor-completions)
add_custom_target(manual ALL DEPENDS ${written})

# pearlite_page(NAME FILE BEGIN END TITLE): the page NAME(1) of a script, from the words that it begins with, which
# stand in FILE between two expressions.
function(pearlite_page name file begin end title)
    file(READ "${PROJECT_SOURCE_DIR}/${file}" text)
    string(REGEX REPLACE "^.*${begin}" "" text "${text}")
    string(REGEX REPLACE "${end}.*$" "" text "${text}")
    string(REGEX REPLACE "\n# ?" "\n" text "${text}")
    string(REPLACE "\\" "\\e" text "${text}")
    string(REPLACE "-" "\\-" text "${text}")
    string(REGEX REPLACE "\n([.'])" "\n\\\\&\\1" text "${text}")
    string(TOUPPER "${name}" upper)
    file(WRITE "${manual}/${name}.1" ".TH ${upper} 1 \"\" \"Pearlite ${PROJECT_VERSION}\"\n"
        ".SH NAME\n${name} \\- ${title}\n.SH DESCRIPTION\n.nf\n${text}\n.fi\n.SH SEE ALSO\n\\fBpearlite\\fR(1)\n")
    execute_process(COMMAND gzip -9 -n -k -f "${manual}/${name}.1" COMMAND_ERROR_IS_FATAL ANY)
    install(FILES "${manual}/${name}.1.gz" DESTINATION "${CMAKE_INSTALL_DATADIR}/man/man1")
endfunction()
pearlite_page(pearlite-import-rbm drivers/import_rbm.py "env python3\n\"\"\"" "\"\"\"\n\nimport" "converts trained weights of an RBM")
pearlite_page(pearlite.sbatch jobs/pearlite.sbatch "#SBATCH --no-kill\n#" "\nset -uo" "runs a configuration as a job of SLURM")

# Documents keep their places relative to each other, so that their links hold. Debian wants lower case.
set(documents "${CMAKE_INSTALL_DATAROOTDIR}/doc/pearlite")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${documents} COMPONENT documentation)
install(FILES packaging/README.md DESTINATION ${documents}/packaging COMPONENT documentation)
install(DIRECTORY docs/ DESTINATION ${documents}/docs COMPONENT documentation
    FILES_MATCHING PATTERN "*.md" PATTERN "*.ipynb" PATTERN "*.svg" PATTERN "*.png")
install(FILES drivers/custom_model.cpp drivers/custom_likelihood.cpp drivers/custom_growing.cpp drivers/custom_energy.cpp
        drivers/custom_gradient.cpp
    DESTINATION ${documents}/drivers COMPONENT documentation)
