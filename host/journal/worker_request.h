// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::journal {

/// Argument that makes the worker program answer requests over descriptor 3.
inline constexpr const char* kAnswerFlag = "--answer";

/// A request to a worker: one JSON object a line, answered by one line before the next is sent.
///
/// supervisor -> worker   {"request":"inspect","arguments":{...},"memory_limit_bytes":1000000}
/// worker -> supervisor   {"answer":{...}}, or
///                        {"error":{"code":2,"message":"...","context":[...],"hints":[...]}}
///
/// What requests there are, with their arguments and answers: worker/requests.h.
struct WorkerRequest {
  std::string name;
  base::Json arguments = base::Json::object();
  /// Of the worker's private memory, from this request on.
  std::optional<std::int64_t> memory_limit_bytes;
};

base::Json to_json(const WorkerRequest& request);
/// errors   kInput if the line is malformed
base::Result<WorkerRequest> parse_request(std::string_view line);

base::Json answer_to_json(const base::Result<base::Json>& answer);
/// Any bytes will do: code of a plugin may have written them.
///
/// errors   as the worker answered; kEnvironment if the line is malformed
base::Result<base::Json> parse_answer(std::string_view line);

}  // namespace graphnet::journal
