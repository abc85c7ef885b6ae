// SPDX-License-Identifier: MIT
#include "journal/repetition.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace graphnet::journal {

namespace {

using base::Json;

std::string short_hash(const std::string& sha256) {
  constexpr std::size_t kShown = 12;
  return sha256.substr(0, kShown);
}

/// A member as text, whatever it is; empty if there is none.
std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : base::dump_json(*found);
}

std::string object_text(const Json& object) {
  return object.empty() ? "" : base::dump_json(object);
}

/// Outcomes that a comparison of outputs gives: whatever phase came last says nothing about them.
bool is_judged(const std::string& outcome) {
  constexpr std::string_view kJudged[] = {
      "ok",        "accuracy_mismatch", "shape_mismatch", "dtype_mismatch", "count_mismatch",
      "non_finite"};
  return std::find(std::begin(kJudged), std::end(kJudged), outcome) != std::end(kJudged);
}

void add_if_other(const std::string& name, const std::string& recorded, const std::string& again,
                  std::vector<std::string>& texts) {
  if (recorded == again) return;
  texts.push_back(name + ": " + (again.empty() ? "none" : again) + ", was " +
                  (recorded.empty() ? "none" : recorded));
}

/// Of outputs that both records have digests of.
void add_digests(const Record& recorded, const Record& again, std::vector<std::string>& texts) {
  for (const char* key : {"eager_outputs", "plugin_outputs"}) {
    const std::string before = text_in(recorded.digest, key);
    const std::string now = text_in(again.digest, key);
    if (before.empty() || now.empty() || before == now) continue;
    texts.push_back(std::string(key) + ": other bits than recorded");
  }
}

}  // namespace

std::string end_of(const Record& record) {
  if (is_judged(record.outcome)) return record.outcome;
  std::string text = record.outcome;
  if (!record.phase.empty()) text += " in phase " + record.phase;
  const std::string signal = text_in(record.crash, "signal");
  return signal.empty() ? text : text + " with " + signal;
}

std::vector<std::pair<std::string, std::string>> conditions_of(const Record& record) {
  const Json& environment = record.environment;
  Json settings = record.settings;
  // Whether bits are noted changes no result, and `auto` memory is another number every time.
  settings.erase("digest");
  settings.erase("memory_bytes");
  return {{"sample", short_hash(record.sample_sha256)},
          {"plugin's version", record.plugin_version},
          {"plugin's file", short_hash(record.plugin_sha256)},
          {"plugin's options", object_text(record.plugin_options)},
          {"graphnet", record.graphnet},
          {"libtorch", text_in(environment, "libtorch")},
          {"processor", text_in(environment, "cpu_model")},
          {"instructions", text_in(environment, "cpu_capability")},
          {"kernel", text_in(environment, "kernel")},
          {"memory", text_in(environment, "memory_bytes")},
          {"device", record.device},
          {"threads", std::to_string(record.threads)},
          {"weights", record.weights},
          {"math", record.math.text()},
          {"protocol", object_text(record.protocol_settings)},
          {"settings", object_text(settings)}};
}

Repetition compare_repetition(const Record& recorded, const Record& again) {
  Repetition result;
  const std::string signal_before = text_in(recorded.crash, "signal");
  const std::string signal_now = text_in(again.crash, "signal");
  const bool is_signal_same =
      signal_before.empty() || signal_now.empty() || signal_before == signal_now;
  const bool is_phase_same = is_judged(recorded.outcome) || recorded.phase == again.phase;
  result.is_repeated = recorded.outcome == again.outcome && is_phase_same && is_signal_same;
  auto& differences = result.differences;
  add_if_other("message", recorded.message, again.message, differences);
  add_if_other("verdict", recorded.verdict, again.verdict, differences);
  add_if_other("timing", text_in(recorded.timing, "verdict"), text_in(again.timing, "verdict"),
               differences);
  add_if_other("flags", base::join(recorded.flags, ", "), base::join(again.flags, ", "),
               differences);
  add_digests(recorded, again, differences);
  const auto before = conditions_of(recorded);
  const auto now = conditions_of(again);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].second.empty() || now[i].second.empty()) continue;
    add_if_other(before[i].first, before[i].second, now[i].second, result.conditions);
  }
  return result;
}

}  // namespace graphnet::journal
