# graphnet_add_plugin(<name> SOURCES ... [LIBS <target>...] [RPATH <folder>...] [BUILD_RPATH <folder>...] [FILES <file>...])
#
# Builds libgn_<name>.so into GRAPHNET_PLUGIN_ROOT/<name>/ (default: <build>/lib/graphnet/plugins) with its
# plugin.yaml, its gaps.yaml and requirements.txt if it has them, and FILES beside it.
# Exactly the three symbols of the ABI are exported, nothing is left undefined, everything resolves at
# load, and needed libraries are looked for beside the plugin first, then in RPATH. BUILD_RPATH is for folders of
# this machine, which an installed plugin has not: its plugin.yaml says under `needs` in which wheel a library is.
set(GRAPHNET_SDK_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(GRAPHNET_PLUGIN_ROOT ${CMAKE_BINARY_DIR}/lib/graphnet/plugins CACHE PATH "Folder that plugins are built into")

function(graphnet_add_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;RPATH;BUILD_RPATH;FILES" ${ARGN})
  set(target gn_${name})
  set(folder ${GRAPHNET_PLUGIN_ROOT}/${name})
  add_library(${target} MODULE ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE graphnet::abi ${ARG_LIBS})
  if(TARGET graphnet_warnings)
    target_link_libraries(${target} PRIVATE graphnet_warnings graphnet_sanitizers)
  endif()
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${folder}
    CXX_VISIBILITY_PRESET hidden
    C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    BUILD_RPATH "$ORIGIN;${ARG_RPATH};${ARG_BUILD_RPATH}"
    INSTALL_RPATH "$ORIGIN;${ARG_RPATH}"
    LINK_DEPENDS ${GRAPHNET_SDK_CMAKE_DIR}/exports.map)
  # A sanitizer's runtime is resolved from the executable, so symbols stay undefined there.
  if(NOT GRAPHNET_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,now -Wl,-z,noexecstack
    -Wl,--version-script=${GRAPHNET_SDK_CMAKE_DIR}/exports.map)
  configure_file(plugin.yaml ${folder}/plugin.yaml COPYONLY)
  foreach(file IN ITEMS gaps.yaml requirements.txt)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
      configure_file(${file} ${folder}/${file} COPYONLY)
    endif()
  endforeach()
  set(installed lib/graphnet/plugins/${name})
  foreach(file IN LISTS ARG_FILES)
    configure_file(${file} ${folder}/${file} COPYONLY)
    install(FILES ${file} DESTINATION ${installed} COMPONENT plugin-${name})
  endforeach()
  install(TARGETS ${target} LIBRARY DESTINATION ${installed} COMPONENT plugin-${name})
  install(DIRECTORY ${folder}/ DESTINATION ${installed} COMPONENT plugin-${name} FILES_MATCHING
    PATTERN "*.yaml" PATTERN requirements.txt)
  if(TARGET graphnet_all)
    add_dependencies(graphnet_all ${target})
  endif()
endfunction()
