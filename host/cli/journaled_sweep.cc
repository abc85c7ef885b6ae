// SPDX-License-Identifier: MIT
#include "cli/journaled_sweep.h"

#include "base/text.h"
#include "cli/version_text.h"
#include "journal/run_id.h"
#include "journal/worker_message.h"
#include "measure/environment.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Json;
using base::Result;

namespace {

Json journal_header(const Context& context, const PreparedRun& run, const Json& environment) {
  Json header = Json::object();
  header["run_id"] = run.run_id;
  header["created_utc"] = journal::utc_now();
  header["graphnet"] = version_number();
  header["host"] = environment;
  if (run.jobs > 1) header["jobs"] = run.jobs;
  std::vector<std::string> words = context.words;
  if (!words.empty()) words.front() = "graphnet";
  header["command"] = base::shell_command(words);
  return header;
}

/// Settings of the workers of a slot.
Result<supervise::WorkerSettings> worker_settings(const Context& context, const PreparedRun& run,
                                                  int slot) {
  supervise::WorkerSettings settings;
  GN_ASSIGN_OR_RETURN(settings.executable, context.installation.worker_executable());
  auto group = supervise::MemoryGroup::make(slot);
  if (group.is_ok()) settings.group = std::move(group).value();
  settings.share_machine = run.jobs > 1;
  if (!run.devices.empty()) settings.device = run.devices.at(static_cast<std::size_t>(slot));
  if (settings.share_machine)
    settings.mark = std::string(journal::kSlotVariable) + "=" + std::to_string(slot);
  if (run.forks_workers) {
    settings.zygote =
        std::make_shared<supervise::Zygote>(settings.executable, settings.group, settings.mark);
  }
  settings.control_sample = context.installation.control_sample().value_or("");
  return settings;
}

}  // namespace

supervise::PlanSettings plan_settings(const std::string& run_id) {
  supervise::PlanSettings settings;
  settings.run_id = run_id;
  settings.auto_threads = measure::affinity_cores();
  settings.graphnet = version_number();
  // Threads are a part of every task's key by themselves.
  settings.hardware = measure::collect_environment(1).value("hardware_class", "");
  return settings;
}

fs::path default_results(const std::string& run_id) {
  return fs::path("results") / (run_id + ".jsonl");
}

JournaledSweep::JournaledSweep(const PreparedRun& run, std::vector<supervise::WorkerSettings> slots,
                               supervise::Interrupt interrupt, journal::JournalFile journal,
                               Json environment)
    : run_(run),
      interrupt_(std::move(interrupt)),
      slots_(std::move(slots)),
      journal_(std::move(journal)),
      environment_(std::move(environment)) {}

Result<JournaledSweep> JournaledSweep::open(const Context& context, const PreparedRun& run) {
  std::vector<supervise::WorkerSettings> slots;
  for (int i = 0; i < run.jobs; ++i) {
    GN_ASSIGN_OR_RETURN(slots.emplace_back(), worker_settings(context, run, i));
  }
  GN_ASSIGN_OR_RETURN(supervise::Interrupt interrupt, supervise::Interrupt::create());
  Json environment =
      measure::collect_environment(run.plan.empty() ? 1 : run.plan.front().task.threads);
  GN_ASSIGN_OR_RETURN(
      journal::JournalFile journal,
      journal::JournalFile::open(run.results, journal_header(context, run, environment)));
  return JournaledSweep(run, std::move(slots), std::move(interrupt), std::move(journal),
                        std::move(environment));
}

Result<supervise::SweepEnd> JournaledSweep::run(supervise::SweepObserver& observer) {
  return supervise::run_sweep(run_.plan, slots_, interrupt_, journal_, observer);
}

}  // namespace graphnet::cli
