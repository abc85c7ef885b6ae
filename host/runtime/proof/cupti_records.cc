// SPDX-License-Identifier: MIT
#include "proof/cupti_records.h"

#include <cstring>

#include "proof/cupti_library.h"

namespace graphnet::proof {

namespace {

constexpr const char* kWorkNames[] = {"kernel", "copy", "set"};
constexpr const char* kNameless = "(nameless)";

// Records are packed: a field need not lie where its type may.
template <typename T>
T field(const std::uint8_t* record, std::size_t offset) {
  T value;
  std::memcpy(static_cast<void*>(&value), record + offset, sizeof(T));
  return value;
}

template <typename Fields>
DeviceWork read_work(const std::uint8_t* record, WorkKind kind) {
  DeviceWork work;
  work.kind = kind;
  work.start_ns = field<std::uint64_t>(record, Fields::kStart);
  work.end_ns = field<std::uint64_t>(record, Fields::kEnd);
  work.correlation = field<std::uint32_t>(record, Fields::kCorrelation);
  work.device = field<std::uint32_t>(record, Fields::kDevice);
  work.context = field<std::uint32_t>(record, Fields::kContext);
  work.stream = field<std::uint32_t>(record, Fields::kStream);
  return work;
}

DeviceCall read_call(const std::uint8_t* record, std::uint32_t domain) {
  using Fields = cupti::CallFields;
  DeviceCall call;
  call.domain = domain;
  call.id = field<std::uint32_t>(record, Fields::kId);
  call.thread = field<std::uint32_t>(record, Fields::kThread);
  call.correlation = field<std::uint32_t>(record, Fields::kCorrelation);
  call.start_ns = field<std::uint64_t>(record, Fields::kStart);
  call.end_ns = field<std::uint64_t>(record, Fields::kEnd);
  return call;
}

std::uint64_t read_overhead_ns(const std::uint8_t* record) {
  const auto start = field<std::uint64_t>(record, cupti::OverheadFields::kStart);
  const auto end = field<std::uint64_t>(record, cupti::OverheadFields::kEnd);
  return end > start ? end - start : 0;
}

/// Bytes that are read of a record; nothing of kinds that are not.
std::size_t bytes_of(std::uint32_t kind) {
  switch (kind) {
    case cupti::kConcurrentKernel:
      return cupti::KernelFields::kBytes;
    case cupti::kMemcpy:
    case cupti::kMemset:
      return cupti::CopyFields::kBytes;
    case cupti::kMemcpyPeer:
      return cupti::PeerCopyFields::kBytes;
    case cupti::kDriverCall:
    case cupti::kRuntimeCall:
    case cupti::kInternalCall:
      return cupti::CallFields::kBytes;
    case cupti::kExternalId:
      return cupti::ExternalIdFields::kBytes;
    case cupti::kOverhead:
      return cupti::OverheadFields::kBytes;
    default:
      return sizeof(std::uint32_t);
  }
}

}  // namespace

const char* work_kind_name(WorkKind kind) {
  return kWorkNames[static_cast<std::size_t>(kind)];
}

void RecordReader::read(const FullBuffer& buffer) {
  const std::uint8_t* const end = buffer.bytes + buffer.num_valid;
  void* record = nullptr;
  while (true) {
    const int code = functions_.next_record(buffer.bytes, buffer.num_valid, &record);
    if (code == cupti::kNoMoreRecords) return;
    const auto* const bytes = static_cast<const std::uint8_t*>(record);
    const bool is_inside = code == cupti::kSuccess && bytes >= buffer.bytes && bytes < end;
    if (!is_inside || !take(bytes, static_cast<std::size_t>(end - bytes))) {
      if (records_.num_cut_buffers++ == 0 && code != cupti::kSuccess) {
        records_.cut_reason = cupti_refusal(
            functions_, code, {"cuptiActivityGetNextRecord", "", "read a buffer of records"});
      }
      return;
    }
  }
}

/// False if the record goes beyond the buffer.
bool RecordReader::take(const std::uint8_t* record, std::size_t num_bytes) {
  if (num_bytes < sizeof(std::uint32_t)) return false;
  const auto kind = field<std::uint32_t>(record, 0);
  if (num_bytes < bytes_of(kind)) return false;
  switch (kind) {
    case cupti::kConcurrentKernel:
      add_kernel(record);
      break;
    case cupti::kMemcpy:
      add_work(read_work<cupti::CopyFields>(record, WorkKind::kCopy));
      break;
    case cupti::kMemcpyPeer:
      add_work(read_work<cupti::PeerCopyFields>(record, WorkKind::kCopy));
      break;
    case cupti::kMemset:
      add_work(read_work<cupti::CopyFields>(record, WorkKind::kSet));
      break;
    case cupti::kDriverCall:
    case cupti::kInternalCall:
      records_.calls.push_back(read_call(record, cupti::kDriverDomain));
      break;
    case cupti::kRuntimeCall:
      records_.calls.push_back(read_call(record, cupti::kRuntimeDomain));
      break;
    case cupti::kExternalId:
      add_pushed_id(record);
      break;
    case cupti::kOverhead:
      records_.overhead_ns += read_overhead_ns(record);
      break;
    default:
      ++records_.num_others;
  }
  return true;
}

void RecordReader::add_kernel(const std::uint8_t* record) {
  using Fields = cupti::KernelFields;
  const auto* const name = field<const char*>(record, Fields::kName);
  const auto next = static_cast<std::uint32_t>(records_.names.size());
  const auto [found, is_new] = name_indices_.emplace(name == nullptr ? kNameless : name, next);
  if (is_new) records_.names.push_back(found->first);
  DeviceWork kernel = read_work<Fields>(record, WorkKind::kKernel);
  kernel.name = found->second;
  kernel.is_in_graph = field<std::uint64_t>(record, Fields::kGraphNode) != 0;
  add_work(kernel);
}

void RecordReader::add_pushed_id(const std::uint8_t* record) {
  using Fields = cupti::ExternalIdFields;
  if (field<std::uint32_t>(record, Fields::kFamily) != cupti::kIdFamily) return;
  records_.pushed_ids[field<std::uint32_t>(record, Fields::kCorrelation)] =
      field<std::uint64_t>(record, Fields::kId);
}

void RecordReader::add_work(const DeviceWork& work) {
  if (!work.is_timed()) ++records_.num_untimed;
  records_.work.push_back(work);
}

}  // namespace graphnet::proof
