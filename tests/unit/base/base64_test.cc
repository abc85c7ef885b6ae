// SPDX-License-Identifier: MIT
#include "base/base64.h"

#include <gtest/gtest.h>

namespace graphnet::base {
namespace base64_test {

TEST(Base64, DecodesTheVectorsOfTheRfc) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"Zg==", "f"},
                                                         {"Zm8=", "fo"},
                                                         {"Zm9v", "foo"},
                                                         {"Zm9vYg==", "foob"},
                                                         {"Zm9vYmE=", "fooba"},
                                                         {" Zm9vYmFy\n", "foobar"}};
  for (const auto& [encoded, decoded] : vectors) {
    const auto result = decode_base64(encoded);
    ASSERT_TRUE(result.is_ok()) << encoded;
    EXPECT_EQ(*result, decoded);
  }
}

TEST(Base64, RefusesWhatNoEncoderWrites) {
  for (const char* text : {"Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm 9", "Zm9!", "{}"}) {
    EXPECT_EQ(decode_base64(text).status().code(), Code::kInput) << text;
  }
}

}  // namespace base64_test
}  // namespace graphnet::base
