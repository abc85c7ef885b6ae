// SPDX-License-Identifier: MIT
#include "worker/early_copy.h"

#include <gtest/gtest.h>

#include <cstring>

namespace graphnet::worker {
namespace early_copy_test {

/// Two outputs in memory of their own, the first one small.
struct Outputs {
  explicit Outputs(std::int64_t num_floats) : sizes{{3}, {num_floats}} {
    for (std::size_t i = 0; i < 2; ++i) {
      kept.push_back(base::allocate_tensor(base::DType::kFloat32, sizes[i]).value());
      std::memset(kept[i].bytes.data(), 7, kept[i].bytes.num_bytes());
      DLTensor tensor = {};
      tensor.data = kept[i].bytes.data();
      tensor.ndim = 1;
      tensor.dtype = {kDLFloat, 32, 1};
      tensor.shape = sizes[i].data();
      tensor.strides = &stride;
      tensors.push_back(tensor);
    }
  }
  std::byte& last_byte() { return kept[1].bytes.data()[kept[1].bytes.num_bytes() - 1]; }

  std::int64_t stride = 1;
  std::vector<std::int64_t> sizes[2];
  std::vector<KeptOutput> kept;
  std::vector<DLTensor> tensors;
};

TEST(EarlyCopy, SeesWhatIsWrittenLater) {
  Outputs outputs(1'000'000);
  EarlyCopy copy;
  EXPECT_FALSE(copy.differs(outputs.kept)) << "before the first copy";
  // A tenth of the output comes late: 64 runs miss it in one of a thousand copies.
  constexpr int kCopies = 20;
  constexpr int kFewestSeen = 17;
  int num_seen = 0;
  for (int i = 0; i < kCopies; ++i) {
    std::memset(outputs.kept[1].bytes.data() + 400'000, 7, 400'000);
    ASSERT_TRUE(copy.take(outputs.tensors, outputs.kept).is_ok());
    EXPECT_FALSE(copy.differs(outputs.kept));
    std::memset(outputs.kept[1].bytes.data() + 400'000, 8, 400'000);
    num_seen += copy.differs(outputs.kept) ? 1 : 0;
  }
  EXPECT_GE(num_seen, kFewestSeen);
  copy.clear();
  EXPECT_FALSE(copy.differs(outputs.kept));
}

TEST(EarlyCopy, CopiesAllOfLittle) {
  Outputs outputs(100);
  EarlyCopy copy;
  ASSERT_TRUE(copy.take(outputs.tensors, outputs.kept).is_ok());
  outputs.last_byte() = std::byte{8};
  EXPECT_TRUE(copy.differs(outputs.kept));
}

TEST(EarlyCopy, LeavesOutWhatIsNotDense) {
  Outputs outputs(100);
  std::int64_t wide = 2;
  for (DLTensor& tensor : outputs.tensors) tensor.strides = &wide;
  EarlyCopy copy;
  ASSERT_TRUE(copy.take(outputs.tensors, outputs.kept).is_ok());
  outputs.last_byte() = std::byte{8};
  EXPECT_FALSE(copy.differs(outputs.kept));
}

}  // namespace early_copy_test
}  // namespace graphnet::worker
