// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "journal/control.h"
#include "supervise/run_plan.h"
#include "supervise/worker_run.h"

namespace graphnet::supervise {

/// A control before the first sample, and again after so many.
inline constexpr std::size_t kSamplesPerControl = 50;

/// Whether a control comes before the task that is number `index` of a sweep.
bool is_control_due(std::size_t index, const PlannedTask& planned, const WorkerSettings& settings);

/// The task that times eager against itself as `like` times a plugin.
PlannedTask make_control_task(const PlannedTask& like, const std::filesystem::path& sample);

/// The result of a control's worker.
///
/// errors   kEnvironment: why it found nothing; as summarise_control()
base::Result<journal::Control> control_of(const PlannedTask& control, const WorkerEnd& end);

/// Summary of the experiments of a control.
///
/// errors   kInput if there is none, or one is incomplete
base::Result<journal::Control> summarise_control(const record::Record& record);

}  // namespace graphnet::supervise
