// SPDX-License-Identifier: MIT
#include "proof/cupti_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace graphnet::proof {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStateNames[] = {"ready", "absent", "unusable", "no_device",
                                       "busy",  "denied", "failed"};

// Interface versions of CUDA 12; those of CUDA 11 and before are smaller.
constexpr std::uint32_t kFirstOf12 = 19;
constexpr std::uint32_t kLastSmallVersion = 99;
constexpr std::uint32_t kVersionsPerMajor = 10000;
constexpr int kOldestMajor = 12;
constexpr int kNewestMajor = 13;

CuptiStatus not_ready(CuptiState state, std::string reason, int code = 0) {
  return {state, code, std::move(reason)};
}

bool is_denied(int code) {
  return code == cupti::kNoPrivileges || code == cupti::kVirtualMachine ||
         (code >= cupti::kFirstRefusedDevice && code <= cupti::kLastRefusedDevice);
}

/// Fills a function pointer by name; the name is noted if there is none.
class Lookup {
 public:
  explicit Lookup(void* library) : library_(library) {}

  template <typename Function>
  void required(const char* name, Function& function) {
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

/// Names of functions that are missing.
std::vector<std::string> look_up(void* library, cupti::Functions& functions) {
  Lookup lookup(library);
  lookup.required("cuptiGetVersion", functions.get_version);
  lookup.required("cuptiSubscribe", functions.subscribe);
  lookup.required("cuptiUnsubscribe", functions.unsubscribe);
  lookup.required("cuptiGetCallbackName", functions.callback_name);
  lookup.required("cuptiActivityRegisterCallbacks", functions.register_buffers);
  lookup.required("cuptiActivityEnable", functions.enable);
  lookup.required("cuptiActivityGetNextRecord", functions.next_record);
  lookup.required("cuptiActivityGetNumDroppedRecords", functions.num_dropped);
  lookup.required("cuptiActivityFlushAll", functions.flush);
  lookup.required("cuptiActivityPushExternalCorrelationId", functions.push_id);
  lookup.required("cuptiActivityPopExternalCorrelationId", functions.pop_id);
  lookup.optional("cuptiSubscribe_v2", functions.subscribe_named);
  lookup.optional("cuptiActivityRegisterTimestampCallback", functions.register_timestamp);
  lookup.optional("cuptiActivityEnableDriverApi", functions.enable_driver_call);
  lookup.optional("cuptiActivityEnableRuntimeApi", functions.enable_runtime_call);
  lookup.optional("cuptiGetResultString", functions.result_text);
  return lookup.missing();
}

void* open_first(const CuptiSearch& search) {
  for (const std::string& name : search.names) {
    if (void* mapped = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return mapped;
  }
  for (const fs::path& folder : search.folders) {
    for (const std::string& name : search.names) {
      if (void* opened = ::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return opened;
    }
  }
  for (const std::string& name : search.names) {
    if (void* found = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  }
  return nullptr;
}

fs::path file_of(void* library) {
  struct link_map* map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr)
    return {};
  return map->l_name;
}

}  // namespace

const char* cupti_state_name(CuptiState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}

std::string cupti_refusal(const cupti::Functions& functions, int code, const CuptiCall& call) {
  const char* text = nullptr;
  const bool has_text =
      functions.result_text != nullptr && functions.result_text(code, &text) == cupti::kSuccess;
  std::string refusal = "CUPTI error " + std::to_string(code);
  if (has_text && text != nullptr) refusal += std::string(", ") + text + ",";
  refusal += std::string(" of ") + call.function;
  if (!call.id.empty()) refusal += "(" + call.id + ")";
  return refusal + " to " + call.doing;
}

CuptiStatus judge_refusal(int code, const std::string& refusal, const std::string& other_tool,
                          const device::DriverState& driver) {
  if (code == cupti::kSuccess) return {};
  if (code == cupti::kOtherSubscriber) {
    const std::string who = other_tool.empty() ? "another tool" : "'" + other_tool + "'";
    return not_ready(CuptiState::kBusy, who + " traces this process already (" + refusal + ")",
                     code);
  }
  if (is_denied(code)) {
    return not_ready(CuptiState::kDenied, "tracing is not allowed here (" + refusal + ")", code);
  }
  if (!driver.is_ready()) {
    return not_ready(CuptiState::kNoDevice, driver.reason + " (" + refusal + ")", code);
  }
  return not_ready(CuptiState::kFailed, refusal + ", although the driver works", code);
}

std::vector<fs::path> folders_beside_libtorch(const std::vector<base::Mapping>& mappings) {
  const auto found =
      std::find_if(mappings.begin(), mappings.end(), [](const base::Mapping& mapping) {
        return base::module_name(mapping.path) == "libtorch_cpu.so";
      });
  if (found == mappings.end()) return {};
  // <root>/torch/lib/libtorch_cpu.so
  const fs::path packages = fs::path(found->path).parent_path().parent_path().parent_path();
  return {packages / "nvidia/cu13/lib", packages / "nvidia/cuda_cupti/lib"};
}

int cuda_major_of(std::uint32_t version) {
  if (version > kLastSmallVersion) return static_cast<int>(version / kVersionsPerMajor);
  return version >= kFirstOf12 ? kOldestMajor : 0;
}

CuptiStatus open_cupti(const CuptiSearch& search, CuptiLibrary& library) {
  void* const handle = open_first(search);
  if (handle == nullptr) {
    return not_ready(CuptiState::kAbsent,
                     "CUPTI is not installed: " + base::join(search.names, ", ") + " not found");
  }
  library.file = file_of(handle);
  const std::vector<std::string> missing = look_up(handle, library.functions);
  if (!missing.empty()) {
    return not_ready(CuptiState::kUnusable,
                     library.file.string() + " is no CUPTI: it lacks " + base::join(missing, ", "));
  }
  const int code = library.functions.get_version(&library.version);
  if (code != cupti::kSuccess) {
    return not_ready(
        CuptiState::kUnusable,
        library.file.string() + ": " +
            cupti_refusal(library.functions, code, {"cuptiGetVersion", "", "say its version"}),
        code);
  }
  const int major = cuda_major_of(library.version);
  if (major >= kOldestMajor && major <= kNewestMajor) return {};
  return not_ready(CuptiState::kUnusable, library.file.string() + " has interface version " +
                                              std::to_string(library.version) +
                                              ", those of CUDA 12 and 13 are known here");
}

CuptiSearch pin_cupti(const CuptiSearch& search) {
  CuptiLibrary library;
  if (!open_cupti(search, library).is_ready()) return search;
  return {{library.file.filename().string()}, {library.file.parent_path()}};
}

}  // namespace graphnet::proof
