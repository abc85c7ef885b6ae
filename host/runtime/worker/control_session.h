// SPDX-License-Identifier: MIT
#pragma once

#include "journal/worker_message.h"
#include "worker/channel.h"

namespace graphnet::worker {

/// Times eager against itself on the task's sample, several times under the task's protocol, each
/// time for 0.3 s. No plugin is loaded; cores, contents and watches are those of timed pairs.
///
/// The final record's `timing` is {"experiments": [{"speedup", "speedup_low", "speedup_high",
/// "pairs"}, ...]}; its outcome is ok, or says what is wrong with sample or engine.
void run_control(const journal::Task& task, Channel& channel);

}  // namespace graphnet::worker
