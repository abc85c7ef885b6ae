// SPDX-License-Identifier: MIT
#include "eager/engine.h"
#include "graphnet/abi.h"
#include "worker/device_answer.h"
#include "worker/requests.h"

namespace graphnet::worker {

base::Result<base::Json> describe(const base::Json& /*arguments*/) {
  const eager::EngineVersion version = eager::engine_version();
  return base::Json{{"schema", "graphnet.worker/1"},
                    {"libtorch", version.torch_version},
                    {"cpu_capability", version.cpu_capability},
                    {"threads", version.threads},
                    {"cuda", cuda_json()},
                    {"abi", {{"major", GN_ABI_MAJOR}, {"minor", GN_ABI_MINOR}}}};
}

}  // namespace graphnet::worker
