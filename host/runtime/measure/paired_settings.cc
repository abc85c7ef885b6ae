// SPDX-License-Identifier: MIT
#include "measure/paired_settings.h"

#include <limits>
#include <string>
#include <type_traits>

namespace graphnet::measure {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kCacheNames[] = {"hot", "cold", "both"};

Status wrong(const std::string& key, const char* what) {
  return {Code::kInput, "paired settings: '" + key + "' " + what};
}

/// Takes values out of an object; what is left at the end was not known.
class Reader {
 public:
  explicit Reader(const Json& json) : rest_(json) {}

  template <typename T>
  Reader& read(const char* key, T& target) {
    const auto value = rest_.find(key);
    if (!status_.is_ok()) return *this;
    if (value == rest_.end()) {
      status_ = wrong(key, "is missing");
      return *this;
    }
    status_ = take(key, *value, target);
    rest_.erase(key);
    return *this;
  }

  Status finish() {
    GN_RETURN_IF_ERROR(status_);
    return rest_.empty() ? Status::ok() : wrong(rest_.begin().key(), "is not known");
  }

 private:
  static Status take(const char* key, const Json& value, bool& target) {
    if (!value.is_boolean()) return wrong(key, "must be a boolean");
    target = value.get<bool>();
    return Status::ok();
  }
  static Status take(const char* key, const Json& value, double& target) {
    if (!value.is_number()) return wrong(key, "must be a number");
    target = value.get<double>();
    return target >= 0 ? Status::ok() : wrong(key, "is negative");
  }
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  static Status take(const char* key, const Json& value, T& target) {
    if (!value.is_number_integer()) return wrong(key, "must be an integer");
    const auto number = value.get<std::int64_t>();
    if (number < 0) return wrong(key, "is negative");
    if (static_cast<std::uint64_t>(number) >
        static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
      return wrong(key, "is too large");
    }
    target = static_cast<T>(number);
    return Status::ok();
  }
  static Status take(const char* key, const Json& value, CacheMode& target) {
    for (const CacheMode mode : {CacheMode::kHot, CacheMode::kCold, CacheMode::kBoth}) {
      if (value != cache_mode_name(mode)) continue;
      target = mode;
      return Status::ok();
    }
    return wrong(key, "must be hot, cold or both");
  }

  Json rest_;
  Status status_;
};

}  // namespace

Result<PairedSettings> paired_settings(const Json& json) {
  if (!json.is_object()) return Status(Code::kInput, "paired settings: not an object");
  PairedSettings settings;
  Reader reader(json);
  reader.read("half_width", settings.half_width)
      .read("margin", settings.margin)
      .read("confidence", settings.confidence)
      .read("max_width", settings.max_width)
      .read("first_look", settings.first_analysis)
      .read("max_pairs", settings.max_pairs)
      .read("time_ns", settings.time_ns)
      .read("long_call_pairs", settings.long_call_pairs)
      .read("long_call_time_ns", settings.long_call_time_ns)
      .read("fewest_pairs", settings.fewest_pairs)
      .read("warmup_calls", settings.warmup_calls)
      .read("warmup_change", settings.warmup_change)
      .read("warmup_time_ns", settings.warmup_time_ns)
      .read("settle_below_ns", settings.settle_below_ns)
      .read("cache", settings.cache)
      .read("flush_bytes", settings.flush_bytes)
      .read("idle_wait_ns", settings.idle_wait_ns)
      .read("affinity", settings.affinity)
      .read("disturbed_share", settings.disturbed_share)
      .read("max_steal", settings.max_steal)
      .read("max_dropped", settings.max_dropped)
      .read("max_waited", settings.max_waited)
      .read("remeasure", settings.remeasure)
      .read("quiet_wait_ns", settings.quiet_wait_ns)
      .read("seed", settings.seed)
      .read("replay", settings.replay);
  GN_RETURN_IF_ERROR(reader.finish());
  if (settings.confidence >= 1) return wrong("confidence", "must be less than 1");
  if (settings.max_pairs < 1 || settings.first_analysis < 1 || settings.fewest_pairs < 1) {
    return wrong("max_pairs", "and its like must be at least 1");
  }
  return settings;
}

const char* cache_mode_name(CacheMode cache) {
  return kCacheNames[static_cast<std::size_t>(cache)];
}

std::vector<PairedSettings> passes(const PairedSettings& settings) {
  if (settings.cache != CacheMode::kBoth) return {settings};
  std::vector<PairedSettings> both(2, settings);
  both[0].cache = CacheMode::kHot;
  both[1].cache = CacheMode::kCold;
  return both;
}

}  // namespace graphnet::measure
