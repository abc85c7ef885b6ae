# `cpack` in a build folder: Debian packages graphnet, graphnet-plugin-<name> and graphnet-sdk, and one tarball of all that
# runs from any folder. Nothing is downloaded: `graphnet setup torch|<plugin>` fetches wheels for the user who asks.
set(CPACK_PACKAGE_NAME graphnet)
set(CPACK_PACKAGE_VENDOR graphnet)
set(CPACK_PACKAGE_CONTACT "The graphnet authors <graphnet@example.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# libtorch and compilers come from wheels, all else is linked from archives.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libstdc++6 (>= 12)")

# graphnet_package(COMPONENT NAME SUMMARY [DEPENDS PACKAGES] [RECOMMENDS PACKAGES])
macro(graphnet_package component name summary)
  cmake_parse_arguments(package "" "DEPENDS;RECOMMENDS" "" ${ARGN})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${CPACK_DEBIAN_PACKAGE_DEPENDS}")
  if(package_DEPENDS)
    string(APPEND CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ", ${package_DEPENDS}")
  endif()
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${package_RECOMMENDS}")
endmacro()

set(same_version "graphnet (= ${PROJECT_VERSION})")
graphnet_package(graphnet graphnet "Runs tensor compilers on GraphNet samples and compares them with eager PyTorch"
  RECOMMENDS "python3-pip, unzip")
graphnet_package(sdk graphnet-sdk "Headers, CMake package, conformance cases and templates for graphnet plugins"
  RECOMMENDS "${same_version}, cmake, g++")
foreach(plugin IN LISTS GRAPHNET_PLUGINS)
  # Its libraries are found by a run path of the machine that built it.
  if(TARGET gn_${plugin} AND NOT TARGET outside_${plugin})
    graphnet_package(plugin-${plugin} graphnet-plugin-${plugin} "The backend ${plugin} of graphnet" DEPENDS "${same_version}")
  endif()
endforeach()
if(GRAPHNET_BUILD_TESTS)
  list(APPEND CPACK_COMPONENTS_ALL conformance)
  graphnet_package(conformance graphnet-conformance "Runs graphnet's conformance cases with a plugin"
    DEPENDS "graphnet-sdk (= ${PROJECT_VERSION}), ${same_version}")
endif()
list(REMOVE_DUPLICATES CPACK_COMPONENTS_ALL)
include(CPack)
