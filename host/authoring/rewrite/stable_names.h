// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "graph/program.h"

namespace graphnet::rewrite {

/// Which spelling of torch's functions a program has.
enum class Apis : std::uint8_t {
  kStable,    ///< public: torch.nn.functional.gelu
  kUnstable,  ///< private: torch._C._nn.gelu
};

/// Two spellings of one function.
struct StableName {
  std::string_view unstable;
  std::string_view stable;
};

/// All that upstream's unstable_to_stable converts. Of two private functions with one public
/// spelling the first stands for the public one.
///
/// source   GraphNet fx_graph_serialize_util, replacements of text
inline constexpr StableName kStableNames[] = {
    {"torch._C._nn.avg_pool2d", "torch.nn.functional.avg_pool2d"},
    {"torch._C._fft.fft_irfft", "torch.fft.irfft"},
    {"torch._C._fft.fft_rfft", "torch.fft.rfft"},
    {"torch._C._fft.fft_fftn", "torch.fft.fftn"},
    {"torch._C._special.special_logit", "torch.special.logit"},
    {"torch._C._linalg.linalg_vector_norm", "torch.linalg.vector_norm"},
    {"torch._C._linalg.linalg_norm", "torch.linalg.norm"},
    {"torch._C._nn.softplus", "torch.nn.functional.softplus"},
    {"torch._C._nn.one_hot", "torch.nn.functional.one_hot"},
    {"torch._C._set_grad_enabled", "torch.set_grad_enabled"},
    {"torch._C.set_grad_enabled", "torch.set_grad_enabled"},
    {"torch._C._nn.pad", "torch.nn.functional.pad"},
    {"torch._C._nn.gelu", "torch.nn.functional.gelu"},
    {"torch._C._nn.scaled_dot_product_attention",
     "torch.nn.functional.scaled_dot_product_attention"},
    {"torch._C._nn.linear", "torch.nn.functional.linear"},
};

/// Gives the calls of a program the spelling of `apis`. Functions that are not in the table keep
/// theirs, among them the markers of vmap regions (torch._functorch).
///
/// Returns how many calls changed, by the spelling that they had.
std::map<std::string, int> respell_calls(graph::Program& program, Apis apis);

}  // namespace graphnet::rewrite
