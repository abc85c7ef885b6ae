// SPDX-License-Identifier: MIT
#pragma once

#include "journal/worker_message.h"
#include "worker/channel.h"
#include "worker/task_device.h"

namespace graphnet::worker {

/// One sample with one plugin, from its files to its record.
///
/// Phases in order: load, plan, inputs, eager, compile, bind, run, compare, second_weights, time,
/// robustness (the three of protocol `paired`), and proof, after which nothing can be timed. No
/// bind lies between time and proof: what is traced is what was timed. Outputs are kept, and
/// compared with a reference's, before it, also of a sample that failed. The device is opened
/// first, in load. Each is announced before it begins; a sample that does not fit is skipped before
/// anything of its size is allocated. The record is sent after load and after eager, so that a
/// plugin that takes the process down loses nothing of the reference. The plugin is destroyed after
/// the final record.
///
/// `open`: another way to the device of the task, for tests.
void run_session(const journal::Task& task, Channel& channel,
                 const OpenDevice& open = TaskDevice::open);

}  // namespace graphnet::worker
