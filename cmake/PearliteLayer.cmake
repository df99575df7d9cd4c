# pearlite_layer(NAME DEPENDS layer... LIBRARIES target... PRIVATE target... [WITHOUT_LOOPS])
# A layer is include/pearlite/NAME (public headers) and src/NAME (implementation and private headers, which other layers
# include as "NAME/x.hpp"); one without sources is an interface library. One WITHOUT_LOOPS has none that take time: -O1
# spares a third of the time that it takes to compile.
# Callers name direct and indirect layers alike, so the line reads like the table it implements.
function(pearlite_layer name)
    cmake_parse_arguments(layer "WITHOUT_LOOPS" "" "DEPENDS;LIBRARIES;PRIVATE" ${ARGN})
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
        target_compile_options(${target} PRIVATE ${PEARLITE_COMPILER_MEMORY})
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS ON)
        if(layer_WITHOUT_LOOPS)
            target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
            pearlite_precompile(${target} without_loops)
        else()
            pearlite_precompile(${target} layers)
        endif()
        # With -DCMAKE_UNITY_BUILD=ON a folder is compiled as one source: what its files include is read once. Their
        # unnamed namespaces are then one, which the compiler takes for a header's.
        set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
        # Registries stay objects of their own: a program may bring other lists (tests/toy does).
        list(FILTER sources EXCLUDE REGEX "/registry\\.cpp$")
        foreach(source IN LISTS sources)
            cmake_path(GET source PARENT_PATH folder)
            cmake_path(GET folder FILENAME folder)
            set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder})
        endforeach()
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
