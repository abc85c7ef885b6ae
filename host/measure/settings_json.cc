// SPDX-License-Identifier: MIT
#include "measure/settings_json.h"

#include <string>

namespace graphnet::measure {

namespace {

// One line per field, for both directions.
template <typename Settings, typename Visit>
void visit_fields(Settings& settings, Visit visit) {
  visit("half_width", settings.half_width);
  visit("margin", settings.margin);
  visit("confidence", settings.confidence);
  visit("first_look", settings.first_look);
  visit("max_pairs", settings.max_pairs);
  visit("time_ns", settings.time_ns);
  visit("long_call_pairs", settings.long_call_pairs);
  visit("long_call_time_ns", settings.long_call_time_ns);
  visit("fewest_pairs", settings.fewest_pairs);
  visit("settle_below_ns", settings.settle_below_ns);
  visit("warmup_calls", settings.warmup_calls);
  visit("warmup_change", settings.warmup_change);
  visit("warmup_time_ns", settings.warmup_time_ns);
  visit("flush_bytes", settings.flush_bytes);
  visit("clock_share", settings.clock_share);
  visit("disturbed_share", settings.disturbed_share);
  visit("max_dropped", settings.max_dropped);
  visit("max_steal", settings.max_steal);
  visit("max_width", settings.max_width);
  visit("remeasure", settings.remeasure);
  visit("quiet_wait_ns", settings.quiet_wait_ns);
  visit("idle_wait_ns", settings.idle_wait_ns);
  visit("seed", settings.seed);
}

}  // namespace

base::Json to_json(const PairedSettings& settings) {
  base::Json json = base::Json::object();
  visit_fields(settings, [&](const char* key, const auto& value) { json[key] = value; });
  json["cache"] = settings.cache == CacheMode::kCold ? "cold" : "hot";
  return json;
}

base::Result<PairedSettings> paired_settings_from_json(const base::Json& json) {
  PairedSettings settings;
  const auto mistyped = [](const std::string& key) {
    return base::Status(base::Code::kInput, "protocol setting '" + key + "' has the wrong type");
  };
  std::string wrong;
  visit_fields(settings, [&](const char* key, auto& value) {
    const auto found = json.find(key);
    if (found == json.end()) return;
    using Field = std::remove_reference_t<decltype(value)>;
    const bool fits = std::is_same_v<Field, bool> ? found->is_boolean() : found->is_number();
    if (fits) {
      value = found->template get<Field>();
    } else if (wrong.empty()) {
      wrong = key;
    }
  });
  if (!wrong.empty()) return mistyped(wrong);
  if (const auto cache = json.find("cache"); cache != json.end()) {
    if (*cache != "hot" && *cache != "cold") return mistyped("cache");
    settings.cache = *cache == "cold" ? CacheMode::kCold : CacheMode::kHot;
  }
  return settings;
}

}  // namespace graphnet::measure
