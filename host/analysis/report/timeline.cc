// SPDX-License-Identifier: MIT
#include "report/timeline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace graphnet::report {

namespace {

using base::Json;
using record::Record;
using Track = PerfettoTrace::Track;

constexpr const char* kPhase = "phase";
constexpr const char* kEager = "eager";
constexpr const char* kPlugin = "plugin";
constexpr const char* kProof = "proof";

/// Nanoseconds, or a count; 0 for what can be neither: a month, in a file that somebody has
/// changed.
std::uint64_t whole(double number) {
  constexpr double kLargest = 2.6e15;
  if (!(number > 0) || number > kLargest) return 0;
  return static_cast<std::uint64_t>(std::llround(number));
}

std::uint64_t whole(const Json& number) {
  return number.is_number() ? whole(number.get<double>()) : 0;
}

/// A list of an object; empty if there is none.
const Json::array_t& list_in(const Json& object, const char* key) {
  static const Json::array_t kNone;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_array() ? found->get_ref<const Json::array_t&>()
                                                    : kNone;
}

/// The entry with this number; null if there is none.
const Json* entry_of(const Json::array_t& list, const Json& number) {
  const bool is_one = number.is_number_integer() && number >= 0 && number < list.size();
  return is_one ? &list[number.get<std::size_t>()] : nullptr;
}

/// Lays the slices of one record.
class RecordLine {
 public:
  RecordLine(PerfettoTrace& trace, const Record& record, std::uint64_t start_ns)
      : trace_(trace), record_(record), end_ns_(start_ns) {}

  /// Returns when the record ends.
  std::uint64_t lay() {
    own_ = trace_.add_track(record_.sample + " " + record_.backend_name());
    for (const auto& [phase, duration] : record_.phases_ns.items()) {
      const std::uint64_t start = end_ns_;
      end_ns_ += whole(duration);
      starts_[phase] = start;
      trace_.add_slice(own_, {kPhase, phase}, start, end_ns_);
    }
    lay_side(kEager, kEager, record_.eager);
    lay_once("compile", record_.plugin_side.compile_ns);
    lay_once("bind", record_.plugin_side.bind_ns);
    lay_side(kPlugin, "run", record_.plugin_side);
    if (is_paired()) lay_pairs();
    lay_proof();
    if (!record_.verdict.empty()) {
      trace_.add_instant(own_, {kProof, "verdict: " + record_.verdict.text()}, end_ns_);
    }
    return end_ns_;
  }

 private:
  /// A track below the record's own.
  struct SideTrack {
    Track track = PerfettoTrace::kNoParent;
    std::uint64_t end_ns = 0;
  };

  /// Made when it has its first slice.
  SideTrack& side_track(std::string_view side) {
    SideTrack& found = tracks_[std::string(side)];
    if (found.track == PerfettoTrace::kNoParent) found.track = trace_.add_track(side, own_);
    return found;
  }

  /// A slice from `time_ns` on, which is moved to its end. It waits for the one before it on its
  /// track, which is later only in a file where calls took longer than their phase.
  void lay_next(const PerfettoTrace::Label& label, std::uint64_t duration_ns,
                std::uint64_t& time_ns) {
    if (duration_ns == 0) return;
    SideTrack& side = side_track(label.category);
    const std::uint64_t start_ns = std::max(time_ns, side.end_ns);
    time_ns = side.end_ns = start_ns + duration_ns;
    trace_.add_slice(side.track, label, start_ns, time_ns);
  }

  /// When a phase began; none if the record does not have it.
  std::optional<std::uint64_t> start_of(const char* phase) const {
    const auto found = starts_.find(phase);
    return found == starts_.end() ? std::nullopt : std::optional(found->second);
  }

  bool is_paired() const { return record_.timing.has_pairs(); }

  void lay_once(const char* phase, const std::optional<double>& duration_ns) {
    std::optional<std::uint64_t> time = start_of(phase);
    if (time && duration_ns) lay_next({kPlugin, phase}, whole(*duration_ns), *time);
  }

  /// First call, warm-up and, in the protocol that times one side after the other, timed calls.
  void lay_side(const char* side, const char* phase, const Record::Side& calls) {
    std::optional<std::uint64_t> time = start_of(phase);
    if (!time) return;
    lay_next({side, "first call"}, whole(calls.first_call_ns.value_or(0)), *time);
    for (const double ns : calls.warmup_ns) lay_next({side, "warm-up"}, whole(ns), *time);
    if (is_paired()) return;
    for (const double ns : calls.trials_ns) lay_next({side, "call"}, whole(ns), *time);
  }

