// SPDX-License-Identifier: MIT
#include "xla/lower.h"

#include "graphnet/plugin.h"

namespace graphnet::xla {

gn_status* lower_graph(const gn_host_api* host, const gn_graph* /*graph*/,
                       const Options& /*options*/, bool /*check_only*/,
                       lowering::stablehlo::LoweredProgram& /*out*/) {
  return fail(host, GN_STATUS_UNSUPPORTED, "lowering not merged");
}

}  // namespace graphnet::xla
