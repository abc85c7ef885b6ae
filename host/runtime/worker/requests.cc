// SPDX-License-Identifier: MIT
#include "worker/requests.h"

#include "base/memory.h"
#include "journal/worker_request.h"

namespace graphnet::worker {

using base::Json;
using base::Result;

Result<Json> answer_request(const std::string& line) {
  GN_ASSIGN_OR_RETURN(const journal::WorkerRequest request, journal::parse_request(line));
  base::limit_data_bytes(static_cast<std::uint64_t>(request.memory_limit_bytes.value_or(0)));
  for (const RequestRow& row : kRequests) {
    if (request.name == row.name) return row.answer(request.arguments);
  }
  return base::Status(base::Code::kInternal, "the worker knows no request '" + request.name + "'");
}

void serve_requests(Channel& channel) {
  for (auto line = channel.receive_line(); line.is_ok(); line = channel.receive_line()) {
    channel.send(journal::answer_to_json(answer_request(*line)));
  }
}

}  // namespace graphnet::worker
