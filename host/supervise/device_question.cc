// SPDX-License-Identifier: MIT
#include "supervise/device_question.h"

#include <utility>

#include "supervise/worker_question.h"

namespace graphnet::supervise {

using base::Json;
using base::Result;
using base::Status;

Status ask_for_device(const std::filesystem::path& executable, const std::string& device,
                      std::chrono::milliseconds limit) {
  WorkerQuestion question;
  question.executable = executable;
  question.flag = "--device";
  question.request = {{"device", device}};
  question.limit = limit;
  Status problem;
  GN_ASSIGN_OR_RETURN(const WorkerAnswers answers,
                      ask_worker(question, [&](std::size_t, Result<Json> answer) {
                        if (!answer.is_ok()) problem = std::move(answer).status();
                      }));
  return answers.problem.is_ok() ? problem : answers.problem;
}

}  // namespace graphnet::supervise
