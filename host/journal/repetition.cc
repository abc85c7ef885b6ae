// SPDX-License-Identifier: MIT
#include "journal/repetition.h"

#include "base/text.h"

namespace graphnet::journal {

namespace {

using base::Json;

std::string short_hash(const std::string& sha256) {
  constexpr std::size_t kShown = 12;
  return sha256.substr(0, kShown);
}

std::string object_text(const Json& object) {
  return object.empty() ? "" : base::dump_json(object);
}

/// Whatever phase came last says nothing about what a comparison of outputs gave.
bool is_compared(const record::Record& record) {
  return record::facts_of(record.outcome.value()).is_compared;
}

void add_if_other(const std::string& name, const std::string& recorded, const std::string& again,
                  std::vector<std::string>& texts) {
  if (recorded == again) return;
  texts.push_back(name + ": " + (again.empty() ? "none" : again) + ", was " +
                  (recorded.empty() ? "none" : recorded));
}

/// Of outputs that both records have digests of.
void add_digests(const record::Record& recorded, const record::Record& again,
                 std::vector<std::string>& texts) {
  for (const char* key : {"eager_outputs", "plugin_outputs"}) {
    const bool is_in_both = recorded.digest.contains(key) && again.digest.contains(key);
    if (!is_in_both || recorded.digest[key] == again.digest[key]) continue;
    texts.push_back(std::string(key) + ": other bits than recorded");
  }
}

}  // namespace

std::string end_of(const record::Record& record) {
  std::string text = record.outcome.text();
  if (is_compared(record)) return text;
  if (!record.phase.empty()) text += " in phase " + record.phase.text();
  const std::string& signal = record.crash.signal;
  return signal.empty() ? text : text + " with " + signal;
}

std::vector<std::pair<std::string, std::string>> conditions_of(const record::Record& record) {
  const record::Environment& environment = record.environment;
  Json settings = record.settings;
  // Whether bits are noted changes no result, and `auto` memory is another number every time.
  settings.erase("digest");
  settings.erase("memory_bytes");
  return {{"sample", short_hash(record.sample_sha256)},
          {"plugin's version", record.plugin_version},
          {"plugin's file", short_hash(record.plugin_sha256)},
          {"plugin's options", object_text(record.plugin_options)},
          {"graphnet", record.graphnet},
          {"libtorch", environment.libtorch},
          {"processor", environment.cpu_model},
          {"instructions", environment.cpu_capability},
          {"kernel", environment.kernel},
          {"memory", environment.memory_bytes ? std::to_string(*environment.memory_bytes) : ""},
          {"device", record.device},
          {"threads", std::to_string(record.threads)},
          {"weights", record.weights},
          {"math", record.math.text()},
          {"protocol", object_text(record.protocol_settings)},
          {"settings", object_text(settings)}};
}

Repetition compare_repetition(const record::Record& recorded, const record::Record& again) {
  Repetition result;
  const std::string& signal_before = recorded.crash.signal;
  const std::string& signal_now = again.crash.signal;
  const bool is_signal_same =
      signal_before.empty() || signal_now.empty() || signal_before == signal_now;
  const bool is_phase_same = is_compared(recorded) || recorded.phase == again.phase;
  result.is_repeated = recorded.outcome == again.outcome && is_phase_same && is_signal_same;
  auto& differences = result.differences;
  add_if_other("message", recorded.message, again.message, differences);
  add_if_other("verdict", recorded.verdict.text(), again.verdict.text(), differences);
  add_if_other("timing", recorded.timing.verdict.text(), again.timing.verdict.text(), differences);
  add_if_other("flags", base::join(texts_of(recorded.flags), ", "),
               base::join(texts_of(again.flags), ", "), differences);
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
