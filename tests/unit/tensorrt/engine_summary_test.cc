// SPDX-License-Identifier: MIT
#include "tensorrt/engine_summary.h"

#include <string>

#include "support/mentions.h"
#include "unit/tensorrt/engine_fixture.h"

namespace graphnet::tensorrt {
namespace engine_summary_test {

using tests::mentions;

// As an engine that is built with all details describes itself.
constexpr const char* kInspection = R"({"Layers": [{
  "Name": "aten::mm \"LayerType\": 1",
  "LayerType": "gemm",
  "Inputs": [{"Name": "input0", "Dimensions": [2,2], "Format/Datatype": "Row major linear FP32"}],
  "Outputs": [],
  "TacticName": "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n",
  "StreamId": 0,
  "Metadata": "[ONNX Layer: TacticName]"
},{
  "Name": "__myl_AddMul_myl0_1", "LayerType": "kgen", "TacticName": "__myl_AddMul_0x12ab"
},{
  "Name": "__myl_AddMul_myl0_2", "LayerType" : "kgen", "TacticName" : "__myl_AddMul_0x12ab"
},{
  "Name": "reformat", "LayerType": "Reformat", "TacticName": "", "TacticValue": 12
}],
"Bindings": ["input0", "output0"]})";

TEST(EngineSummary, CountsLayersByTypeAndKernelsByName) {
  const EngineSummary summary = summarize_engine(kInspection);
  EXPECT_EQ(summary.layers,
            (std::map<std::string, int>{{"Reformat", 1}, {"gemm", 1}, {"kgen", 2}}));
  EXPECT_EQ(summary.kernels,
            (std::map<std::string, int>{{"__myl_AddMul_0x12ab", 2},
                                        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n", 1}}));
  EXPECT_EQ(to_lines(summary),
            "engine_layers: 4: Reformat, gemm, kgen x 2\n"
            "kernels: 3: __myl_AddMul_0x12ab x 2, sm80_xmma_gemm_f32f32_f32f32_f32_tn_n\n");
}

TEST(EngineSummary, LeavesOutWhatIsCutOffOrNotThere) {
  const std::string whole = kInspection;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_LE(summarize_engine(whole.substr(0, size)).layers.size(), 3U);
  }
  EXPECT_EQ(to_lines(summarize_engine(R"({"Layers": ["a", "b"], "Bindings": []})")),
            "engine_layers: 0\nkernels: 0\n");
  EXPECT_TRUE(summarize_engine(R"({"TacticName": null, "LayerType": ["x"]})").kernels.empty());
}

// `info` may have 64 KiB.
TEST(EngineSummary, SaysHowManyKernelsItLeavesOut) {
  EngineSummary summary;
  for (int i = 0; i < 1000; ++i)
    summary.kernels["kernel" + std::string(96, '_') + std::to_string(i)] = 1;
  const std::string text = to_lines(summary);
  EXPECT_LT(text.size(), 20000U);
  EXPECT_TRUE(mentions(text, {"kernels: 1000: kernel", " more\n"}));
}

class Inspected : public EngineFixture {};

TEST_F(Inspected, IsPartOfWhatTheEngineSaysOfItself) {
  const auto engine = make();
  control_->inspection = kInspection;
  EXPECT_TRUE(mentions(engine->describe(), {"engine_layers: 4: ", "kernels: 3: __myl_AddMul"}));
  EXPECT_EQ(engine->inspect(), kInspection);
  control_->inspection = nullptr;
  EXPECT_TRUE(mentions(engine->describe(), {"network_layers: ", "inspector: ", "makes no inspector",
                                            "the engine has no layer information"}));
}

}  // namespace engine_summary_test
}  // namespace graphnet::tensorrt
