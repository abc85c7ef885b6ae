// SPDX-License-Identifier: MIT
#include "record/parts.h"

#include <algorithm>

namespace graphnet::record {

namespace {

constexpr const char* kNotTried = "not tried";
constexpr const char* kNoSecondWeights = "not_tried";
constexpr const char* kIllConditioned = "ill_conditioned";
constexpr const char* kOtherSeed = "seed";

}  // namespace

bool Timing::has_pairs() const {
  if (!verdict.empty() || speedup_low) return true;
  bool found = !rest.empty();
  visit(*this, [&](const std::string& key, const auto& field) {
    const bool is_of_calls = key == kEventNs || key == kEventMedianNs;
    found = found || (!is_of_calls && !give(field).is_null());
  });
  return found;
}

Word<Outcome> OtherInput::not_tried(const std::string& why) {
  return Word<Outcome>(kNotTried + (": " + why));
}

bool OtherInput::was_tried() const {
  return outcome.text().rfind(kNotTried, 0) != 0;
}

Word<Outcome> OtherInput::ill_conditioned() {
  return Word<Outcome>(kIllConditioned);
}

bool OtherInput::has_failed() const {
  return was_tried() && outcome != Outcome::kOk && outcome != ill_conditioned();
}

bool OtherInput::is_other_seed() const {
  return content.rfind(kOtherSeed, 0) == 0;
}

Word<Outcome> SecondWeights::not_tried() {
  return Word<Outcome>(kNoSecondWeights);
}

bool Checks::accepts_indices(std::size_t output) const {
  if (!indices.is_array() || output >= indices.size() || !indices[output].is_object()) return false;
  const auto accepted = indices[output].find("accepted");
  return accepted != indices[output].end() && *accepted == true;
}

bool Checks::accepts_distribution(std::size_t output) const {
  return std::any_of(random.begin(), random.end(), [&](const RandomOutput& judged) {
    return judged.output == static_cast<std::int64_t>(output) && judged.same_distribution == true;
  });
}

std::optional<double> Roofline::share(const std::optional<double>& call_ns) const {
  if (!limit_ns || !call_ns || !(*call_ns > 0)) return std::nullopt;
  return *limit_ns / *call_ns;
}

}  // namespace graphnet::record
