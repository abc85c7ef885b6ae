// SPDX-License-Identifier: MIT
// What the supervisor makes of a worker's messages and of its end: the first byte says how many
// bytes arrive at a time, the second how the process ended.
#include "supervise/worker_report.h"

#include <signal.h>

#include <array>

#include "fuzz/promise.h"
#include "supervise/classify.h"
#include "supervise/crash_text.h"

namespace graphnet::fuzz {
namespace {

using supervise::WorkerEnd;
using supervise::WorkerReport;
using supervise::WorkerState;
using Event = WorkerReport::Event;

constexpr std::size_t kMaxLineBytes = 4096;

std::set<std::string> known_phases() {
  return {std::begin(config::kPhases), std::end(config::kPhases)};
}

std::string text_of(const WorkerState& state) {
  const base::Json parts = {
      state.record ? record::to_json(*state.record) : base::Json(),
      state.is_final,
      state.phase.text(),
      state.ask ? base::Json(state.ask->phase.text()) : base::Json(),
      state.step,
      state.no_memory,
      state.crash ? part_to_json(supervise::describe_crash(*state.crash)) : base::Json(),
      state.protocol_error};
  return base::dump_json(parts);
}

void check_event(Event event, const WorkerState& state) {
  expect((event == Event::kFinal) == state.is_final, "a final record is announced");
  expect((event == Event::kBroken) == !state.protocol_error.empty(), "a broken message is named");
  expect(event != Event::kAsk || (state.ask && state.ask->num_bytes.value_or(0) >= 0),
         "what is asked for is known");
  expect(event != Event::kPhase || state.step.empty(), "a phase begins without a step");
  expect(state.phase.empty() || known_phases().count(state.phase.text()) > 0,
         "a phase is a known one");
  expect(state.step.size() <= supervise::kMaxStepBytes, "the name of a step is short");
  expect(!state.is_final || state.record, "a final record is there");
  expect(!state.crash || state.crash->frames.size() <= supervise::kMaxCrashFrames,
         "the report of a crash is short");
  expect(state.protocol_error.size() <= kMaxMessageBytes, "a message is short");
}

/// The state after all of `text`, `step` bytes at a time.
WorkerState read_all(std::string_view text, std::size_t step) {
  WorkerReport report(known_phases(), kMaxLineBytes);
  bool is_over = false;
  while (!text.empty()) {
    report.append(text.substr(0, step));
    text.remove_prefix(std::min(step, text.size()));
    while (const auto event = report.next()) {
      expect(!is_over, "nothing follows the last words");
      check_event(*event, report.state());
      is_over = *event == Event::kFinal || *event == Event::kBroken;
    }
  }
  return report.state();
}

/// One of the ways in which a process ends.
WorkerEnd end_of(const WorkerState& state, unsigned which) {
  WorkerEnd end;
  static_cast<WorkerState&>(end) = state;
  constexpr std::array<int, 4> kSignals = {SIGSEGV, SIGKILL, SIGTERM, SIGABRT};
  if (which % 8 < kSignals.size()) {
    end.exit.signal = kSignals[which % 8];
  } else {
    end.exit.exit_code = static_cast<int>(which % 8) - 4;
  }
  constexpr std::array<WorkerEnd::Stop, 3> kStops = {
      WorkerEnd::Stop::kNone, WorkerEnd::Stop::kTimeLimit, WorkerEnd::Stop::kInterrupt};
  end.stop = state.protocol_error.empty() ? kStops[which / 8 % 3] : WorkerEnd::Stop::kProtocol;
  end.output = "last words\n";
  end.output_bytes = end.output.size();
  return end;
}

void check_record(const WorkerEnd& end) {
  supervise::PlannedTask planned;
  planned.task.plugin_name = "acme";
  planned.task.run_id = "run";
  planned.sample = {"samples/timm/a", "timm/a", "timm"};
  const record::Record record = supervise::classify(planned, end);
  const bool has_result = end.is_final;
  expect(has_result || !record.outcome.empty(), "an outcome is given");
  expect(has_result || record.outcome != record::Outcome::kOk, "an unfinished sample is not ok");
  expect(has_result || !record.message.empty(), "a failure has a message");
  expect(has_result || record.message.size() <= kMaxMessageBytes, "a message is short");
  const base::Json printed = record::to_json(record);
  const auto reread = base::parse_json(base::dump_json(printed), "record");
  expect(reread.is_ok(), "a printed record is JSON");
  const auto again = record::record_from_json(*reread);
  expect(again.is_ok() && base::dump_json(record::to_json(*again)) == base::dump_json(printed),
         "a printed record reads the same");
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  if (size < 2) return 0;
  const std::string_view text = fuzz::as_text(data + 2, size - 2);
  const supervise::WorkerState state = fuzz::read_all(text, std::size_t{data[0]} + 1);
  fuzz::expect(fuzz::text_of(state) == fuzz::text_of(fuzz::read_all(text, size)),
               "pieces make no difference");
  fuzz::check_record(fuzz::end_of(state, data[1]));
  return 0;
}
