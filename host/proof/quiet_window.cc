// SPDX-License-Identifier: MIT
#include "proof/quiet_window.h"

#include <chrono>
#include <thread>

#include "proof/findings.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

constexpr int kMostLooks = 10;
constexpr std::chrono::milliseconds kLook{5};

}  // namespace

base::Result<int> wait_until_quiet(ExecuteDeny& witness) {
  for (int look = 1; look <= kMostLooks; ++look) {
    GN_RETURN_IF_ERROR(witness.arm({RegionKind::kDeny}));
    std::this_thread::sleep_for(kLook);
    GN_RETURN_IF_ERROR(witness.disarm());
    if (witness.hits().empty()) return look;
  }
  const Hit noisy = witness.hits().front();
  const Trace trace = name_hits({noisy}, witness.regions());
  std::string function = "a function";
  if (!trace.denied.empty()) function = trace.denied.front().symbol;
  if (!trace.allowed.empty()) function = trace.allowed.front().symbol;
  return base::Status(base::Code::kUnsupported, describe_thread(noisy.thread) + " keeps running " +
                                                    function + " though nobody calls it");
}

}  // namespace graphnet::proof
