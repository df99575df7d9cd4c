# Kernels that exist for several instruction sets, of which the program chooses when it runs.
#
# Sources named *_kernels.cpp are compiled twice, for any x86-64-v3 CPU and for AVX-512: src/simd/instructions.hpp
# describes their form. Objects for AVX-512 keep their copies of inline functions and templates local (-fno-weak): the
# linker takes one copy for all objects, and a copy for AVX-512 would not run on other CPUs. The test `kernel_symbols`
# checks this. Warnings are off for these objects, since g++ warns of the flag's effect at every constant; the other
# objects of the same sources have all warnings. Sources named *_plane_kernels.cpp, which draw bit planes as they go,
# are compiled for AVX-512 with the AES instructions of 512 bits as well.
set(PEARLITE_INSTRUCTIONS Baseline Avx512)

# pearlite_instructions(TARGET INSTRUCTIONS): TARGET is an object library of kernels for these instructions.
function(pearlite_instructions target instructions)
    set_target_properties(${target} PROPERTIES PEARLITE_INSTRUCTIONS ${instructions})
    target_compile_definitions(${target} PRIVATE PEARLITE_INSTRUCTIONS=${instructions})
    set_property(GLOBAL APPEND PROPERTY PEARLITE_KERNEL_OBJECTS $<TARGET_OBJECTS:${target}>)
    if(instructions MATCHES "^Avx512")
        # clang has no such flag: in its builds (the preset fuzz) objects of both sets run on any CPU. Packets of other
        # widths under the same names would be read with each other's strides.
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-weak> -w)
    endif()
    if(instructions STREQUAL Avx512Aes)
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-maes> $<$<CXX_COMPILER_ID:GNU>:-mvaes>)
    endif()
endfunction()

# Kernels in intrinsics have a source for each path of src/simd/path.hpp or of src/random/ars/choice.hpp, with its own
# flags. It stays out of unity builds and precompiled headers and shares no inline function.
set(PEARLITE_KERNEL_PATHS portable aes vaes avx2 avx512 vnni amx vaes512)
set(PEARLITE_KERNEL_portable -march=x86-64-v3)
set(PEARLITE_KERNEL_aes -march=x86-64-v3 -maes)
set(PEARLITE_KERNEL_vaes -march=x86-64-v3 -maes -mvaes)
set(PEARLITE_KERNEL_avx2 -march=x86-64-v3)
set(PEARLITE_KERNEL_avx512 -march=x86-64-v4 ${PEARLITE_AVX512})
set(PEARLITE_KERNEL_vnni -march=x86-64-v4 ${PEARLITE_AVX512} -mavx512vnni)
set(PEARLITE_KERNEL_amx -march=x86-64-v4 ${PEARLITE_AVX512} -mamx-tile -mamx-int8)
set(PEARLITE_KERNEL_vaes512 -march=x86-64-v4 ${PEARLITE_AVX512} -maes -mvaes)

# pearlite_kernels(FOLDER): compiles FOLDER/<path>.cpp, where it is there, for that path.
function(pearlite_kernels folder)
    foreach(path IN LISTS PEARLITE_KERNEL_PATHS)
        set(source "${PROJECT_SOURCE_DIR}/${folder}/${path}.cpp")
        if(EXISTS "${source}")
            set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${PEARLITE_KERNEL_${path}}"
                SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
        endif()
    endforeach()
endfunction()
