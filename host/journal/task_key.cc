// SPDX-License-Identifier: MIT
#include "journal/task_key.h"

#include "base/json.h"
#include "base/sha256.h"

namespace graphnet::journal {

std::string task_key(const TaskIdentity& identity) {
  constexpr std::size_t kDigits = 32;
  const Task& task = identity.task;
  // Sorted keys: the order of a config's lines must not matter.
  nlohmann::json parts = {{"sample", identity.sample},
                          {"sample_sha256", identity.sample_sha256},
                          {"plugin", task.plugin_name},
                          {"plugin_version", task.plugin_version},
                          {"plugin_sha256", identity.plugin_sha256},
                          {"plugin_options", nlohmann::json(task.plugin_options)},
                          {"device", task.device},
                          {"threads", task.threads},
                          {"weights", task.weights},
                          {"protocol", task.protocol},
                          {"protocol_settings", nlohmann::json(task.protocol_settings)},
                          {"warmup", task.warmup},
                          {"trials", task.trials},
                          {"hardware", identity.hardware},
                          {"graphnet", identity.graphnet},
                          {"repeat", identity.repeat}};
  if (identity.compile_threads > 0) parts["compile_threads"] = identity.compile_threads;
  // The default policy leaves the keys of records from before there were policies.
  if (!task.math.is_default()) parts["math"] = nlohmann::json(base::to_json(task.math));
  if (task.second_weights != "auto") parts["second_weights"] = task.second_weights;
  const std::string text =
      parts.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
  return base::sha256_hex(text.data(), text.size()).substr(0, kDigits);
}

}  // namespace graphnet::journal
