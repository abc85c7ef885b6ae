// SPDX-License-Identifier: MIT
#include "options.h"

#include "graphnet/plugin.h"

namespace graphnet::inductor {

Options read_options(const gn_option* options, std::uint64_t num_options, int threads) {
  Options read;
  read.threads = threads;
  for (std::uint64_t i = 0; i < num_options; ++i) {
    const std::string name(from_gn(options[i].name));
    if (name == "python") {
      read.python = from_gn(options[i].text);
    } else if (name == "freezing") {
      read.freezing = options[i].integer != 0;
    } else if (name == "max_autotune") {
      read.max_autotune = from_gn(options[i].text) == "gemm";
    } else {
      throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' is not known");
    }
  }
  return read;
}

}  // namespace graphnet::inductor
