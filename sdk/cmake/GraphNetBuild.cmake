# Build rules shared by host, sdk, plugins and tests: warnings, sanitizers, fast linking and the
# function that turns one folder of host/ into one library whose link edges are its include rights.

# graphnet_find_tool(<option> <program> <what is built without it> [HINTS <folder>...])
#
# Looks for a program that a build can do without, if its option is ON, and says what it found. <option>_PROGRAM is its
# path; false if it is off or not there.
function(graphnet_find_tool option program otherwise)
  if(NOT ${option})
    message(STATUS "${program}: off (${option}); ${otherwise}")
    set(${option}_PROGRAM "" PARENT_SCOPE)
    return()
  endif()
  find_program(${option}_PROGRAM ${program} ${ARGN})
  if(${option}_PROGRAM)
    message(STATUS "${program}: ${${option}_PROGRAM}")
  else()
    message(STATUS "${program}: not found; ${otherwise}")
  endif()
endfunction()

graphnet_find_tool(GRAPHNET_CCACHE ccache "everything is compiled again")
if(GRAPHNET_CCACHE_PROGRAM)
  # Its cache serves every copy of this tree; the other setting is for files that use precompiled headers.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros
    ${GRAPHNET_CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
# No file that is built knows where, but those that must: two copies of a tree build the same.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
graphnet_find_tool(GRAPHNET_MOLD mold "the compiler's own linker")
if(GRAPHNET_MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_library(graphnet_warnings INTERFACE)
target_compile_options(graphnet_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<BOOL:${GRAPHNET_WERROR}>:-Werror>
  # A class of a .cc file is seen as one of a header where that file is included in another.
  $<$<AND:$<BOOL:${GRAPHNET_UNITY}>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-subobject-linkage>)

add_library(graphnet_sanitizers INTERFACE)
foreach(sanitizer IN LISTS GRAPHNET_SANITIZE)
  target_compile_options(graphnet_sanitizers INTERFACE -fsanitize=${sanitizer} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(graphnet_sanitizers INTERFACE -fsanitize=${sanitizer})
endforeach()
if(GRAPHNET_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 (bug 105562) sees uninitialised memory in std::regex under a sanitizer.
  target_compile_options(graphnet_sanitizers INTERFACE -Wno-maybe-uninitialized)
endif()

# Names of functions and lines: what a crash report shows. Types and variables cost a quarter of the compile time.
string(REPLACE "-g " "-g1 " CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

# graphnet_precompile(<std|tests> <target>...)
#
# Has targets compiled with precompiled headers: those of the standard library and JSON, for tests GoogleTest's too. None is
# ours, so a change of ours never compiles everything; preset tidy builds without them, so that each file still includes what
# it uses. Does nothing if GRAPHNET_PCH is off.
#
# The compiler refuses precompiled headers of other options, so programs and libraries are compiled alike.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
set(GRAPHNET_PRECOMPILED <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <map>
  <memory> <optional> <set> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
function(graphnet_precompile kind)
  if(NOT GRAPHNET_PCH)
    return()
  endif()
  set(donor graphnet_precompiled_${kind})
  if(NOT TARGET ${donor})
    find_package(nlohmann_json REQUIRED)
    set(source ${CMAKE_BINARY_DIR}/${donor}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Has only precompiled headers.\n")
    add_library(${donor} OBJECT ${source})
    target_link_libraries(${donor} PRIVATE graphnet_warnings graphnet_sanitizers nlohmann_json::nlohmann_json)
    target_precompile_headers(${donor} PRIVATE ${GRAPHNET_PRECOMPILED} <nlohmann/json.hpp>)
    if(kind STREQUAL tests)
      target_link_libraries(${donor} PRIVATE GTest::gtest)
      target_precompile_headers(${donor} PRIVATE <gtest/gtest.h>)
    endif()
  endif()
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${donor})
  endforeach()
endfunction()

# What is compiled in a quarter less time because no measured process runs it.
set(GRAPHNET_UNMEASURED $<$<CONFIG:RelWithDebInfo,Release>:-O1>)

# graphnet_third_party(<name> <shared target> <Debian package>)
#
# Makes graphnet_<name>, which links lib<name>.a with the headers of the shared target, so that what is built runs where
# the package is not installed.
if(GRAPHNET_STATIC AND NOT GRAPHNET_SANITIZE)
  set(GRAPHNET_FROM_ARCHIVES ON)
endif()
function(graphnet_third_party name shared package)
  if(TARGET graphnet_${name})
    return()
  endif()
  add_library(graphnet_${name} INTERFACE)
  if(NOT GRAPHNET_FROM_ARCHIVES)
    target_link_libraries(graphnet_${name} INTERFACE ${shared})
    return()
  endif()
  find_library(GRAPHNET_ARCHIVE_${name} lib${name}.a)
  if(NOT GRAPHNET_ARCHIVE_${name})
    message(FATAL_ERROR "lib${name}.a not found. Install ${package}; or link shared libraries: -DGRAPHNET_STATIC=OFF")
  endif()
  target_include_directories(graphnet_${name} SYSTEM INTERFACE
    $<TARGET_PROPERTY:${shared},INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(graphnet_${name} INTERFACE ${GRAPHNET_ARCHIVE_${name}} ${CMAKE_DL_LIBS} m pthread)
endfunction()

# graphnet_host_library(<folder> [UNMEASURED] SOURCES ... [DEPS <folder>...] [PRIVATE_LIBS <target>...]
#                       [PRECOMPILED <header>...])
#
# Headers of a folder are reachable as "<folder>/x.h" only through a link edge: the include
# directory of each library holds a single link to its own folder, so an upward include does not
# compile.
function(graphnet_host_library folder)
  cmake_parse_arguments(ARG "UNMEASURED" "" "SOURCES;DEPS;PRIVATE_LIBS;PRECOMPILED" ${ARGN})
  set(target graphnet_${folder})
  add_library(${target} STATIC ${ARG_SOURCES})
  set(include_root ${CMAKE_BINARY_DIR}/include/${folder})
  file(MAKE_DIRECTORY ${include_root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${include_root})
  list(TRANSFORM ARG_DEPS PREPEND graphnet_)
  target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE graphnet_warnings graphnet_sanitizers
    ${ARG_PRIVATE_LIBS})
  if(ARG_UNMEASURED)
    target_compile_options(${target} PRIVATE ${GRAPHNET_UNMEASURED})
  endif()
  if(ARG_PRECOMPILED AND GRAPHNET_PCH)
    target_precompile_headers(${target} PRIVATE ${GRAPHNET_PRECOMPILED} ${ARG_PRECOMPILED})
  else()
    graphnet_precompile(std ${target})
  endif()
endfunction()

# graphnet_add_outside_plugin(<name>)
#
# Builds plugins/<name> as a project of its own against the installed SDK, which is put into <build>/sdk_prefix. It is given
# GRAPHNET_WHEELS, the folder of set-up's trees. Makes target gn_<name>.
function(graphnet_add_outside_plugin name)
  include(ExternalProject)
  set(source ${CMAKE_SOURCE_DIR}/plugins/${name})
  set(wheels ${CMAKE_SOURCE_DIR}/.deps)
  set(tree "")
  if(EXISTS ${source}/requirements.txt)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/requirements.txt)
    file(SHA256 ${source}/requirements.txt tree)
    if(NOT EXISTS ${wheels}/${tree})
      message(WARNING "plugin ${name} is left out: it is built with what ${wheels}/${tree} lacks; "
        "./graphnet run --config ${name}.yaml fetches it")
      return()
    endif()
  endif()
  set(prefix ${CMAKE_BINARY_DIR}/sdk_prefix)
  if(NOT TARGET graphnet_sdk_prefix)
    add_custom_target(graphnet_sdk_prefix
      COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --component sdk --prefix ${prefix} > sdk_prefix.log
      WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
    add_dependencies(graphnet_sdk_prefix graphnet_lowering graphnet_artifact)
  endif()
  list(JOIN CMAKE_CXX_COMPILER_LAUNCHER "^" launcher)
  ExternalProject_Add(outside_${name} SOURCE_DIR ${source} BINARY_DIR ${CMAKE_BINARY_DIR}/plugins/${name}
    PREFIX ${CMAKE_BINARY_DIR}/plugins/${name}.project DEPENDS graphnet_sdk_prefix BUILD_ALWAYS ON INSTALL_COMMAND ""
    LIST_SEPARATOR ^
    CMAKE_ARGS -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${launcher} -DGRAPHNET_WHEELS=${wheels}
    -DGRAPHNET_PLUGIN_ROOT=${CMAKE_BINARY_DIR}/lib/graphnet/plugins -DCMAKE_UNITY_BUILD=${GRAPHNET_UNITY} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  # What tests ask a plugin's target for.
  set(folder ${CMAKE_BINARY_DIR}/lib/graphnet/plugins/${name})
  add_library(gn_${name} MODULE IMPORTED GLOBAL)
  set_target_properties(gn_${name} PROPERTIES IMPORTED_LOCATION ${folder}/libgn_${name}.so GRAPHNET_NEEDS "${tree}")
  add_dependencies(gn_${name} outside_${name})
  if(tree)
    set_target_properties(gn_${name} PROPERTIES GRAPHNET_NEEDS ${wheels}/${tree})
  endif()
  # Its own rules, which set the run path of an installed plugin.
  install(SCRIPT ${CMAKE_BINARY_DIR}/plugins/${name}/cmake_install.cmake COMPONENT plugin-${name})
  if(TARGET graphnet_all)
    add_dependencies(graphnet_all outside_${name})
  endif()
endfunction()
