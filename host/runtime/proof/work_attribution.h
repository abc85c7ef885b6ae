// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proof/cupti_session.h"
#include "proof/kernel_files.h"

namespace graphnet::proof {

/// Whose work something on a device is.
enum class WorkOwner { kPlugin, kEager, kHost, kNobody };

/// "plugin", "eager", "host", "unattributed".
const char* work_owner_name(WorkOwner owner);

/// How the owner is known, strongest first:
///
/// | source   | means                                                                           |
/// |----------|---------------------------------------------------------------------------------|
/// | `file`   | a file of libtorch's holds the kernel: attributed to eager regardless of the    |
/// |          | caller. Kernels of cuBLAS and the like are left out, which both may call: that  |
/// |          | libtorch's operators were not entered is for the execute-deny tracer to say.    |
/// |          | Where no caller is known: a file of libtorch's or of the plugin's holds it      |
/// | `id`     | the call that asked for it carries the id that was pushed around a traced call  |
/// | `window` | that call was made while a traced call ran, on another thread: a worker holds   |
/// |          | one plugin and makes one call at a time. Not between calls, where another       |
/// |          | thread works unasked                                                            |
/// | `none`   | nothing of that                                                                 |
enum class AttributionSource { kFile, kId, kWindow, kNone };

/// "file", "id", "window", "none".
const char* attribution_source_name(AttributionSource source);

/// Whose a piece of work is, and how that is known.
struct Attribution {
  WorkOwner owner = WorkOwner::kNobody;
  AttributionSource source = AttributionSource::kNone;
  std::string module;               ///< file that holds the kernel; "" if that is not known
  std::optional<std::size_t> call;  ///< index of the traced call that asked for it
};

/// Attributes the work of one trace: to whom the traced call belongs that asked for it, unless the
/// file that holds the kernel says otherwise (kOwners in work_attribution.cc is the rule).
class WorkAttribution {
 public:
  /// Both are borrowed.
  WorkAttribution(const DeviceTrace& trace, const KernelFiles& files);

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
  const KernelFile* file_of(const DeviceWork& work) const;

  const DeviceTrace& trace_;
  const KernelFiles& files_;
  std::map<std::uint32_t, std::uint64_t> launches_ns_;  // by correlation
};

}  // namespace graphnet::proof
