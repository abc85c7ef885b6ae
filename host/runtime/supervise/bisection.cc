// SPDX-License-Identifier: MIT
#include "supervise/bisection.h"

#include <utility>

#include "supervise/worker_question.h"

namespace graphnet::supervise {

using base::Json;
using base::Result;
using base::Status;

namespace {

/// Tries cuts of one task.
class CutTrials {
 public:
  CutTrials(const std::filesystem::path& executable, const journal::Task& task,
            std::optional<std::chrono::milliseconds> limit)
      : task_(journal::to_json(task)) {
    const std::string threads = std::to_string(task.threads);
    question_.executable = executable;
    question_.flag = "--cut";
    question_.num_answers = 2;
    question_.environment = {"OMP_NUM_THREADS=" + threads, "MKL_NUM_THREADS=" + threads};
    question_.limit = limit;
  }

  /// 0 nodes: the whole graph.
  Result<CutTrial> run(std::size_t num_nodes) {
    question_.request = {{"task", task_}, {"nodes", num_nodes}};
    Json answer = Json::object();
    Status error;
    GN_ASSIGN_OR_RETURN(WorkerAnswers answers,
                        ask_worker(question_, [&](std::size_t, const Result<Json>& given) {
                          if (given.is_ok()) {
                            answer.update(*given);
                          } else {
                            error = given.status();
                          }
                        }));
    if (!error.is_ok()) return error;
    // Without the first answer it died before any of the plugin's code ran.
    if (answers.count == 0) return std::move(answers.problem);
    CutTrial trial;
    trial.num_all = answer.value("num_nodes", std::size_t{0});
    trial.num_nodes = num_nodes == 0 ? trial.num_all : num_nodes;
    trial.node = answer.value("node", "");
    trial.outcome =
        record::Word<record::Outcome>(answer.value("outcome", name_of(record::Outcome::kCrashed)));
    trial.message = answer.value("message", answers.problem.message());
    return trial;
  }

 private:
  Json task_;
  WorkerQuestion question_;
};

}  // namespace

Result<std::optional<CutTrial>> find_bad_node(const std::filesystem::path& executable,
                                              const journal::Task& task,
                                              std::optional<std::chrono::milliseconds> limit,
                                              const OnTrial& on_trial) {
  CutTrials trials(executable, task, limit);
  GN_ASSIGN_OR_RETURN(CutTrial bad, trials.run(0));
  on_trial(bad);
  if (bad.outcome == record::Outcome::kOk) return std::optional<CutTrial>();
  std::size_t good = 0;
  while (bad.num_nodes - good > 1) {
    GN_ASSIGN_OR_RETURN(CutTrial trial, trials.run(good + (bad.num_nodes - good) / 2));
    on_trial(trial);
    if (trial.outcome == record::Outcome::kOk) {
      good = trial.num_nodes;
    } else {
      bad = std::move(trial);
    }
  }
  return std::optional<CutTrial>(std::move(bad));
}

}  // namespace graphnet::supervise
