// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::sample {

/// A model.py with parameters `x: torch.Tensor`, `w: Parameter` (lines 6 to 10) whose body starts
/// in line 11, indented by eight blanks; `body` lines must be indented too.
inline std::string model_text(const std::string& body) {
  return "import torch\n"
         "from torch import device\n"
         "from torch import inf\n"
         "\n"
         "class GraphModule(torch.nn.Module):\n"
         "    def forward(\n"
         "        self,\n"
         "        x: torch.Tensor,\n"
         "        w: torch.nn.parameter.Parameter,\n"
         "    ):\n" +
         body;
}

/// One statement, then `return (x,)`.
inline std::string statement_text(const std::string& statement) {
  return model_text("        " + statement + "\n        return (x,)\n");
}

}  // namespace graphnet::sample
