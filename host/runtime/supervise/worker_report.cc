// SPDX-License-Identifier: MIT
#include "supervise/worker_report.h"

#include <utility>

#include "base/field_reader.h"
#include "base/text.h"

namespace graphnet::supervise {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using Event = WorkerReport::Event;

std::optional<Event> WorkerReport::next() {
  if (is_over()) return std::nullopt;
  if (const auto line = lines_.next_line()) {
    const Result<Event> event = take(*line);
    return event.is_ok() ? *event : broken(event.status().message());
  }
  if (!lines_.is_overlong()) return std::nullopt;
  return broken("a message is longer than " + base::format_bytes(max_line_bytes_));
}

Event WorkerReport::broken(const std::string& what) {
  state_.protocol_error = what;
  return Event::kBroken;
}

Result<Event> WorkerReport::take(const std::string& line) {
  GN_ASSIGN_OR_RETURN(const Json message, base::parse_json(line, "worker message"));
  const auto event = message.is_object() ? message.find("event") : message.end();
  if (event == message.end() || !event->is_string()) {
    return Status(Code::kPlugin, "a message has no event");
  }
  if (*event == "phase") return enter_phase(message);
  if (*event == "record") return keep_record(message);
  if (*event == "ask") return ask_for_phase(message);
  if (*event == "step") return enter_step(message);
  if (*event == "memory") {
    state_.no_memory = true;
    return Event::kMemory;
  }
  if (*event == "crash") return begin_crash(message);
  if (*event == "frame") return add_frame(message);
  return Status(Code::kPlugin, "a message has an unknown event");
}

Result<record::Word<record::Phase>> WorkerReport::phase_in(const Json& message) const {
  const auto phase = message.find("phase");
  if (phase == message.end() || !phase->is_string() ||
      phases_.count(phase->get<std::string>()) == 0) {
    return Status(Code::kPlugin, "a message names an unknown phase");
  }
  return record::Word<record::Phase>(phase->get<std::string>());
}

Result<Event> WorkerReport::enter_phase(const Json& message) {
  GN_ASSIGN_OR_RETURN(state_.phase, phase_in(message));
  state_.step.clear();
  state_.ask.reset();
  return Event::kPhase;
}

Result<Event> WorkerReport::ask_for_phase(const Json& message) {
  WorkerState::Ask ask;
  GN_ASSIGN_OR_RETURN(ask.phase, phase_in(message));
  base::FieldReader fields(message);
  fields.read("bytes", ask.num_bytes);
  if (state_.ask || !fields.status().is_ok() || ask.num_bytes.value_or(0) < 0) {
    return Status(Code::kPlugin, "a message asks for a phase at the wrong time");
  }
  state_.ask = std::move(ask);
  return Event::kAsk;
}

Result<Event> WorkerReport::enter_step(const Json& message) {
  const auto step = message.find("step");
  if (step == message.end() || !step->is_string()) {
    return Status(Code::kPlugin, "a message names no step");
  }
  state_.step = step->get<std::string>().substr(0, kMaxStepBytes);
  return Event::kStep;
}

Result<Event> WorkerReport::begin_crash(const Json& message) {
  base::FieldReader fields(message);
  Crash crash;
  fields.require("signal").read("signal", crash.signal).read("address", crash.address);
  if (!fields.status().is_ok() || crash.address.size() > kMaxStepBytes) {
    return Status(Code::kPlugin, "the report of a crash is malformed");
  }
  state_.crash = std::move(crash);
  return Event::kCrash;
}

Result<Event> WorkerReport::add_frame(const Json& message) {
  base::FieldReader fields(message);
  Crash::Frame frame;
  std::optional<std::int64_t> offset;
  fields.require("address").read("address", frame.address);
  fields.read("module", frame.module).read("offset", offset);
  if (!state_.crash || !fields.status().is_ok() || offset.value_or(0) < 0 ||
      frame.address.size() > kMaxStepBytes || frame.module.size() > kMaxModuleBytes) {
    return Status(Code::kPlugin, "the report of a crash is malformed");
  }
  frame.is_mapped = offset.has_value();
  frame.offset = static_cast<std::uint64_t>(offset.value_or(0));
  if (state_.crash->frames.size() < kMaxCrashFrames) state_.crash->frames.push_back(frame);
  return Event::kFrame;
}

Result<Event> WorkerReport::keep_record(const Json& message) {
  const auto record = message.find("record");
  const auto is_final = message.find("final");
  if (record == message.end() || is_final == message.end() || !is_final->is_boolean()) {
    return Status(Code::kPlugin, "a record message is incomplete");
  }
  GN_ASSIGN_OR_RETURN(state_.record, record::record_from_json(*record));
  state_.is_final = is_final->get<bool>();
  return state_.is_final ? Event::kFinal : Event::kRecord;
}

}  // namespace graphnet::supervise
