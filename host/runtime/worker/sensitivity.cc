// SPDX-License-Identifier: MIT
#include "worker/sensitivity.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "measure/clock.h"
#include "measure/disturbance.h"
#include "measure/paired_settings.h"
#include "sample/content.h"
#include "verify/staleness.h"

namespace graphnet::worker {

using base::Json;
using base::Result;
using base::Status;
using verify::Following;

namespace {

// Of eager's change.
constexpr double kStays = 0.5;

Result<double> time_once(const std::function<Status()>& call) {
  const measure::DisturbanceMeter meter(/*counts_others=*/true);
  const measure::DisturbanceCounters before = meter.read();
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  GN_RETURN_IF_ERROR(call());
  const std::int64_t end_ns = measure::monotonic_raw_ns();
  return measure::unwaited_ns(before, meter.read(), static_cast<double>(end_ns - begin_ns),
                              measure::PairedSettings().disturbed_share);
}

const char* name_of(Following following) {
  if (following == Following::kUnvaried) return "unvaried";
  return following == Following::kFollows ? "follows" : "stale";
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", share * 100);
  return text;
}

void add_change(base::DType dtype, double change, Json entry, Sensitivity& result) {
  result.is_sensitive = result.is_sensitive || verify::is_sensitive(dtype, change);
  Json& json = result.json;
  const bool is_first = json["outputs"].empty();
  json["best"] = is_first ? change : std::max(json["best"].get<double>(), change);
  json["worst"] = is_first ? change : std::min(json["worst"].get<double>(), change);
  json["sensitive"] = result.is_sensitive;
  json["outputs"].push_back(std::move(entry));
}

Sensitivity nothing_yet() {
  Sensitivity result;
  result.json = {{"seed", kOtherInputsSeed},
                 {"best", 0.0},
                 {"worst", 0.0},
                 {"sensitive", false},
                 {"outputs", Json::array()}};
  return result;
}

}  // namespace

Result<bool> on_other_inputs(const ComparedSample& compared, const std::function<Status()>& body,
                             std::uint32_t seed) {
  GN_ASSIGN_OR_RETURN(auto variants,
                      sample::ContentVariants::create(compared.sample.metas, compared.arguments,
                                                      compared.eager.engine().pinned_arguments()));
  GN_ASSIGN_OR_RETURN(const bool differs, variants.apply(sample::Content::kOtherSeed, seed));
  if (!differs) return false;
  const DeviceArguments& on_device = compared.eager.arguments();
  const auto update = [&] {
    for (const auto& variable : variants.variable()) {
      GN_RETURN_IF_ERROR(on_device.update(variable.index));
    }
    return Status::ok();
  };
  Status called = update();
  if (called.is_ok()) called = body();
  variants.restore();
  const Status restored = update();
  GN_RETURN_IF_ERROR(called);
  GN_RETURN_IF_ERROR(restored);
  return true;
}

Result<double> run_eager(const ComparedSample& compared, std::vector<KeptOutput>& outputs) {
  GN_RETURN_IF_ERROR(compared.eager.prepare());
  GN_ASSIGN_OR_RETURN(const double ns, time_once([&] { return compared.eager.run(); }));
  GN_RETURN_IF_ERROR(compared.eager.copy_outputs(outputs));
  return ns;
}

Result<double> run_plugin(const ComparedSample& compared, std::vector<KeptOutput>& outputs) {
  GN_RETURN_IF_ERROR(compared.eager.prepare());
  GN_RETURN_IF_ERROR(compared.plugin.prepare_outputs());
  compared.plugin.announce_calls();
  const measure::SideCalls plugin = compared.plugin.plugin_calls();
  GN_ASSIGN_OR_RETURN(const double ns, time_once(plugin.call));
  GN_RETURN_IF_ERROR(compared.plugin.copy_outputs(outputs));
  return ns;
}

Sensitivity sensitivity_of(const std::vector<KeptOutput>& before,
                           const std::vector<KeptOutput>& after) {
  Sensitivity result = nothing_yet();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double change =
        verify::relative_change(verify::view_of(before[i]), verify::view_of(after[i]));
    add_change(before[i].dtype, change, {{"eager", change}}, result);
  }
  return result;
}

Sensitivity sensitivity_of(const OutputsOnTwo& outputs) {
  Sensitivity result = nothing_yet();
  const auto errors =
      verify::compare_outputs(views(outputs.eager_before), views(outputs.plugin_before)).outputs;
  for (std::size_t i = 0; i < outputs.eager_before.size(); ++i) {
    const verify::FourViews four = {
        verify::view_of(outputs.eager_before[i]), verify::view_of(outputs.eager_after[i]),
        verify::view_of(outputs.plugin_before[i]), verify::view_of(outputs.plugin_after[i])};
    const auto change = verify::compare_changes(four, errors[i].relative_rms.value_or(0));
    add_change(four.eager_before.dtype, change.eager,
               {{"eager", change.eager},
                {"unfollowed", change.unfollowed},
                {"following", name_of(change.following)}},
               result);
    result.is_followed = result.is_followed || change.following == Following::kFollows;
    if (change.following != Following::kStale || !result.stale.empty()) continue;
    result.stays = change.moved < kStays;
    result.stale =
        "output " + std::to_string(i + 1) + " of " + std::to_string(outputs.eager_before.size()) +
        " does not follow its inputs: eager's changes by " + percent(change.eager) +
        " between two seeds, the plugin's lacks " + percent(change.unfollowed) + " of that change";
  }
  result.is_followed = result.is_followed && result.stale.empty();
  return result;
}

}  // namespace graphnet::worker
