// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "bladedisc/options.h"
#include "graphnet/failure.h"

namespace graphnet::bladedisc {

inline const std::string kFakes = GN_BLADEDISC_FAKES;

/// disc_compiler_main that does what `mode` says (fake_compiler.cc).
inline std::string fake_compiler(const std::string& mode) {
  return kFakes + "/" + mode + "/disc_compiler_main";
}

/// x + 0 of one input, as DISC is given it.
inline const std::string kModule =
    "module @graphnet {\n"
    "  func.func public @main(%0: tensor<2xf32>) -> (tensor<2xf32>) attributes "
    "{tf.entry_function = {inputs = \"input0\", input_placements = \"cpu\", outputs = \"output0\", "
    "output_placements = \"cpu\"}} {\n"
    "    %1 = mhlo.add %0, %0 : tensor<2xf32>\n"
    "    return %1 : tensor<2xf32>\n"
    "  }\n"
    "}\n";

/// The failure that it ends with; code 0 if it ends well.
struct Ended {
  std::uint32_t code = 0;
  std::string message;
};
inline Ended end_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return {failure.code(), failure.what()};
  }
  return {};
}

}  // namespace graphnet::bladedisc
