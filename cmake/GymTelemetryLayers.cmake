# SPDX-License-Identifier: Apache-2.0
# gym_layer(NAME [USES layer...] [LINKS protozero|simdjson|curl|zlib...])
#
# One object library a folder of src/. USES says which layers may be included (directly; what those
# use comes with them), LINKS which outside libraries its .cpp files need.
find_package(Threads REQUIRED)
find_package(CURL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(simdjson REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)

add_library(gym_link_protozero INTERFACE)
target_include_directories(gym_link_protozero SYSTEM INTERFACE "${PROTOZERO_INCLUDE_DIR}")
add_library(gym_link_simdjson INTERFACE)
target_link_libraries(gym_link_simdjson INTERFACE simdjson::simdjson)
add_library(gym_link_curl INTERFACE)
target_link_libraries(gym_link_curl INTERFACE CURL::libcurl)
add_library(gym_link_zlib INTERFACE)
target_link_libraries(gym_link_zlib INTERFACE ZLIB::ZLIB)

set(GYM_LAYERS "" CACHE INTERNAL "")
set(GYM_LINKS "" CACHE INTERNAL "")

function(gym_layer name)
    cmake_parse_arguments(LAYER "" "" "USES;LINKS" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cpp")
    set(links "${LAYER_LINKS}")
    list(TRANSFORM links PREPEND gym_link_)
    if(sources)
        add_library(gym_${name} OBJECT ${sources})
        target_include_directories(gym_${name} PUBLIC
            $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
            $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
        target_compile_definitions(gym_${name} PRIVATE 
            GYM_TELEMETRY_BUILDING GYM_TELEMETRY_VERSION="${PROJECT_VERSION}")
        target_link_libraries(gym_${name} PRIVATE gym_warnings Threads::Threads ${links})
        set(GYM_LAYERS "${GYM_LAYERS};gym_${name}" CACHE INTERNAL "")
        set(GYM_LINKS "${GYM_LINKS};${links}" CACHE INTERNAL "")
    endif()
endfunction()

# The library that users link: all layers below the command line, symbols hidden but for those
# marked GYM_TELEMETRY_API. `gym_internal` is the same as an archive-like bundle for our own tests
# and tools, which also reach what is hidden.
function(gym_library)
    list(REMOVE_DUPLICATES GYM_LINKS)
    list(REMOVE_ITEM GYM_LAYERS "")
    set(objects "")
    foreach(layer IN LISTS GYM_LAYERS)
        list(APPEND objects $<TARGET_OBJECTS:${layer}>)
    endforeach()

    add_library(gym_telemetry SHARED ${objects})
    add_library(gym_telemetry::gym_telemetry ALIAS gym_telemetry)
    set_target_properties(gym_telemetry PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
    target_compile_features(gym_telemetry PUBLIC cxx_std_20)
    target_include_directories(gym_telemetry PUBLIC
        $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(gym_telemetry PRIVATE ${GYM_LINKS} Threads::Threads)
    # Threads may still record while a plug-in that links the library is unloaded.
    set(exported ${CMAKE_CURRENT_SOURCE_DIR}/cmake/exported.map)
    target_link_options(gym_telemetry PRIVATE -Wl,-z,nodelete -Wl,--version-script=${exported})
    set_target_properties(gym_telemetry PROPERTIES LINK_DEPENDS ${exported})

    add_library(gym_internal STATIC ${objects})
    target_include_directories(gym_internal PUBLIC
        ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(gym_internal PUBLIC ${GYM_LINKS} Threads::Threads)
endfunction()
