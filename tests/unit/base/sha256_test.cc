// SPDX-License-Identifier: MIT
#include "base/sha256.h"

#include <gtest/gtest.h>

namespace graphnet::base {
namespace sha256_test {

constexpr const char* kEmpty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Sha256, MatchesTheStandardsVectors) {
  EXPECT_EQ(sha256_hex("", 0), kEmpty);
  EXPECT_EQ(sha256_hex("abc", 3),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  EXPECT_EQ(sha256_hex(million.data(), million.size()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  Sha256 hash;
  hash.update("a", 1);
  hash.update(nullptr, 0);
  hash.update("bc", 2);
  EXPECT_EQ(hash.finish(), sha256_hex("abc", 3));
  EXPECT_EQ(sha256_hex(nullptr, 0), kEmpty);
}

}  // namespace sha256_test
}  // namespace graphnet::base
