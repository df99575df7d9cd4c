# How tests are registered; every MPI test runs at several rank counts, with a timeout.

set(PEARLITE_TEST_RANKS 1 2 3 4 CACHE STRING "Rank counts at which every MPI test runs")
set(PEARLITE_MPI_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_ess_singleton_isolated=1)

# Tests of samples against distributions, and decompositions of matrices: their headers take longer to compile than a
# test.
add_library(test_statistics STATIC "${PROJECT_SOURCE_DIR}/tests/random/statistics.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/decompositions.cpp")
target_link_libraries(test_statistics PRIVATE pearlite_core pearlite_warnings)
target_include_directories(test_statistics PUBLIC "${PROJECT_SOURCE_DIR}/tests")

# Tiers (docs/CONTRIBUTING.md): a test has the label `quick` or `long`, or belongs to the full tier. `quick_tests`
# builds the programs of quick tests, `all` those of all but long ones, `long_tests` the rest.
add_custom_target(quick_tests)
add_custom_target(long_tests)

# pearlite_quick_tests(TEST... [BUILDS target...]): tests of the quick tier, registered in this directory.
function(pearlite_quick_tests)
    cmake_parse_arguments(quick "" "" "BUILDS" ${ARGN})
    foreach(test IN LISTS quick_UNPARSED_ARGUMENTS)
        set_property(TEST ${test} APPEND PROPERTY LABELS quick)
    endforeach()
    if(quick_BUILDS)
        add_dependencies(quick_tests ${quick_BUILDS})
    endif()
endfunction()

# pearlite_long_programs(target...): programs that only long tests start.
function(pearlite_long_programs)
    set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(long_tests ${ARGN})
endfunction()

# Warnings that are off in such pieces: a local name may be that of another file.
add_library(pearlite_pieces INTERFACE)
target_compile_options(pearlite_pieces INTERFACE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)

# pearlite_test_program(TARGET LIBRARY... [APART file...] [OUTSIDE file...]): a program of tests. It is compiled with
# less optimisation, which takes three quarters of the time; its templates alone run slower for it. In unity builds some
# six sources are compiled as one: a small source costs little beside the precompiled headers (six tests of estimators
# take 8 s of processor time together, 30 s apart). Sources of one piece share their unnamed namespaces, so that
# neighbours by name, which resemble each other, go to different pieces; APART names files that are compiled alone, or
# ALL. A new file changes the pieces of all others, unless it stands OUTSIDE and is compiled alone.
function(pearlite_test_program target)
    cmake_parse_arguments(program "" "" "APART;OUTSIDE" ${ARGN})
    target_link_libraries(${target} PRIVATE ${program_UNPARSED_ARGUMENTS} pearlite_warnings test_statistics
        GTest::gmock)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_compile_definitions(${target} PRIVATE PEARLITE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> ${PEARLITE_COMPILER_MEMORY})
    pearlite_precompile(${target} tests <gmock/gmock.h> <gtest/gtest.h>)
    if(NOT PEARLITE_UNITY_TESTS OR program_APART STREQUAL ALL)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_link_libraries(${target} PRIVATE pearlite_pieces)
    get_target_property(sources ${target} SOURCES)
    foreach(stem IN LISTS program_OUTSIDE)
        list(FILTER sources EXCLUDE REGEX "/${stem}\\.cpp$")
    endforeach()
    list(LENGTH sources number)
    math(EXPR pieces "(${number} + 5) / 6")
    set(piece 0)
    foreach(source IN LISTS sources)
        cmake_path(GET source STEM stem)
        if(NOT stem IN_LIST program_APART)
            set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${piece})
        endif()
        math(EXPR piece "(${piece} + 1) % ${pieces}")
    endforeach()
endfunction()

# pearlite_layer_tests(LAYER [QUICK] [APART file...] [OUTSIDE file...] [LONG pattern...]): the tests of tests/LAYER
# against Pearlite::LAYER (a directory that is not a layer gets all). QUICK: in the quick tier, those with MPI too.
# LONG: serial tests, by GoogleTest's patterns, that are a test LAYER_long of the long tier.
function(pearlite_layer_tests layer)
    cmake_parse_arguments(layer "QUICK" "" "APART;OUTSIDE;LONG" ${ARGN})
    set(directory "${CMAKE_CURRENT_SOURCE_DIR}/${layer}")
    file(GLOB all CONFIGURE_DEPENDS "${directory}/*_test.cpp")
    set(mpi ${all})
    list(FILTER mpi INCLUDE REGEX "_mpi_test\\.cpp$")
    set(serial ${all})
    list(FILTER serial EXCLUDE REGEX "_mpi_test\\.cpp$")
    if(TARGET pearlite_${layer})
        set(library pearlite_${layer})
    else()
        set(library pearlite_app)
    endif()

    if(serial)
        add_executable(${layer}_test ${serial})
        pearlite_test_program(${layer}_test ${library} GTest::gtest_main APART ${layer_APART}
            OUTSIDE ${layer_OUTSIDE})
        if(layer_LONG)
            list(JOIN layer_LONG ":" patterns)
            # A filter of the environment (tests/run.sh --layer) comes first.
            add_test(NAME ${layer} COMMAND sh -c [=[exec "$0" --gtest_filter="${GTEST_FILTER:-$1}"]=]
                $<TARGET_FILE:${layer}_test> "-${patterns}")
            add_test(NAME ${layer}_long COMMAND ${layer}_test "--gtest_filter=${patterns}")
            set_tests_properties(${layer}_long PROPERTIES TIMEOUT 1200 LABELS "${layer};long"
                ENVIRONMENT "${PEARLITE_MPI_ENVIRONMENT}")
        else()
            add_test(NAME ${layer} COMMAND ${layer}_test)
        endif()
        set_tests_properties(${layer} PROPERTIES TIMEOUT 1200 LABELS "${layer}"
            ENVIRONMENT "${PEARLITE_MPI_ENVIRONMENT}")
        if(layer_QUICK)
            pearlite_quick_tests(${layer} BUILDS ${layer}_test)
        endif()
    endif()
    if(mpi)
        add_executable(${layer}_mpi_test ${mpi} "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp")
        pearlite_test_program(${layer}_mpi_test ${library} pearlite_parallel GTest::gtest APART ${layer_APART} mpi_main)
        foreach(ranks IN LISTS PEARLITE_TEST_RANKS)
            pearlite_mpi_test(${layer}_mpi RANKS ${ranks} COMMAND $<TARGET_FILE:${layer}_mpi_test> LABELS ${layer} mpi)
            if(layer_QUICK)
                pearlite_quick_tests(${layer}_mpi_${ranks} BUILDS ${layer}_mpi_test)
            endif()
        endforeach()
    endif()
