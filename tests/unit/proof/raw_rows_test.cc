// SPDX-License-Identifier: MIT
// Records as CUPTI gave them, bounded, the odd ones first.
#include "proof/raw_rows.h"

#include <gtest/gtest.h>

#include "unit/proof/fake_cupti_library.h"

namespace graphnet::proof {
namespace raw_rows_test {

using tests::FakeCuptiLibrary;

class RawRowsTest : public testing::Test {
 protected:
  RawRowsTest() { session_ = CuptiSession::start(fake_.settings(), status_); }

  base::Json rows() {
    return raw_rows_json(session_->finish(), [&](std::uint32_t domain, std::uint32_t id) {
      return session_->call_name(domain, id);
    });
  }
  void launch(std::uint32_t kind) {
    tests::FakeLaunch launch;
    launch.kernel = "gemm";
    launch.kind = kind;
    fake_.launch(launch);
  }

  FakeCuptiLibrary fake_;
  CuptiStatus status_;
  std::unique_ptr<CuptiSession> session_;
};

TEST_F(RawRowsTest, HoldWhatTheirColumnsSay) {
  session_->begin_call(CallSide::kPlugin);
  for (const std::uint32_t kind : {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset}) {
    launch(kind);
  }
  session_->end_call();
  const base::Json json = rows();
  for (const char* key : {"kernels", "copies", "sets"}) {
    ASSERT_EQ(json[key].size(), 1U) << key;
    EXPECT_EQ(json[key][0].size(), json["columns"]["work"].size()) << key;
  }
  const base::Json& kernel = json["kernels"][0];
  EXPECT_EQ(kernel[0], json["calls"][0][0]) << "correlation";
  EXPECT_EQ(kernel[1], "gemm");
  EXPECT_GE(kernel[2], 0) << "after the traced call began";
  EXPECT_EQ(kernel[3].get<int>() - kernel[2].get<int>(), 1000);
  EXPECT_EQ(kernel[5], 1) << "context";
  EXPECT_EQ(kernel[6], 7) << "stream";
  EXPECT_EQ(kernel[8], 0) << "of the first traced call";
  EXPECT_TRUE(json["copies"][0][1].is_null());
  ASSERT_EQ(json["calls"].size(), 3U);
  EXPECT_EQ(json["calls"][0].size(), json["columns"]["calls"].size());
  EXPECT_EQ(json["calls"][0][1], "cudaLaunchKernel_v7000");
  ASSERT_EQ(json["traced_calls"].size(), 1U);
  EXPECT_EQ(json["traced_calls"][0][1], "plugin");
  EXPECT_EQ(json["traced_calls"][0][2], 0);
  EXPECT_FALSE(json.contains("left_out"));
}

TEST_F(RawRowsTest, AreBoundedAndBeginWithThoseWithoutAnId) {
  session_->begin_call(CallSide::kPlugin);
  for (int i = 0; i < 300; ++i) launch(cupti::kConcurrentKernel);
  session_->end_call();
  launch(cupti::kConcurrentKernel);
  const base::Json json = rows();
  EXPECT_EQ(json["kernels"].size(), kMostRawRows);
  EXPECT_EQ(json["calls"].size(), kMostRawRows);
  EXPECT_EQ(json["left_out"], base::Json({{"calls", 101}, {"kernels", 101}}));
  EXPECT_TRUE(json["kernels"][0][8].is_null());
  EXPECT_EQ(json["kernels"][0][0].get<int>() - json["kernels"][1][0].get<int>(), 300)
      << "then the first";
}

}  // namespace raw_rows_test
}  // namespace graphnet::proof
