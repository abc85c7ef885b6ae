// SPDX-License-Identifier: MIT
// Whatever device a program names means the run's. The Meta device stands for one here: it is there
// on every machine, and what lies on the CPU cannot be mixed with what lies on it.
#include <ATen/ops/empty.h>

#include "eager/cuda_library.h"
#include "eager/tracer.h"
#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace device_placement_test {

std::vector<at::Tensor> run_on_meta(const std::string& body) {
  const auto program = sample::parse_model(
      "import torch\nfrom torch import device\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor):\n        " +
          body + "\n",
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  const c10::Device meta(c10::kMeta);
  const std::vector<at::Tensor> arguments = {at::empty({2, 3}, at::TensorOptions().device(meta))};
  return Tracer(*program, arguments, nullptr, meta).run();
}

class Placement : public ::testing::TestWithParam<const char*> {};

TEST_P(Placement, IsTheRunsDevice) {
  const auto results =
      run_on_meta(std::string("x = ") + GetParam() + "\n        y = x + a\n        return (x, y)");
  ASSERT_EQ(results.size(), 2U);
  for (const at::Tensor& result : results) EXPECT_TRUE(result.is_meta());
}

INSTANTIATE_TEST_SUITE_P(
    Calls, Placement,
    ::testing::Values("torch.arange(3)", "torch.zeros((2, 3))", "torch.full((2, 3), 1.5)",
                      "torch.ones(2, 3, device = device(type='cpu'))",
                      "torch.ones(2, 3, device = device(type='cuda', index=0))",
                      "torch.zeros_like(a)", "torch.zeros_like(a, device = device(type='cpu'))",
                      "a.new_zeros((2, 3))", "a.to(device(type='cpu'))",
                      "a.to(device = device(type='cuda', index=1))", "torch.tensor([1, 2, 3])",
                      "torch.tensor(2.5)", "torch.rand(2, 3)", "2 * a"));

// The libtorch that is fetched has none; one with CUDA has.
TEST(LoadCuda, SaysWhatIsMissing) {
  const base::Status loaded = load_cuda();
  if (loaded.is_ok()) return;
  EXPECT_EQ(loaded.code(), base::Code::kEnvironment);
  EXPECT_EQ(loaded.message(), "this libtorch has no CUDA part");
  ASSERT_FALSE(loaded.context().empty());
  EXPECT_NE(loaded.context()[0].find("libtorch_cuda.so"), std::string::npos);
}

}  // namespace device_placement_test
}  // namespace graphnet::eager
