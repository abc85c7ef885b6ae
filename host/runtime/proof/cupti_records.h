// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "proof/cupti_abi.h"
#include "proof/cupti_buffers.h"

namespace graphnet::proof {

/// What a device did.
enum class WorkKind { kKernel, kCopy, kSet };

/// "kernel", "copy", "set".
const char* work_kind_name(WorkKind kind);

/// Something that ran on a device.
///
/// units    nanoseconds of the session's clock; both 0 if CUPTI could not take them
struct DeviceWork {
  WorkKind kind = WorkKind::kKernel;
  std::uint32_t name = 0;  ///< index in DeviceRecords::names; of kernels only
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t correlation = 0;  ///< of the call that asked for it; shared by a graph's nodes
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  bool is_in_graph = false;

  bool is_timed() const { return start_ns != 0 && end_ns >= start_ns; }
};

/// A call of the driver or the runtime.
struct DeviceCall {
  std::uint32_t domain = 0;  ///< cupti::Domain
  std::uint32_t id = 0;
  std::uint32_t thread = 0;
  std::uint32_t correlation = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// The records of all buffers that were read, which come in no order.
struct DeviceRecords {
  std::vector<std::string> names;
  std::vector<DeviceWork> work;
  std::vector<DeviceCall> calls;
  /// By correlation: the id that was pushed when the call was made.
  std::unordered_map<std::uint32_t, std::uint64_t> pushed_ids;
  /// CUPTI's and the driver's own work, such as loading functions at their first use.
  std::uint64_t overhead_ns = 0;
  std::size_t num_untimed = 0;      ///< of `work`, without times
  std::size_t num_cut_buffers = 0;  ///< that ended within a record: the rest of them is lost
  std::string cut_reason;           ///< CUPTI's refusal at the first of them; "" if it did not
  std::size_t num_others = 0;       ///< of kinds that are not read
};

/// Reads records out of buffers.
class RecordReader {
 public:
  /// Both must outlive it; `records` gets what is read.
  RecordReader(const cupti::Functions& functions, DeviceRecords& records)
      : functions_(functions), records_(records) {}

  /// Adds a buffer's records.
  void read(const FullBuffer& buffer);

 private:
  bool take(const std::uint8_t* record, std::size_t num_bytes);
  void add_kernel(const std::uint8_t* record);
  void add_pushed_id(const std::uint8_t* record);
  void add_work(const DeviceWork& work);

  const cupti::Functions& functions_;
  DeviceRecords& records_;
  std::unordered_map<std::string, std::uint32_t> name_indices_;
};

}  // namespace graphnet::proof
