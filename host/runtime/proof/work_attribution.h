// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proof/cupti_session.h"
#include "proof/regions.h"

namespace graphnet::proof {

/// Whose work something on a device is.
enum class WorkOwner { kPlugin, kEager, kHost, kNobody };

/// "plugin", "eager", "host", "unattributed".
const char* work_owner_name(WorkOwner owner);

/// How the owner is known, strongest first:
///
/// | source   | means                                                                           |
/// |----------|---------------------------------------------------------------------------------|
/// | `loader` | libtorch loaded the code of the kernel: attributed to eager regardless of the   |
/// |          | caller. Kernels of cuBLAS and the like are left out, which both may call: that  |
/// |          | libtorch's operators were not entered is for the execute-deny tracer to say     |
/// | `id`     | the call that asked for it carries the id that was pushed around a traced call  |
/// | `window` | that call was made while a traced call ran, on another thread: a worker holds   |
/// |          | one plugin and makes one call at a time. Not between calls, where another       |
/// |          | thread works unasked                                                            |
/// | `module` | neither, but the plugin's file, or the host's, loaded its code                  |
/// | `none`   | nothing of that                                                                 |
enum class AttributionSource { kLoader, kId, kWindow, kModule, kNone };

/// "loader", "id", "window", "module", "none".
const char* attribution_source_name(AttributionSource source);

/// Who loaded code onto a device.
struct CodeLoader {
  std::string module;  ///< name of the file
  /// kNobody: a library that eager and plugin may both call, or several files loaded it.
  WorkOwner owner = WorkOwner::kNobody;
};

/// The innermost code on the stack of a load that is neither the driver's nor shared with all
/// (regions.h: watch); nothing if there is none.
///
/// order    regions by address
std::optional<CodeLoader> loader_of(const LoadedModule& loaded, const std::vector<Region>& regions);

/// Whose a piece of work is, and how that is known.
struct Attribution {
  WorkOwner owner = WorkOwner::kNobody;
  AttributionSource source = AttributionSource::kNone;
  std::string module;               ///< file that loaded its code; "" if that is not known
  std::optional<std::size_t> call;  ///< index of the traced call that asked for it
};

/// Attributes the work of one trace: to whom the traced call belongs that asked for it, unless the
/// loader of its code says otherwise (kOwners in work_attribution.cc is the rule).
class WorkAttribution {
 public:
  /// `trace` is borrowed.
  ///
  /// order    regions by address, of a moment in which what loaded modules is still mapped
  WorkAttribution(const DeviceTrace& trace, const std::vector<Region>& regions);

  Attribution of(const DeviceWork& work) const;
  /// When the call of the driver or the runtime that asked for it began; 0 if that is not known.
  ///
  /// units    nanoseconds on the clock of records
  std::uint64_t launch_ns(const DeviceWork& work) const;

 private:
  struct AskingCall {
    std::size_t index;
    AttributionSource source;
  };
  std::optional<AskingCall> asking_call(const DeviceWork& work) const;
  const CodeLoader* loader_of_kernel(const DeviceWork& work) const;

  const DeviceTrace& trace_;
  std::map<std::string, CodeLoader> loaders_;           // of kernels, by name
  std::map<std::uint32_t, std::uint64_t> launches_ns_;  // by correlation
};

}  // namespace graphnet::proof
