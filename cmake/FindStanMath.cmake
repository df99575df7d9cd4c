# The Stan math library, headers only, for programs that differentiate their densities automatically: StanMath_FOUND and
# the target StanMath::StanMath; Boost and Eigen must have been found. Debian's r-cran-stanheaders puts them among the
# packages of R.
find_path(StanMath_INCLUDE_DIR stan/math/rev/core.hpp
    PATHS /usr/lib/R/site-library/StanHeaders/include /usr/local/lib/R/site-library/StanHeaders/include)
# TBB notifies the library of new threads, so that each thread gets its own tape.
find_path(StanMath_TBB_INCLUDE_DIR tbb/task_scheduler_observer.h)
find_library(StanMath_TBB_LIBRARY tbb)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StanMath REQUIRED_VARS StanMath_INCLUDE_DIR StanMath_TBB_INCLUDE_DIR StanMath_TBB_LIBRARY)
mark_as_advanced(StanMath_INCLUDE_DIR StanMath_TBB_INCLUDE_DIR StanMath_TBB_LIBRARY)

if(StanMath_FOUND AND NOT TARGET StanMath::StanMath)
    add_library(StanMath::StanMath INTERFACE IMPORTED)
    target_include_directories(StanMath::StanMath SYSTEM INTERFACE "${StanMath_INCLUDE_DIR}" "${StanMath_TBB_INCLUDE_DIR}")
    target_link_libraries(StanMath::StanMath INTERFACE "${StanMath_TBB_LIBRARY}" Boost::headers Eigen3::Eigen)
endif()
