// SPDX-License-Identifier: MIT
#include "measure/clock.h"
#include "worker/fresh_inputs.h"
#include "worker/input_evidence.h"
#include "worker/session.h"

namespace graphnet::worker {

namespace {

// Of each side, within this time; a call that takes longer is made once.
constexpr int kCallsAgain = 10;
constexpr std::int64_t kTimeAgainNs = 50'000'000;

base::Status call_again(const measure::SideCalls& side,
                        const std::function<base::Status()>& renew) {
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  for (int i = 0; i < kCallsAgain; ++i) {
    GN_RETURN_IF_ERROR(renew());
    GN_RETURN_IF_ERROR(side.prepare());
    GN_RETURN_IF_ERROR(side.call());
    if (measure::monotonic_raw_ns() - begin_ns > kTimeAgainNs) break;
  }
  return base::Status::ok();
}

}  // namespace

bool Session::follows_inputs() {
  if (!record_.is_ok()) return true;
  enter(record::Phase::kSecondWeights);
  channel_.send_record(record_, /*is_final=*/false);
  const SecondTimingMeans means = {settings_,
                                   [this](const measure::PairedSettings& settings) {
                                     return device_->instruments(settings, task_.threads);
                                   },
                                   [this](int count) { bind_cores(count); },
                                   eager_warmup_.typical_ns()};
  bind_cores(task_.threads);
  const bool follows =
      check_evidence_of_inputs({sample_, arguments_, *eager_, *plugin_}, task_, means, record_);
  if (!follows) judge_service();
  return follows && warm_up_again();
}

// Other weights have been in the caches, and what bind has made anew was used in one call at most.
bool Session::warm_up_again() {
  channel_.begin_step("gn_backend_run");
  bind_cores(task_.threads);
  WarmupInputs inputs(sample_, *eager_);
  base::Status called = call_again(eager_->calls(), inputs.renew());
  if (called.is_ok()) called = call_again(plugin_->calls(), inputs.renew());
  const base::Status restored = inputs.restore();
  cores_.release();
  if (!called.is_ok()) return end_timing(called);
  return restored.is_ok() || end(record::Outcome::kReferenceFailed, restored);
}

}  // namespace graphnet::worker
