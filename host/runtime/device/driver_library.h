// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace graphnet::device {

/// Functions of the CUDA driver that are used here, found by name; nothing is linked. Handles are
/// the driver's own and opaque; addresses on the device are integers. Those marked optional may be
/// null.
///
/// source   cuda.h of CUDA 13.0; suffixes are those that its macros add
struct DriverLibrary {
  using Handle = void*;
  using Address = unsigned long long;

  int (*init)(unsigned int flags) = nullptr;
  int (*version)(int* version) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int index) = nullptr;
  int (*device_name)(char* name, int num_bytes, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*pci_bus_id)(char* text, int num_bytes, int device) = nullptr;
  int (*device_memory)(std::size_t* num_bytes, int device) = nullptr;
  int (*retain_context)(Handle* context, int device) = nullptr;
  int (*release_context)(int device) = nullptr;
  int (*set_context)(Handle context) = nullptr;
  int (*synchronize)() = nullptr;
  int (*reset_persisting_l2)() = nullptr;
  int (*allocate)(Address* address, std::size_t num_bytes) = nullptr;
  int (*free)(Address address) = nullptr;
  int (*copy_in)(Address to, const void* from, std::size_t num_bytes) = nullptr;
  int (*copy_out)(void* to, Address from, std::size_t num_bytes) = nullptr;
  int (*fill)(Address address, unsigned int value, std::size_t num_words, Handle stream) = nullptr;
  int (*fill_bytes)(Address address, unsigned char value, std::size_t num_bytes,
                    Handle stream) = nullptr;
  int (*make_event)(Handle* event, unsigned int flags) = nullptr;
  int (*destroy_event)(Handle event) = nullptr;
  int (*record_event)(Handle event, Handle stream) = nullptr;
  int (*elapsed_ms)(float* milliseconds, Handle start, Handle end) = nullptr;
  int (*load_module)(Handle* module, const void* image) = nullptr;
  int (*find_function)(Handle* function, Handle module, const char* name) = nullptr;
  int (*launch)(Handle function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                unsigned int block_x, unsigned int block_y, unsigned int block_z,
                unsigned int shared_bytes, Handle stream, void** arguments, void** extra) = nullptr;
  int (*make_stream)(Handle* stream, unsigned int flags) = nullptr;
  int (*destroy_stream)(Handle stream) = nullptr;
  int (*begin_capture)(Handle stream, int mode) = nullptr;
  int (*end_capture)(Handle stream, Handle* graph) = nullptr;
  int (*graph_nodes)(Handle graph, Handle* nodes, std::size_t* count) = nullptr;
  int (*instantiate_graph)(Handle* executable, Handle graph, unsigned long long flags) = nullptr;
  int (*launch_graph)(Handle executable, Handle stream) = nullptr;
  int (*destroy_executable_graph)(Handle executable) = nullptr;
  int (*destroy_graph)(Handle graph) = nullptr;
  int (*error_name)(int error, const char** name) = nullptr;

  int (*current_context)(Handle* context) = nullptr;                  ///< optional
  int (*memory_info)(std::size_t* free, std::size_t* all) = nullptr;  ///< optional

  /// What Gpu has made current, for errors to say whether it still is; null before.
  Handle primary_context = nullptr;
};

/// Opens the driver, for good, and finds its functions.
///
/// errors   kEnvironment: not there, or without some of them, which are named
base::Result<DriverLibrary> open_driver(const std::string& library = "libcuda.so.1");

}  // namespace graphnet::device
