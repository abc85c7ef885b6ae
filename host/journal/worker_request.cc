// SPDX-License-Identifier: MIT
#include "journal/worker_request.h"

#include <vector>

#include "base/field_reader.h"

namespace graphnet::journal {

using base::Code;
using base::FieldReader;
using base::Json;
using base::Result;
using base::Status;

namespace {

Status malformed_answer(const std::string& why) {
  return Status(Code::kEnvironment, "the worker's answer is malformed: " + why);
}

}  // namespace

Json to_json(const WorkerRequest& request) {
  Json json = {{"request", request.name}, {"arguments", request.arguments}};
  if (request.memory_limit_bytes) json["memory_limit_bytes"] = *request.memory_limit_bytes;
  return json;
}

Result<WorkerRequest> parse_request(std::string_view line) {
  GN_ASSIGN_OR_RETURN(const Json json, base::parse_json(line, "request"));
  WorkerRequest request;
  FieldReader fields(json);
  fields.require("request")
      .read("request", request.name)
      .read_object("arguments", request.arguments)
      .read("memory_limit_bytes", request.memory_limit_bytes);
  GN_RETURN_IF_ERROR(fields.status());
  return request;
}

Json answer_to_json(const Result<Json>& answer) {
  if (answer.is_ok()) return {{"answer", *answer}};
  const Status& status = answer.status();
  return {{"error",
           {{"code", static_cast<int>(status.code())},
            {"message", status.message()},
            {"context", status.context()},
            {"hints", status.hints()}}}};
}

Result<Json> parse_answer(std::string_view line) {
  Result<Json> parsed = base::parse_json(line, "answer");
  if (!parsed.is_ok()) return malformed_answer(parsed.status().message());
  if (!parsed->is_object()) return malformed_answer("it is not an object");
  if (const auto answer = parsed->find("answer"); answer != parsed->end()) {
    return Json(std::move(*answer));
  }
  FieldReader fields(*parsed);
  const Json* const error = fields.require("error").object("error");
  if (error == nullptr) return malformed_answer(fields.status().message());
  FieldReader told(*error, "error");
  int code = 0;
  std::string message;
  std::vector<std::string> context;
  std::vector<std::string> hints;
  told.require("code").read("code", code).read("message", message);
  told.read("context", context).read("hints", hints);
  if (!told.status().is_ok()) return malformed_answer(told.status().message());
  if (code <= static_cast<int>(Code::kOk) || code > static_cast<int>(Code::kInternal)) {
    return malformed_answer("it names no code of an error");
  }
  Status status(static_cast<Code>(code), message);
  for (const std::string& line_of_context : context) status.add_context(line_of_context);
  for (const std::string& hint : hints) status.add_hint(hint);
  return status;
}

}  // namespace graphnet::journal
