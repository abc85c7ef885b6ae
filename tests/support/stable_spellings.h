// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::tests {

/// A conversion of upstream's unstable_to_stable, with a body in which `F` stands for the callee;
/// `a` is a f32[2,2,4], `b` an i64[3] of 0, 1 and 2, `c` a f32[3,4].
struct StableSpelling {
  const char* unstable;
  const char* stable;
  const char* body;
};

// All 15 of upstream's conversions.
inline constexpr StableSpelling kStableSpellings[] = {
    {"torch._C._nn.avg_pool2d", "torch.nn.functional.avg_pool2d", "x = F(a, 2, 2, 0, False, True)"},
    {"torch._C._fft.fft_irfft", "torch.fft.irfft", "c = torch._C._fft.fft_rfft(a); x = F(c, n=4)"},
    {"torch._C._fft.fft_rfft", "torch.fft.rfft", "c = F(a, n=4); x = c.real"},
    {"torch._C._fft.fft_fftn", "torch.fft.fftn", "c = F(a, dim=(1, 2)); x = c.real"},
    {"torch._C._special.special_logit", "torch.special.logit", "x = F(a, eps=0.01)"},
    {"torch._C._linalg.linalg_vector_norm", "torch.linalg.vector_norm",
     "x = F(a, ord=2, dim=(1, 2), keepdim=True)"},
    {"torch._C._linalg.linalg_norm", "torch.linalg.norm", "x = F(a, dim=-1)"},
    {"torch._C._nn.softplus", "torch.nn.functional.softplus", "x = F(a, 1.0, 20.0)"},
    {"torch._C._nn.one_hot", "torch.nn.functional.one_hot", "x = F(b, num_classes=3)"},
    {"torch._C._set_grad_enabled", "torch.set_grad_enabled", "g = F(False); g = None; x = a + 1"},
    {"torch._C.set_grad_enabled", "torch.set_grad_enabled", "g = F(False); g = None; x = a + 1"},
    {"torch._C._nn.pad", "torch.nn.functional.pad", "x = F(a, (0, 0, 1, 1), 'constant', None)"},
    {"torch._C._nn.gelu", "torch.nn.functional.gelu", "x = F(a, approximate='tanh')"},
    {"torch._C._nn.scaled_dot_product_attention",
     "torch.nn.functional.scaled_dot_product_attention", "x = F(a, a, a, None, 0.0)"},
    {"torch._C._nn.linear", "torch.nn.functional.linear", "x = F(a, c)"},
};

/// The statements of forward() with one of the two callees.
inline std::string body_of(const StableSpelling& spelling, const std::string& callee) {
  std::string body = spelling.body;
  return body.replace(body.find("F("), 1, callee) + "\nreturn (x,)";
}

}  // namespace graphnet::tests
