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
/// | state       | means                                               | error          |
/// |-------------|-----------------------------------------------------|----------------|
/// | `ready`     | it does                                             | 0              |
/// | `absent`    | there is no library                                 | the loader's   |
/// | `unusable`  | a release that is unknown here, or functions lack   | its version    |
/// | `no_device` | no driver, a stub of it, one too old, or no device  | 999, 15, ...   |
/// | `busy`      | another tool traces this process; named if CUPTI can| 39             |
/// | `denied`    | no permission, or a device that CUPTI does not trace| 33, 35, 40-45  |
/// | `failed`    | an error although the driver works                  | the rest       |
///
/// Without a driver, subscribing is what fails; other functions answer 0 then.
enum class CuptiState { kReady, kAbsent, kUnusable, kNoDevice, kBusy, kDenied, kFailed };

/// "ready", "absent", "unusable", "no_device", "busy", "denied", "failed".
const char* cupti_state_name(CuptiState state);

/// The state with its reason; empty if it is ready.
struct CuptiStatus {
  CuptiState state = CuptiState::kReady;
  int code = 0;  ///< what CUPTI refused with; 0 if it did not
  std::string reason;

  bool is_ready() const { return state == CuptiState::kReady; }
};

/// What CUPTI was asked for when it refused.
///
/// shapes   id: "kind 10", of a record, or "domain 1, id 1", of a call; "" if there is none.
///          doing: "record kernels", after "to"
struct CuptiCall {
  const char* function;
  std::string id;
  const char* doing;
};

/// A refusal in words; every one of them is told here: "CUPTI error 35,
/// CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, of cuptiActivityEnable(kind 10) to record kernels".
std::string cupti_refusal(const cupti::Functions& functions, int code, const CuptiCall& call);

/// What a refusal means for tracing. The driver's state tells apart what CUPTI calls "unknown".
///
/// shapes   refusal: as cupti_refusal() tells it; other_tool: who subscribes already; "" if that is
///          not known
CuptiStatus judge_refusal(int code, const std::string& refusal, const std::string& other_tool,
                          const device::DriverState& driver);

/// Where CUPTI is looked for.
///
/// order    a copy that is mapped already under one of the names (libtorch brings one, which its
///          profiler uses; two in a process steal each other's records), the folders, the loader's
///          own search; the first file that opens decides
struct CuptiSearch {
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
CuptiStatus open_cupti(const CuptiSearch& search, CuptiLibrary& library);

/// Opens CUPTI and gives the search that finds the same file whatever is mapped later: a plugin may
/// bring one under another of the names. As given if none is ready.
CuptiSearch pin_cupti(const CuptiSearch& search);

/// Release of CUDA that an interface version belongs to, of which 12 and 13 are known; 0 for
/// numbers that are none.
///
/// source   the list in cupti_version.h: 19 to 28 are 12.0 to 12.9, from 13.0 on major * 10000 +
/// ...
int cuda_major_of(std::uint32_t version);

}  // namespace graphnet::proof
