// SPDX-License-Identifier: MIT
#include "proof/raw_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace graphnet::proof {

using base::Json;

namespace {

constexpr const char* kWorkKeys[] = {"kernels", "copies", "sets"};

/// Writes the rows of one trace.
class RawRows {
 public:
  RawRows(const DeviceTrace& trace, const CallName& call_name)
      : trace_(trace), call_name_(call_name) {
    const bool has_call = trace.first_call < trace.calls.size();
    if (has_call) origin_ns_ = trace.calls[trace.first_call].start_ns;
  }

  Json json() {
    json_["columns"] = {{"work",
                         {"correlation", "name", "start_ns", "end_ns", "device", "context",
                          "stream", "in_graph", "id"}},
                        {"calls", {"correlation", "name", "start_ns", "end_ns", "thread", "id"}},
                        {"traced_calls", {"id", "side", "start_ns", "end_ns"}}};
    add_work();
    add_calls();
    add_traced_calls();
    if (!left_out_.empty()) json_["left_out"] = left_out_;
    return std::move(json_);
  }

 private:
  Json after_origin(std::uint64_t time_ns) const {
    return static_cast<std::int64_t>(time_ns - origin_ns_);
  }
  Json id_of(std::uint32_t correlation) const {
    const auto found = trace_.records.pushed_ids.find(correlation);
    return found == trace_.records.pushed_ids.end() ? Json() : Json(found->second);
  }

  /// Those without an id first, then by start.
  template <typename Record>
  std::vector<const Record*> ordered(const std::vector<Record>& records) const {
    std::vector<const Record*> all;
    for (const Record& record : records) all.push_back(&record);
    const auto key = [&](const Record* record) {
      return std::make_tuple(trace_.records.pushed_ids.count(record->correlation),
                             record->start_ns);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Record* one, const Record* other) { return key(one) < key(other); });
    return all;
  }

  void add(const char* key, Json row) {
    Json& rows = json_[key];
    if (rows.is_null()) rows = Json::array();
    if (rows.size() < kMostRawRows) {
      rows.push_back(std::move(row));
    } else {
      ++left_out_[key];
    }
  }

  void add_work() {
    for (const DeviceWork* work : ordered(trace_.records.work)) {
      const bool is_kernel = work->kind == WorkKind::kKernel;
      add(kWorkKeys[static_cast<std::size_t>(work->kind)],
          {work->correlation, is_kernel ? Json(trace_.records.names[work->name]) : Json(),
           after_origin(work->start_ns), after_origin(work->end_ns), work->device, work->context,
           work->stream, work->is_in_graph, id_of(work->correlation)});
    }
  }

  void add_calls() {
    for (const DeviceCall* call : ordered(trace_.records.calls)) {
      add("calls",
          {call->correlation, call_name_(call->domain, call->id), after_origin(call->start_ns),
           after_origin(call->end_ns), call->thread, id_of(call->correlation)});
    }
  }

  void add_traced_calls() {
    for (std::size_t i = trace_.first_call; i < trace_.calls.size(); ++i) {
      const TracedCall& call = trace_.calls[i];
      add("traced_calls",
          {i, call_side_name(call.side), after_origin(call.start_ns), after_origin(call.end_ns)});
    }
  }

  const DeviceTrace& trace_;
  const CallName& call_name_;
  std::uint64_t origin_ns_ = 0;
  std::map<std::string, std::size_t> left_out_;
  Json json_ = Json::object();
};

}  // namespace

Json raw_rows_json(const DeviceTrace& trace, const CallName& call_name) {
  return RawRows(trace, call_name).json();
}

}  // namespace graphnet::proof
