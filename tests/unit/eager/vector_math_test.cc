// SPDX-License-Identifier: MIT
#include "eager/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace graphnet::eager {
namespace vector_math_test {

/// The operands of "IMPLEMENT_VML_MKL(acos, Acos)" at the start of a line.
std::vector<std::string> functions_of_header() {
  constexpr const char* kMacro = "IMPLEMENT_VML_MKL(";
  std::ifstream header(std::string(GRAPHNET_TORCH_INCLUDE) + "/ATen/cpu/vml.h");
  std::vector<std::string> names;
  for (std::string line; std::getline(header, line);) {
    if (line.rfind(kMacro, 0) != 0) continue;
    const std::size_t begin = std::string(kMacro).size();
    names.push_back(line.substr(begin, line.find(',') - begin));
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(VectorMath, EachCanBeCalled) {
  const base::Status status = call_vector_functions();
  EXPECT_TRUE(status.is_ok()) << status.to_string();
}

TEST(VectorMath, EveryFunctionOfTheLibraryIsResolved) {
  std::vector<std::string> resolved(kVectorFunctions.begin(), kVectorFunctions.end());
  std::sort(resolved.begin(), resolved.end());
  EXPECT_EQ(resolved, functions_of_header());
}

}  // namespace vector_math_test
}  // namespace graphnet::eager
