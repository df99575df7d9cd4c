# Build options, and the compile options that results depend on (they are exported with the targets).

option(PEARLITE_NATIVE "Build all but the kernels for the CPU at hand, not for any x86-64-v3 CPU" OFF)
option(PEARLITE_TESTS "Build the tests and benchmarks" ON)
option(PEARLITE_PYTHON_PACKAGE "Build the Python package pearlite" ON)
option(PEARLITE_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
option(PEARLITE_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(PEARLITE_FUZZ "Build with both sanitizers and the coverage that libFuzzer asks for; needs clang++" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

# Options that determine the ABI and the bits of a result: a program that links Pearlite must be compiled with the same.
add_library(pearlite_abi INTERFACE)
add_library(Pearlite::abi ALIAS pearlite_abi)
set_target_properties(pearlite_abi PROPERTIES EXPORT_NAME abi)
target_compile_features(pearlite_abi INTERFACE cxx_std_20)
# Kernels for AVX-512 (cmake/PearliteKernels.cmake) are compiled for that instead.
# g++ 12 copies constants of 256 bits and more wrongly for such CPUs if they end in zeros, {7, 7, 7, 0} as {7, 7, 7, 7}
# (tests/core/constants_test.cpp): copies in pieces of 128 bits are right.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-mmove-max=128 -mstore-max=128" PEARLITE_HAS_MOVE_MAX)
set(PEARLITE_AVX512 -mprefer-vector-width=512)
if(PEARLITE_HAS_MOVE_MAX)
    list(APPEND PEARLITE_AVX512 -mmove-max=128 -mstore-max=128)
endif()
set(PEARLITE_ARCHITECTURE x86-64-v3)
set(architecture -march=x86-64-v3)
if(PEARLITE_NATIVE)
    set(PEARLITE_ARCHITECTURE native)
    set(architecture -march=native ${PEARLITE_AVX512})
endif()
# Only g++ keeps copies of inline functions apart (PearliteKernels.cmake).
set(for_avx512 $<AND:$<CXX_COMPILER_ID:GNU>,$<IN_LIST:$<TARGET_PROPERTY:PEARLITE_INSTRUCTIONS>,Avx512$<SEMICOLON>Avx512Aes>>)
target_compile_options(pearlite_abi INTERFACE
    "$<IF:${for_avx512},-march=x86-64-v4;${PEARLITE_AVX512},${architecture}>")
target_compile_options(pearlite_abi INTERFACE -ffp-contract=off)
target_compile_definitions(pearlite_abi INTERFACE EIGEN_MAX_ALIGN_BYTES=64)
# Adapters are compiled in the program that uses them: one configured without a build type is optimised all the same.
target_compile_options(pearlite_abi INTERFACE $<$<CONFIG:>:-O3>)

add_library(pearlite_warnings INTERFACE)
target_compile_options(pearlite_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
    -Woverloaded-virtual -Wcast-qual -Wno-psabi)
# g++ 12 takes the undefined operands inside its own AVX-512 intrinsics for uninitialised variables (GCC bug
# 105593), and sees overlaps in std::string's own operator+ (105651).
target_compile_options(pearlite_warnings INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
if(PEARLITE_WARNINGS_AS_ERRORS)
    target_compile_options(pearlite_warnings INTERFACE -Werror)
endif()
if(PEARLITE_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1)
    add_link_options(-fsanitize=address,undefined)
endif()
if(PEARLITE_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
        message(FATAL_ERROR "PEARLITE_FUZZ needs clang++ (got ${CMAKE_CXX_COMPILER_ID}): cmake --preset fuzz")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
        -Wno-unknown-warning-option)
    add_link_options(-fsanitize=address,undefined)
endif()

# The compiler collects its garbage later: some 100 MB more memory, 7 % less time.
set(PEARLITE_COMPILER_MEMORY $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=400000>)
