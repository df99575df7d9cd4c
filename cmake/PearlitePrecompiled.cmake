# Headers that most sources include, precompiled once for each group of targets: the reading of Eigen and the standard
# library is most of what a small source costs. Sources include all that they need all the same; the `tidy` test and
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON read them without. Programs that link Pearlite inherit none of this.
set(PEARLITE_PRECOMPILED_HEADERS <algorithm> <array> <bit> <charconv> <chrono> <cmath> <concepts> <cstdint> <cstring>
    <exception> <filesystem> <functional> <limits> <map> <memory> <numbers> <numeric> <optional> <set> <span> <sstream>
    <string> <string_view> <typeindex> <utility> <variant> <vector> <Eigen/Core> <fmt/format.h>)

# pearlite_precompile(TARGET GROUP header...): TARGET takes the precompiled headers of the GROUP, which are these and
# the common ones. The first target of a group makes them; the others must be compiled with the same options, and with
# the same definitions of macros that the headers ask for.
function(pearlite_precompile target group)
    if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
        return()
    endif()
    # -fpch-preprocess lets ccache see what was precompiled (it also wants CCACHE_SLOPPINESS=pch_defines,time_macros).
    # g++ 12 forgets that a precompiled header is the system's, and then warns of copies inside std::string that never
    # happen, and of its own intrinsics; a build without precompiled headers keeps these warnings on.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow
        -Wno-stringop-overread -Wno-uninitialized)
    get_property(first GLOBAL PROPERTY PEARLITE_PRECOMPILED_${group})
    if(first)
        target_precompile_headers(${target} REUSE_FROM ${first})
    else()
        target_precompile_headers(${target} PRIVATE ${PEARLITE_PRECOMPILED_HEADERS} ${ARGN})
        set_property(GLOBAL PROPERTY PEARLITE_PRECOMPILED_${group} ${target})
    endif()
endfunction()
