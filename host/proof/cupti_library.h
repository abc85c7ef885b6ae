// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/memory_map.h"
#include "device/driver_state.h"
#include "proof/cupti_abi.h"

namespace graphnet::proof {

/// Whether CUPTI tells what runs on a device. Timing is valid in every state.
///
/// | state       | means                                                              | from |
/// |-------------|--------------------------------------------------------------------|--------------|
/// | `ready`     | it does                                                            | 0 | |
/// `absent`    | there is no library                                                | the loader |
/// | `unusable`  | a library of a release unknown here, or one without the functions  | its version
/// | | `no_device` | there is no driver, a stub of it, one that is too old or no device | 999, 15,
/// ... | | `busy`      | another tool traces this process; it is named where CUPTI can      | 39 |
/// | `denied`    | no permission, or a kind of device that CUPTI does not trace       | 33, 35,
/// 40-45| | `failed`    | an error although the driver works                                 | the
/// rest     |
///
/// Only the result of subscribing counts: without a driver other functions answer 0.
enum class CuptiState { kReady, kAbsent, kUnusable, kNoDevice, kBusy, kDenied, kFailed };

/// "ready", "absent", "unusable", "no_device", "busy", "denied", "failed".
const char* cupti_state_name(CuptiState state);

/// The state with its reason; empty if it is ready.
struct CuptiStatus {
  CuptiState state = CuptiState::kReady;
  int code = 0;  ///< what subscribing returned; 0 if it did not come to that
  std::string reason;

  bool is_ready() const { return state == CuptiState::kReady; }
};

/// What the result of subscribing means. The driver's state tells apart what CUPTI calls "unknown".
///
/// shapes   other_tool: who subscribes already; "" if that is not known
CuptiStatus judge_subscription(int code, const std::string& text, const std::string& other_tool,
                               const device::DriverState& driver);

/// Where CUPTI is looked for.
///
/// order    a copy that is mapped already under one of the names (libtorch brings one, which its
///          profiler uses; two in a process steal each other's records), the folders, the loader's
///          own search; the first file that opens decides
struct CuptiPlaces {
  std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12"};
  std::vector<std::filesystem::path> folders;
};

/// Folders into which pip's packages put CUPTI, beside those of the libtorch that is mapped.
std::vector<std::filesystem::path> folders_beside_libtorch(
    const std::vector<base::Mapping>& mappings);

/// A library that is open, for good: it may have threads of its own.
struct CuptiLibrary {
  cupti::Functions functions;
  std::uint32_t version = 0;   ///< of its interface: 19 for CUDA 12.0, 130001 for 13.0 update 1
  std::filesystem::path file;  ///< as the loader found it
};

/// Opens CUPTI; `library` holds it if the state is `ready`.
CuptiStatus open_cupti(const CuptiPlaces& places, CuptiLibrary& library);

/// Release of CUDA that an interface version belongs to, of which 12 and 13 are known; 0 for
/// numbers that are none.
///
/// source   the list in cupti_version.h: 19 to 28 are 12.0 to 12.9, from 13.0 on major * 10000 +
/// ...
int cuda_major_of(std::uint32_t version);

}  // namespace graphnet::proof
