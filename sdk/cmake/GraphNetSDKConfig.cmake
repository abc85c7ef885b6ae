# find_package(GraphNetSDK): what a plugin outside graphnet's source tree is built with.
#
#   graphnet::abi        headers of the ABI (graphnet/abi.h, plugin.h, graph_view.h)
#   graphnet::lowering   graphs as about thirty primitives (lowering/); optional
#   graphnet::artifact   bytes of stored programs (artifact/); optional, needs OpenSSL
#   graphnet_add_plugin  see GraphNetPlugin.cmake
get_filename_component(graphnet_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
if(NOT TARGET graphnet::abi)
  add_library(graphnet::abi INTERFACE IMPORTED)
  target_include_directories(graphnet::abi INTERFACE ${graphnet_prefix}/include/graphnet-sdk)
  foreach(library IN ITEMS lowering artifact)
    add_library(graphnet::${library} STATIC IMPORTED)
    set_target_properties(graphnet::${library} PROPERTIES
      IMPORTED_LOCATION ${graphnet_prefix}/lib/graphnet/sdk/libgraphnet_${library}.a
      INTERFACE_LINK_LIBRARIES graphnet::abi)
  endforeach()
  find_package(OpenSSL QUIET COMPONENTS Crypto)
  if(TARGET OpenSSL::Crypto)
    target_link_libraries(graphnet::artifact INTERFACE OpenSSL::Crypto)
  endif()
endif()
# Nothing of a plugin is seen from outside but the three symbols; static libraries have no choice.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT DEFINED CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 17)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/GraphNetPlugin.cmake)
