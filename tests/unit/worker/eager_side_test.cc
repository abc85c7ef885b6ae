// SPDX-License-Identifier: MIT
#include "worker/eager_side.h"

#include <gtest/gtest.h>

#include "sample/sample.h"
#include "support/temp_dir.h"

namespace graphnet::worker {
namespace eager_side_test {

constexpr const char* kProgram = R"(import torch

class GraphModule(torch.nn.Module):
    def forward(self, L_x_: torch.Tensor):
        turned = L_x_.t()
        conjugated = torch.view_as_complex(L_x_).conj()
        negated = torch.imag(conjugated);  L_x_ = None
        return (turned, conjugated, negated)
)";

constexpr const char* kMeta = R"(class Program_weight_tensor_meta_L_x_:
    name = "L_x_"
    shape = [3, 2]
    dtype = "torch.float32"
    device = "cpu"
    mean = 0.0
    std = 1.0
    data = None
)";

// The time of copying a plugin's outputs is compared with that of copying eager's, so both must be
// copied by the same function, those too that are not dense, or whose values libtorch has not
// written yet.
TEST(EagerSide, OutputsInPlaceAreCopiedAsThoseOfAPlugin) {
  const tests::TempDir folder;
  folder.write("turn/model.py", kProgram);
  folder.write("turn/weight_meta.py", kMeta);
  folder.write("turn/input_meta.py", "");
  folder.write("turn/graph_net.json", "{}");
  const auto sample = sample::load_sample(folder.path() / "turn");
  ASSERT_TRUE(sample.is_ok()) << sample.status().to_string();
  auto arguments =
      sample::generate_arguments(sample->metas, sample->program.parameters, sample::kUpstreamSeed);
  ASSERT_TRUE(arguments.is_ok()) << arguments.status().to_string();
  auto eager = EagerSide::create(*sample, *arguments);
  ASSERT_TRUE(eager.is_ok()) << eager.status().to_string();
  ASSERT_TRUE((*eager)->run().is_ok());
  const std::vector<DLTensor> outputs = (*eager)->outputs_in_place();
  ASSERT_EQ(outputs.size(), 3U);
  EXPECT_EQ(outputs[0].strides[0], 1);
  std::vector<KeptOutput> wanted;
  ASSERT_TRUE((*eager)->copy_outputs(wanted).is_ok());
  std::vector<KeptOutput> copied;
  for (const KeptOutput& output : wanted) {
    copied.push_back(base::allocate_tensor(output.dtype, output.shape).value());
  }
  const auto copy_ns = (*eager)->time_copy(copied);
  ASSERT_TRUE(copy_ns.is_ok()) << copy_ns.status().to_string();
  EXPECT_GT(*copy_ns, 0);
  EXPECT_TRUE(bits_equal(copied, wanted));
}

}  // namespace eager_side_test
}  // namespace graphnet::worker