  void lay_pairs() {
    std::optional<std::uint64_t> time = start_of("time");
    const std::vector<double>& eager = record_.eager.trials_ns;
    const std::vector<double>& plugin = record_.plugin_side.trials_ns;
    if (!time || eager.size() != plugin.size()) return;
    const std::string& backend_first = record_.timing.backend_first;
    for (std::size_t pair = 0; pair < eager.size(); ++pair) {
      const bool is_plugin_first = pair < backend_first.size() && backend_first[pair] == '1';
      if (is_plugin_first) lay_side_sample(kPlugin, plugin[pair], *time);
      lay_side_sample(kEager, eager[pair], *time);
      if (!is_plugin_first) lay_side_sample(kPlugin, plugin[pair], *time);
    }
  }

  void lay_side_sample(const char* side, double call_ns, std::uint64_t& time_ns) {
    const record::SideCounts& counts = record_.timing.calls_per_side_sample;
    const std::int64_t calls = (side == kPlugin ? counts.plugin : counts.eager).value_or(1);
    const std::string name = calls == 1 ? "call" : std::to_string(calls) + " calls";
    lay_next({side, name}, whole(call_ns * static_cast<double>(calls)), time_ns);
  }

  void lay_proof() {
    std::optional<std::uint64_t> time = start_of(kProof);
    if (!time) return;
    const Json& moments = record_.proof.moments;
    for (const char* kind : {"hits", "samples"}) {
      if (moments.contains(kind)) lay_moments(kind, moments[kind], *time);
    }
    if (record_.proof.steps.empty()) return lay_traced_calls(*time);
    for (const auto& [step, ns] : record_.proof.steps) lay_next({kProof, step}, whole(ns), *time);
  }

  /// Of records from before there were steps.
  void lay_traced_calls(std::uint64_t time_ns) {
    const record::Proof& proof = record_.proof;
    constexpr std::int64_t kMostCalls = 100;
    const std::int64_t calls = std::min(kMostCalls, proof.calls.value_or(0));
    const std::uint64_t arm_ns = whole(proof.arm_ns.value_or(0));
    const std::uint64_t call_ns = whole(proof.traced_call_ns.value_or(0));
    for (std::int64_t call = 0; call < calls; ++call) {
      lay_next({kProof, "arming"}, arm_ns, time_ns);
      lay_next({kProof, "traced call"}, call_ns, time_ns);
    }
    lay_next({kProof, "untraced call"}, whole(proof.call_ns.value_or(0)), time_ns);
  }

  /// What was seen when, on a track for each thread; see proof/moments.h.
  void lay_moments(const std::string& kind, const Json& columns, std::uint64_t start_ns) {
    const Json::array_t& times = list_in(columns, "time_ns");
    const Json::array_t& names = list_in(columns, "name");
    const Json::array_t& threads = list_in(columns, "thread");
    const std::size_t count = std::min({times.size(), names.size(), threads.size()});
    for (std::size_t i = 0; i < count; ++i) {
      const Json* name = entry_of(list_in(columns, "names"), names[i]);
      const Json* thread = entry_of(list_in(columns, "threads"), threads[i]);
      if (name == nullptr || !name->is_string() || thread == nullptr) continue;
      SideTrack& side = side_track(kind + ", thread " + std::to_string(whole(*thread)));
      // Not before the one before it, whatever a file holds.
      side.end_ns = std::max(side.end_ns, start_ns + whole(times[i]));
      trace_.add_instant(side.track, {kProof, name->get<std::string>()}, side.end_ns);
    }
  }

  PerfettoTrace& trace_;
  const Record& record_;
  Track own_ = PerfettoTrace::kNoParent;
  std::map<std::string, SideTrack> tracks_;
  std::map<std::string, std::uint64_t> starts_;
  std::uint64_t end_ns_;
};

}  // namespace

PerfettoTrace timeline(const std::vector<Record>& records) {
  PerfettoTrace trace;
  std::uint64_t end_ns = 0;
  for (const Record& record : records) end_ns = RecordLine(trace, record, end_ns).lay();
  return trace;
}

}  // namespace graphnet::report
