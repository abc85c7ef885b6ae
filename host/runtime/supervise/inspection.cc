// SPDX-License-Identifier: MIT
#include "supervise/inspection.h"

#include <algorithm>
#include <utility>

#include "supervise/worker_question.h"

namespace graphnet::supervise {

using base::Json;
using base::Result;
using base::Status;

namespace {

// One worker's share: its request is one word of a command line, which has a limit.
constexpr std::size_t kMaxSamples = 100;

}  // namespace

Status inspect_samples(const std::filesystem::path& executable, const InspectionRequest& request,
                       const OnInspected& on_inspected) {
  const std::size_t count = request.samples.size();
  for (std::size_t first = 0; first < count;) {
    WorkerQuestion question;
    question.executable = executable;
    question.flag = "--inspect";
    question.num_answers = std::min(kMaxSamples, count - first);
    question.request = {{"samples", Json::array()},
                        {"stage", request.stage},
                        {"run", request.runs},
                        {"text", request.has_text}};
    for (std::size_t i = 0; i < question.num_answers; ++i) {
      question.request["samples"].push_back(request.samples[first + i].string());
    }
    GN_ASSIGN_OR_RETURN(WorkerAnswers answers,
                        ask_worker(question, [&](std::size_t index, Result<Json> answer) {
                          on_inspected(first + index, std::move(answer));
                        }));
    first += answers.count;
    if (answers.count < question.num_answers) on_inspected(first++, std::move(answers.problem));
  }
  return Status::ok();
}

}  // namespace graphnet::supervise
