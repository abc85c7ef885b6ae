// SPDX-License-Identifier: MIT
#include "device/driver_library.h"

#include <dlfcn.h>

#include <vector>

#include "base/text.h"

namespace graphnet::device {

using base::Code;
using base::Status;

namespace {

class Lookup {
 public:
  explicit Lookup(void* library) : library_(library) {}

  template <typename Function>
  void operator()(const char* name, Function& function) {
    optional(name, function);
    if (function == nullptr) missing_.emplace_back(name);
  }
  template <typename Function>
  void optional(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
  }

  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void* library_;
  std::vector<std::string> missing_;
};

}  // namespace

base::Result<DriverLibrary> open_driver(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return Status(Code::kEnvironment, "no NVIDIA driver is installed")
        .add_context(why == nullptr ? library : why);
  }
  DriverLibrary driver;
  Lookup look_up(handle);
  look_up("cuInit", driver.init);
  look_up("cuDriverGetVersion", driver.version);
  look_up("cuDeviceGetCount", driver.device_count);
  look_up("cuDeviceGet", driver.device);
  look_up("cuDeviceGetName", driver.device_name);
  look_up("cuDeviceGetAttribute", driver.device_attribute);
  look_up("cuDeviceGetPCIBusId", driver.pci_bus_id);
  look_up("cuDeviceTotalMem_v2", driver.device_memory);
  look_up("cuDevicePrimaryCtxRetain", driver.retain_context);
  look_up("cuDevicePrimaryCtxRelease_v2", driver.release_context);
  look_up("cuCtxSetCurrent", driver.set_context);
  look_up("cuCtxSynchronize", driver.synchronize);
  look_up("cuCtxResetPersistingL2Cache", driver.reset_persisting_l2);
  look_up("cuMemAlloc_v2", driver.allocate);
  look_up("cuMemFree_v2", driver.free);
  look_up("cuMemcpyHtoD_v2", driver.copy_in);
  look_up("cuMemcpyDtoH_v2", driver.copy_out);
  look_up("cuMemsetD32Async", driver.fill);
  look_up("cuMemsetD8Async", driver.fill_bytes);
  look_up("cuEventCreate", driver.make_event);
  look_up("cuEventDestroy_v2", driver.destroy_event);
  look_up("cuEventRecord", driver.record_event);
  look_up("cuEventElapsedTime", driver.elapsed_ms);
  look_up("cuModuleLoadData", driver.load_module);
  look_up("cuModuleGetFunction", driver.find_function);
  look_up("cuLaunchKernel", driver.launch);
  look_up("cuStreamCreate", driver.make_stream);
  look_up("cuStreamDestroy_v2", driver.destroy_stream);
  look_up("cuStreamBeginCapture_v2", driver.begin_capture);
  look_up("cuStreamEndCapture", driver.end_capture);
  look_up("cuGraphGetNodes", driver.graph_nodes);
  look_up("cuGraphInstantiateWithFlags", driver.instantiate_graph);
  look_up("cuGraphLaunch", driver.launch_graph);
  look_up("cuGraphExecDestroy", driver.destroy_executable_graph);
  look_up("cuGraphDestroy", driver.destroy_graph);
  look_up("cuGetErrorName", driver.error_name);
  look_up.optional("cuCtxGetCurrent", driver.current_context);
  look_up.optional("cuMemGetInfo_v2", driver.memory_info);
  if (look_up.missing().empty()) return driver;
  return Status(Code::kEnvironment,
                library + " lacks " + base::join(look_up.missing(), ", ") + " of CUDA's driver");
}

}  // namespace graphnet::device
