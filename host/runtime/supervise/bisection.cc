// SPDX-License-Identifier: MIT
#include "supervise/bisection.h"

#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "supervise/ask_worker.h"

namespace graphnet::supervise {

using base::FieldReader;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Runs the plugin of one task on the first nodes of its graph.
class BisectionTrials {
 public:
  BisectionTrials(AskSettings settings, const journal::Task& task)
      : settings_(std::move(settings)), task_(journal::to_json(task)) {}

  /// Asks for the nodes of the graph.
  Status list_nodes() {
    GN_ASSIGN_OR_RETURN(const Json answer,
                        ask_worker(settings_, "bisect_nodes", {{"task", task_}}));
    FieldReader fields(answer);
    fields.require("nodes").read("nodes", nodes_);
    if (nodes_.empty() && fields.status().is_ok()) {
      return Status(base::Code::kInput, "the graph has no nodes");
    }
    return fields.status();
  }

  std::size_t num_nodes() const { return nodes_.size(); }

  Result<BisectionTrial> run(std::size_t num_nodes) {
    GN_ASSIGN_OR_RETURN(AnsweringWorker worker, AnsweringWorker::start(settings_));
    const Result<Json> answer = worker.ask("bisect_trial", {{"task", task_}, {"nodes", num_nodes}});
    BisectionTrial trial;
    trial.num_all = nodes_.size();
    trial.num_nodes = num_nodes;
    trial.node = nodes_[num_nodes - 1];
    if (answer.is_ok()) {
      std::string outcome;
      FieldReader fields(*answer);
      fields.require("outcome").read("outcome", outcome).read("message", trial.message);
      GN_RETURN_IF_ERROR(fields.status());
      trial.outcome = record::Word<record::Outcome>(outcome);
      return trial;
    }
    if (worker.is_alive()) return answer.status();
    trial.outcome = record::Outcome::kCrashed;
    trial.message = answer.status().message();
    return trial;
  }

 private:
  AskSettings settings_;
  Json task_;
  std::vector<std::string> nodes_;
};

}  // namespace

Result<std::optional<BisectionTrial>> find_bad_node(const std::filesystem::path& executable,
                                                    const journal::Task& task,
                                                    std::optional<std::chrono::milliseconds> limit,
                                                    const OnTrial& on_trial) {
  AskSettings settings;
  settings.executable = executable;
  settings.limit = limit;
  settings.threads = task.threads;
  BisectionTrials trials(settings, task);
  GN_RETURN_IF_ERROR(trials.list_nodes());
  GN_ASSIGN_OR_RETURN(BisectionTrial bad, trials.run(trials.num_nodes()));
  on_trial(bad);
  if (bad.outcome == record::Outcome::kOk) return std::optional<BisectionTrial>();
  std::size_t good = 0;
  while (bad.num_nodes - good > 1) {
    GN_ASSIGN_OR_RETURN(BisectionTrial trial, trials.run(good + (bad.num_nodes - good) / 2));
    on_trial(trial);
    if (trial.outcome == record::Outcome::kOk) {
      good = trial.num_nodes;
    } else {
      bad = std::move(trial);
    }
  }
  return std::optional<BisectionTrial>(std::move(bad));
}

}  // namespace graphnet::supervise
