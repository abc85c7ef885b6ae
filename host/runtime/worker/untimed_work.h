// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/json.h"
#include "measure/paired_result.h"
#include "worker/eager_side.h"
#include "worker/eager_standby.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// Times of the host's own steps around a call before any code of a plugin is in the process.
///
/// units    nanoseconds a call, medians; 0: not known
struct HostSteps {
  double around_ns = 0;        ///< output buffers, new content, the way to the clock and from it
  double copy_ns = 0;          ///< all outputs copied
  double reading_ns = 0;       ///< of the counters, once a side sample
  bool are_on_device = false;  ///< copies to a device and waits for it
};

/// Takes the steps from eager's warm-up, and copies eager's outputs after each of a few calls,
/// after one if calls are long.
///
/// order    after eager's warm-up, before the plugin is loaded
base::Result<HostSteps> measure_host_steps(const measure::Warmup& eager_warmup, EagerSide& eager);

/// Whether a step takes so much longer with the plugin that it must contain work of the plugin's
/// calls. Three limits must be exceeded: a tenth of a call, `slack` of the step's earlier time
/// (caches are colder beside a plugin), and 2 microseconds (a trap alone takes one).
bool is_untimed_work(double before_ns, double with_plugin_ns, double call_ns, double slack);

/// Gives a median in nanoseconds, or nothing.
using AskSteps = std::function<std::optional<double>()>;

/// Who is asked before steps are flagged; each may be empty.
struct SecondLooks {
  AskSteps without_plugin;  ///< around eager's calls in a process without the plugin
  AskSteps in_more_pairs;   ///< around the plugin's calls in a few more pairs
};

/// Compares the steps around the plugin's timed calls with those from before it was loaded. Plugin
/// code that runs in such a step is not timed: for example the handler of a trap on the inputs, on
/// the clock or on pages of the outputs. Up to 2 us by which the same steps of eager's became
/// longer, too, are taken for the machine's; on a device up to 60 us and the steps' earlier time:
/// waiting for all streams of a context takes the longer the more a plugin has made (20 us, and 42
/// us beside XLA on an H100), and copies from the host's memory vary by a third.
///
/// A machine may be slow for as long as the pairs take. Then the same steps are as long around
/// eager's calls, and in a process without the plugin: steps that are no longer than both are not
/// flagged. Nor are they if they are short in one of three looks at more pairs: the machine may be
/// fast again before that process is asked. Then the steps are long in the pairs only.
///
/// Copies of outputs may take twice what copies of eager's took before. On top comes what copies of
/// eager's became longer by in the pairs, up to 6 us or 0.7 times what they took before: a plugin
/// could slow these. The kernel finds closed pages (kernel_copy.h); a plugin that traps the host's
/// system calls still runs code there.
///
/// | flag           | means                                                                    |
/// |----------------|--------------------------------------------------------------------------|
/// | `untimed_work` | the host's steps around timed calls take longer than before the plugin   |
///
/// shapes   copies_ns: of either side's outputs in checked calls; not as many on both sides
///          report: {"around_ns": {"before", "eager", "plugin", "reading", "without_plugin",
///          "in_more_pairs"}, "copy_ns": {"before", "eager", "plugin"}}; the last two of the steps
///          if they were asked and had an answer
SecondLook check_untimed_work(const HostSteps& before, const measure::PairedResult& result,
                              const measure::PerSide<std::vector<double>>& copies_ns,
                              base::Json& report, const SecondLooks& looks = {});

/// The steps around the plugin's calls (measure::larger_median).
double plugin_steps_ns(const measure::PairedResult& result);

/// The steps around eager's calls in a process without the plugin; nothing if there is none (null)
/// or it has ended. `settle` as EagerStandby::time_call().
std::optional<double> steps_without_plugin(EagerStandby* standby, bool settle);

}  // namespace graphnet::worker
