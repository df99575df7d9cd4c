# pearlite_layer(NAME DEPENDS layer... LIBRARIES target... PRIVATE target...)
# A layer is include/pearlite/NAME (public headers) and src/NAME (implementation and private headers, which other layers
# include as "NAME/x.hpp"); one without sources is an interface library.
# Callers name direct and indirect layers alike, so the line reads like the table it implements.
function(pearlite_layer name)
    cmake_parse_arguments(layer "" "" "DEPENDS;LIBRARIES;PRIVATE" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
    list(TRANSFORM layer_DEPENDS PREPEND pearlite_)
    set(target pearlite_${name})
    if(sources)
        add_library(${target} STATIC ${sources})
        set(scope PUBLIC)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pearlite_warnings>)
        foreach(library IN LISTS layer_PRIVATE)
            target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
        endforeach()
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS ON)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(${target} ${scope}
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${target} ${scope} pearlite_abi ${layer_DEPENDS} ${layer_LIBRARIES})
    add_library(Pearlite::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    set_property(GLOBAL APPEND PROPERTY PEARLITE_LAYERS ${target})
endfunction()
