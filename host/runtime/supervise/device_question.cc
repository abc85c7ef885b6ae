// SPDX-License-Identifier: MIT
#include "supervise/device_question.h"

#include <utility>

#include "supervise/worker_question.h"

namespace graphnet::supervise {

using base::Json;
using base::Result;
using base::Status;

namespace {

Result<Json> ask_about(const char* flag, const std::filesystem::path& executable,
                       const std::string& device, std::chrono::milliseconds limit) {
  WorkerQuestion question;
  question.executable = executable;
  question.flag = flag;
  question.request = {{"device", device}};
  question.limit = limit;
  Result<Json> answered = Json();
  GN_ASSIGN_OR_RETURN(const WorkerAnswers answers,
                      ask_worker(question, [&](std::size_t, Result<Json> answer) {
                        answered = std::move(answer);
                      }));
  if (!answers.problem.is_ok()) return answers.problem;
  return answered;
}

}  // namespace

Status ask_for_device(const std::filesystem::path& executable, const std::string& device,
                      std::chrono::milliseconds limit) {
  return ask_about("--device", executable, device, limit).status();
}

Result<Json> report_device(const std::filesystem::path& executable, const std::string& device,
                           std::chrono::milliseconds limit) {
  return ask_about("--device-report", executable, device, limit);
}

}  // namespace graphnet::supervise