endfunction()

# pearlite_mpi_test(NAME RANKS n COMMAND ... [LABELS ...] [TIMEOUT s]): registers NAME_n.
function(pearlite_mpi_test name)
    cmake_parse_arguments(test "" "RANKS;TIMEOUT" "COMMAND;LABELS" ${ARGN})
    if(NOT test_TIMEOUT)
        set(test_TIMEOUT 1200)
    endif()
    add_test(NAME ${name}_${test_RANKS} COMMAND ${MPIEXEC_EXECUTABLE} -n ${test_RANKS} ${test_COMMAND})
    set(environment ${PEARLITE_MPI_ENVIRONMENT})
    if(test_RANKS EQUAL 3) # waits that sleep are tested on machines with many cores, too
        list(APPEND environment PEARLITE_WAIT=sleep)
    endif()
    set_tests_properties(${name}_${test_RANKS} PROPERTIES TIMEOUT ${test_TIMEOUT} LABELS "${test_LABELS}"
        ENVIRONMENT "${environment}" PROCESSORS ${test_RANKS})
endfunction()

# pearlite_study(NAME [STUDY study] [RANKS n | PYTHON interpreter] COMMAND program argument... [SCRIPTS file...]
#     [DATA file...] [LABELS ...] [TIMEOUT s] [PROCESSORS n] [ENVIRONMENT ...]): registers a study with fixed seeds,
# which the ledger skips where nothing has changed (tests/ledger/ledger.py). STUDY: its name in the ledger, if that is
# not NAME. SCRIPTS: its sources in this directory, and configurations; a script of Python that is the program is one of
# them. DATA: files in PEARLITE_DATA_DIR.
set(PEARLITE_LEDGER_SCRIPT "${PROJECT_SOURCE_DIR}/tests/ledger/ledger.py")
function(pearlite_study name)
    cmake_parse_arguments(study "" "STUDY;RANKS;PYTHON;TIMEOUT;PROCESSORS" "COMMAND;SCRIPTS;DATA;LABELS;ENVIRONMENT"
        ${ARGN})
    if(NOT study_STUDY)
        set(study_STUDY ${name})
    endif()
    if(NOT study_TIMEOUT)
        set(study_TIMEOUT 1200)
    endif()
    if(study_RANKS)
        set(launcher "${MPIEXEC_EXECUTABLE}" -n ${study_RANKS})
        set(study_PROCESSORS ${study_RANKS})
    else()
        set(launcher "${study_PYTHON}" -B)
        list(GET study_COMMAND 0 script)
        list(PREPEND study_SCRIPTS "${script}")
    endif()
    list(TRANSFORM study_SCRIPTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
    if(study_DATA)
        list(PREPEND study_DATA --data)
    endif()
    add_test(NAME ${name} COMMAND "${PEARLITE_PYTHON}" -B "${PEARLITE_LEDGER_SCRIPT}" run ${study_STUDY}
        --build "${PROJECT_BINARY_DIR}" --scripts ${study_SCRIPTS} ${study_DATA} --
        ${launcher} -- ${study_COMMAND})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${study_TIMEOUT} LABELS "${study_LABELS}" SKIP_RETURN_CODE 77
        ENVIRONMENT "${study_ENVIRONMENT}")
    if(study_PROCESSORS)
        set_tests_properties(${name} PROPERTIES PROCESSORS ${study_PROCESSORS})
    endif()
endfunction()

# pearlite_mpi_study(NAME RANKS n COMMAND ... SCRIPTS ... [LABELS ...] [TIMEOUT s]): registers NAME_n, which is NAME in
# the ledger: its figures do not depend on ranks.
function(pearlite_mpi_study name)
    cmake_parse_arguments(study "" "RANKS" "" ${ARGN})
    pearlite_study(${name}_${study_RANKS} STUDY ${name} RANKS ${study_RANKS} ENVIRONMENT ${PEARLITE_MPI_ENVIRONMENT}
        ${study_UNPARSED_ARGUMENTS})
endfunction()
