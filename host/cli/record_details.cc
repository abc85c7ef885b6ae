// SPDX-License-Identifier: MIT
#include "cli/record_details.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/text.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

std::string indented(const std::string& text) {
  std::string result;
  for (const std::string& line : base::split(text, '\n')) {
    result += "    " + report::printable(line) + "\n";
  }
  return result;
}

std::string line(const char* key, const std::string& value) {
  if (value.empty()) return "";
  return "  " + report::pad_right(key, 10) + report::printable(value) + "\n";
}

std::string phases_text(const record::Record& record) {
  std::vector<std::string> parts;
  for (const auto& [phase, taken] : record.phases_ns.items()) {
    if (taken.is_number())
      parts.push_back(phase + " " + base::format_duration(taken.get<double>()));
  }
  return base::join(parts, ", ");
}

std::string timing_text(const record::Record& record) {
  const record::Timing& timing = record.timing;
  if (!timing.has_pairs()) return "";
  std::vector<std::string> parts;
  const auto kept = static_cast<std::size_t>(timing.pairs_kept.value_or(0));
  parts.push_back(base::counted(kept, "pair") + ", " +
                  std::to_string(timing.pairs_dropped.value_or(0)) + " dropped");
  if (!timing.stop.empty()) parts.push_back("stopped by " + timing.stop);
  if (!timing.unstable_because.empty()) parts.push_back("unstable: " + timing.unstable_because);
  const auto given_up = static_cast<std::size_t>(timing.idle_timeouts.value_or(0));
  if (given_up > 0) {
    parts.push_back(base::counted(given_up, "side sample") + " began while other threads ran");
  }
  if (timing.noise_floor) {
    char text[48];
    std::snprintf(text, sizeof text, "noise floor %.2f %%", 100 * *timing.noise_floor);
    parts.emplace_back(text);
  }
  return base::join(parts, "; ");
}

std::string bytes_text(const std::optional<std::int64_t>& bytes) {
  return bytes ? base::format_bytes(static_cast<unsigned long long>(*bytes)) : "";
}

std::string graph_text(const record::Plan& plan) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) parts.push_back(what + value);
  };
  add("arguments ", bytes_text(plan.argument_bytes));
  add("outputs ", bytes_text(plan.output_bytes));
  add("live at most ", bytes_text(plan.peak_live_bytes));
  if (plan.flop) {
    char text[48];
    std::snprintf(text, sizeof text, "%.4g GFLOP a call", *plan.flop / 1e9);
    parts.emplace_back(text);
  }
  return base::join(parts, ", ");
}

/// "key=value, ..." of a flat object.
std::string members_text(const base::Json& object) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object.items()) parts.push_back(key + "=" + base::text_of(value));
  return base::join(parts, ", ");
}

/// What the compiler was given, and what it says of what it made.
std::string compiler_text(const record::Record& record) {
  return line("plugin", record.plugin + " " + record.plugin_version + ", " + record.plugin_library +
                            ", sha256 " + record.plugin_sha256.substr(0, 16)) +
         line("options", members_text(record.plugin_options)) + line("weights", record.weights) +
         line("math", record.math.is_default() ? "" : record.math.text()) +
         line("graph", graph_text(record.plan)) +
         line("info", members_text(record.plugin_info)) +  //
         line("verdict", record.verdict.text()) +
         line("flags", base::join(texts_of(record.flags), ", ")) + line("repeat", record.command);
}

std::string crash_text(const record::Record& record) {
  std::string text;
  if (!record.crash.frames.empty()) {
    text += "  crashed in:\n";
    for (const std::string& frame : record.crash.frames) text += indented(frame);
  }
  if (!record.output_tail.empty()) text += "  last output:\n" + indented(record.output_tail);
  return text;
}

}  // namespace

std::string record_details(const record::Record& record, int verbosity) {
  if (verbosity == 0) return "";
  std::string text = line("phases", phases_text(record)) + line("timing", timing_text(record)) +
                     line("memory", bytes_text(record.peak_rss_bytes));
  for (const std::string& note : record.notes) text += line("note", note);
  if (verbosity > 1) text += compiler_text(record);
  text += crash_text(record);
  if (text.empty()) return "";
  return report::printable(record.sample) + " " + report::printable(record.backend_name()) + ":\n" +
         text;
}

}  // namespace graphnet::cli
