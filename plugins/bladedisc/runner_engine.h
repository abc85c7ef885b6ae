// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

#include <string>
#include <vector>

#include "protocol.h"

namespace gn_disc {

/// What gn-disc-run runs a library with. ral_engine.cc is BladeDISC's RAL; tests have one of their
/// own. Failures are std::runtime_error.
class Engine {
 public:
  virtual ~Engine() = default;

  /// "key: value" lines for HELLO.
  virtual std::string describe() = 0;
  /// Opens the library. `tensors`: arguments, then results. Returns "key: value" lines.
  virtual std::string load(const gn_disc_load& load, const std::vector<gn_disc_tensor>& tensors,
                           const std::string& library, const std::string& metadata) = 0;
  /// One call; `memory` is the shared file.
  virtual gn_disc_times run(uint8_t* memory, uint64_t weights_version) = 0;
};

/// Made by the file that is linked with gn_disc_run.cc; borrowed, lives as long as the program.
Engine& engine();

}  // namespace gn_disc
