// SPDX-License-Identifier: MIT
// How far eager moves by rounding, on a sample that compares its values.
#include "worker/rounding.h"

#include <gtest/gtest.h>

#include <string>

#include "device/tensor_device.h"
#include "journal/worker_message.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "support/temp_dir.h"
#include "worker/eager_side.h"
#include "worker/plugin_side.h"
#include "worker/sensitivity.h"

namespace graphnet::worker {
namespace rounding_test {

constexpr const char* kProgram = R"(import torch


class GraphModule(torch.nn.Module):
    def forward(self, L_x_: torch.Tensor):
        l_x_ = L_x_
        above = l_x_.gt(THRESHOLD)
        number = above.to(torch.float32)
        scaled = l_x_ * 3.0
        return (number, scaled)
)";

constexpr const char* kMeta = R"(class Program_weight_tensor_meta_L_x_:
    name = "L_x_"
    shape = [4]
    dtype = "torch.float32"
    device = "cpu"
    mean = None
    std = None
    data = [1.000002861022949, 1.000002861022949, 1.000002861022949, 1.000002861022949]
)";

class Rounding : public ::testing::Test {
 protected:
  /// Of numbers that are 24 units above 1 and compared with `threshold`.
  std::vector<verify::Movement> moved(const std::string& threshold) {
    std::string program = kProgram;
    program.replace(program.find("THRESHOLD"), 9, threshold);
    folder_.write("jump/model.py", program);
    folder_.write("jump/weight_meta.py", kMeta);
    folder_.write("jump/input_meta.py", "");
    folder_.write("jump/graph_net.json", "{}");
    const auto sample = sample::load_sample(folder_.path() / "jump");
    EXPECT_TRUE(sample.is_ok()) << sample.status().to_string();
    auto arguments = sample::generate_arguments(sample->metas, sample->program.parameters,
                                                sample::kUpstreamSeed);
    EXPECT_TRUE(arguments.is_ok()) << arguments.status().to_string();
    auto eager = EagerSide::create(*sample, *arguments, device::host_device());
    EXPECT_TRUE(eager.is_ok()) << eager.status().to_string();
    const journal::Task task;
    PluginSide plugin(task, sample->name, (*eager)->arguments(), (*eager)->kept(), eager->get(),
                      [](const char*) {});
    const ComparedSample compared = {*sample, *arguments, **eager, plugin};
    std::vector<KeptOutput> outputs;
    EXPECT_TRUE(run_eager(compared, outputs).is_ok());
    const auto moved = rounding_of(compared, outputs);
    EXPECT_TRUE(moved.is_ok()) << moved.status().to_string();
    return moved.is_ok() ? *moved : std::vector<verify::Movement>(2);
  }

 private:
  tests::TempDir folder_;
};

// One unit moves no number past it, sixteen units do: what a plugin's roundings may do as well.
TEST_F(Rounding, FindsTheJumpThatSixteenUnitsMake) {
  const auto far = moved("1.0000019073486328");
  EXPECT_EQ(far[0].one_unit.largest, 0);
  EXPECT_EQ(far[0].all_roundings.largest, 1);
  EXPECT_GE(far[0].all_roundings.relative_rms, 0.5);
}

TEST_F(Rounding, FindsNoJumpThatIsFartherAway) {
  const auto far = moved("0.9");
  EXPECT_EQ(far[0].all_roundings.largest, 0);
  EXPECT_GT(far[1].one_unit.largest, 0) << "the product moves";
  EXPECT_LT(far[1].all_roundings.relative_rms, 1e-5);
}

}  // namespace rounding_test
}  // namespace graphnet::worker
