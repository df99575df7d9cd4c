# Kernels that exist for several instruction sets, of which the program chooses when it runs (src/simd/path.hpp and
# src/random/ars/choice.hpp): each source has flags of its own. It stays out of unity builds and precompiled headers, so
# that no inline function that is compiled for more than the CPU at hand may have is shared with others (the test
# `kernel_symbols` looks).
set(PEARLITE_KERNEL_PATHS portable aes vaes avx2 avx512 vnni amx vaes512)
set(PEARLITE_KERNEL_portable -march=x86-64-v3)
set(PEARLITE_KERNEL_aes -march=x86-64-v3 -maes)
set(PEARLITE_KERNEL_vaes -march=x86-64-v3 -maes -mvaes)
set(PEARLITE_KERNEL_avx2 -march=x86-64-v3)
set(PEARLITE_KERNEL_avx512 -march=x86-64-v4)
set(PEARLITE_KERNEL_vnni -march=x86-64-v4 -mavx512vnni)
set(PEARLITE_KERNEL_amx -march=x86-64-v4 -mamx-tile -mamx-int8)
set(PEARLITE_KERNEL_vaes512 -march=x86-64-v4 -maes -mvaes)

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
