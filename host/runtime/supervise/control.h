// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "journal/control.h"
#include "supervise/run_plan.h"
#include "supervise/worker_process.h"

namespace graphnet::supervise {

/// A control before the first sample, and again after so many.
inline constexpr std::size_t kSamplesPerControl = 50;

/// The task that times eager against itself as `like` times a plugin.
PlannedTask make_control_task(const PlannedTask& like, const std::filesystem::path& sample);

/// Runs a control in a worker of its own.
///
/// errors   kEnvironment: the worker cannot be started, or why it gave no result
base::Result<journal::Control> run_control(const PlannedTask& control,
                                           const WorkerSettings& settings, Interrupt& interrupt,
                                           WorkerObserver& observer);

/// What follows from the experiments of a control.
///
/// errors   kInput if there is none, or one is incomplete
base::Result<journal::Control> summarise_control(const record::Record& record);

}  // namespace graphnet::supervise
