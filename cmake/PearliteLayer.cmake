# pearlite_layer(NAME DEPENDS layer... LIBRARIES target... PRIVATE target... [WITHOUT_LOOPS]
#     [FOLDERS_WITHOUT_LOOPS folder...])
# A layer is include/pearlite/NAME (public headers) and src/NAME (implementation and private headers, which other layers
# include as "NAME/x.hpp"); one without sources is an interface library. One WITHOUT_LOOPS has none that take time, and
# no more have FOLDERS_WITHOUT_LOOPS: -O1 spares a third of the time that it takes to compile them.
# Callers name direct and indirect layers alike, so the line reads like the table it implements.
function(pearlite_layer name)
    cmake_parse_arguments(layer "WITHOUT_LOOPS" "" "DEPENDS;LIBRARIES;PRIVATE;FOLDERS_WITHOUT_LOOPS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
    list(TRANSFORM layer_DEPENDS PREPEND pearlite_)
    set(target pearlite_${name})
    if(sources)
        set(scope PUBLIC)
        set(others ${sources})
        foreach(folder IN LISTS layer_FOLDERS_WITHOUT_LOOPS)
            list(FILTER others EXCLUDE REGEX "/src/${name}/${folder}/")
        endforeach()
        add_library(${target} STATIC ${others})
        pearlite_compile(${target} ${layer_WITHOUT_LOOPS})
        foreach(library IN LISTS layer_PRIVATE)
            target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
        endforeach()
        if(layer_FOLDERS_WITHOUT_LOOPS)
            list(REMOVE_ITEM sources ${others})
            add_library(${target}_without_loops OBJECT ${sources})
            pearlite_compile(${target}_without_loops TRUE)
            target_include_directories(${target}_without_loops PRIVATE "${PROJECT_SOURCE_DIR}/include"
                "${PROJECT_SOURCE_DIR}/src")
            target_link_libraries(${target}_without_loops PRIVATE pearlite_abi ${layer_DEPENDS} ${layer_LIBRARIES})
            target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_without_loops>)
        endif()
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

# pearlite_compile(TARGET WITHOUT_LOOPS): how the sources of a layer are compiled.
function(pearlite_compile target without_loops)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pearlite_warnings>)
    target_compile_options(${target} PRIVATE ${PEARLITE_COMPILER_MEMORY})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS ON)
    if(without_loops)
        target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
        pearlite_precompile(${target} without_loops <nlohmann/json.hpp>)
    else()
        pearlite_precompile(${target} layers)
    endif()
    # With -DCMAKE_UNITY_BUILD=ON a folder of the layer, with the folders in it, is compiled as one source: what its files
    # include is read once. Their unnamed namespaces are then one, which the compiler takes for a header's.
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    # Registries stay objects of their own: a program may bring other lists (tests/toy does).
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources EXCLUDE REGEX "/registry\\.cpp$")
    foreach(source IN LISTS sources)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src" OUTPUT_VARIABLE path)
        string(REGEX REPLACE "^[a-z]+/([a-z_]+)/.*" "\\1" group "${path}")
        string(REGEX REPLACE "^([a-z]+)/[^/]*$" "\\1" group "${group}")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
    endforeach()
endfunction()
