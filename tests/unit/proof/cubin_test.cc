// SPDX-License-Identifier: MIT
#include "proof/cubin.h"

#include <gtest/gtest.h>

#include "support/cubin_builder.h"

namespace graphnet::proof {
namespace cubin_test {

TEST(Cubin, NamesItsFunctions) {
  EXPECT_EQ(functions_of_cubin(tests::cubin_with({"_Z3addPf", "gemm_128x64"})),
            (std::vector<std::string>{"_Z3addPf", "gemm_128x64"}));
  EXPECT_TRUE(functions_of_cubin(tests::cubin_with({})).empty());
}

TEST(Cubin, BytesThatAreNone) {
  for (const std::string& image : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string("PTX: .version 9.0"), std::string(4096, '\0')}) {
    EXPECT_TRUE(functions_of_cubin(image).empty());
  }
}

// A driver's bytes are trusted no more than a file's: whatever is cut off or changed is no reason
// to read beyond them.
TEST(Cubin, CutOffAtEachByteAndWithEachByteChanged) {
  const std::string image = tests::cubin_with({"one", "two"});
  for (std::size_t size = 0; size < image.size(); ++size) {
    EXPECT_LE(functions_of_cubin(std::string(image, 0, size)).size(), 2U) << size;
  }
  for (std::size_t offset = 4; offset < image.size(); ++offset) {
    std::string changed = image;
    changed[offset] = '\xFF';
    EXPECT_LE(functions_of_cubin(changed).size(), 6U) << offset;
  }
}

}  // namespace cubin_test
}  // namespace graphnet::proof
