// SPDX-License-Identifier: MIT
#include "cli/device_check.h"

#include "supervise/ask_worker.h"

namespace graphnet::cli {

base::Status check_device(const Context& context, const std::string& device) {
  if (device == "cpu") return base::Status::ok();
  GN_ASSIGN_OR_RETURN(const auto worker, context.installation.worker_executable());
  return supervise::ask_worker({worker}, "check_device", {{"device", device}}).status();
}

base::Status check_machine(const Context& context, const config::Backend& backend) {
  GN_RETURN_IF_ERROR(backend.unavailable);
  return check_device(context, backend.config.device);
}

}  // namespace graphnet::cli
