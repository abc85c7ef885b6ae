// SPDX-License-Identifier: MIT
#include "sample/mt19937.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/sha256.h"

namespace graphnet::sample {
namespace mt19937_test {

// Golden values: NumPy RandomState(123), recorded with NumPy 2.4.6.

std::vector<double> draw(LegacyGenerator* generator, std::size_t count) {
  std::vector<double> draws(count);
  generator->gaussians(draws.data(), count);
  return draws;
}

std::string digest(const std::vector<double>& draws) {
  return base::sha256_hex(draws.data(), draws.size() * sizeof(double));
}

// The C library rounds `log` differently in a few last bits without fused multiply-add, and so does
// NumPy there: digests over many float64 draws hold on machines that have it.
bool has_fused_multiply_add() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

TEST(Mt19937, RawWords) {
  Mt19937 words(123);
  for (const std::uint32_t expected : {2991312382u, 3062119789u, 1228959102u, 1840268610u}) {
    EXPECT_EQ(words.next_word(), expected);
  }
}

TEST(Mt19937, TenThousandthWordOfTheReferenceSeed) {
  // C++ standard, [rand.predef]: the 10000th word after seeding with 5489.
  Mt19937 words(5489);
  for (int i = 1; i < 10000; ++i) words.next_word();
  EXPECT_EQ(words.next_word(), 4123659995u);
}

TEST(LegacyGenerator, Uniform) {
  LegacyGenerator generator(123);
  EXPECT_EQ(generator.uniform(), 0.6964691855978616);
  EXPECT_EQ(generator.uniform(), 0.28613933495037946);
  EXPECT_EQ(generator.uniform(), 0.2268514535642031);
  EXPECT_EQ(generator.uniform(), 0.5513147690828912);
}

TEST(LegacyGenerator, Gaussians) {
  LegacyGenerator generator(123);
  EXPECT_EQ(draw(&generator, 6),
            (std::vector<double>{-1.0856306033005612, 0.9973454465835858, 0.28297849805199204,
                                 -1.506294713918092, -0.5786002519685364, 1.651436537097151}));
}

TEST(LegacyGenerator, GaussiansDoNotDependOnTheirGrouping) {
  LegacyGenerator whole(123);
  LegacyGenerator parts(123);
  const std::vector<double> expected = draw(&whole, 20000);
  std::vector<double> found;
  for (std::size_t count = 0; found.size() < expected.size(); count = (count * 7 + 3) % 911) {
    const std::vector<double> part = draw(&parts, std::min(count, expected.size() - found.size()));
    found.insert(found.end(), part.begin(), part.end());
  }
  EXPECT_EQ(found, expected);
}

TEST(LegacyGenerator, MillionGaussiansThenCacheThenUniform) {
  if (!has_fused_multiply_add()) GTEST_SKIP() << "recorded with fused multiply-add";
  LegacyGenerator generator(123);
  EXPECT_EQ(digest(draw(&generator, 1000001)),
            "8d9695d5dc1eb21be25150544c3d99a5c18f8290f8b336f54b23253c21f5532a");
  EXPECT_EQ(draw(&generator, 1)[0], -0.6512011276143634);
  EXPECT_EQ(generator.uniform(), 0.5697674565341434);
}

TEST(LegacyGenerator, GaussiansFromAWordThatIsNoMultipleOfFour) {
  if (!has_fused_multiply_add()) GTEST_SKIP() << "recorded with fused multiply-add";
  LegacyGenerator generator(123);
  for (int i = 0; i < 3; ++i) generator.bounded((1u << 31) - 1);
  EXPECT_EQ(digest(draw(&generator, 100000)),
            "59c5de74841fb0b02f9079f3b543a8906489dc1eab87df36f38b82e9b8836e9c");
}

TEST(LegacyGenerator, BoundedIntegersThenGaussian) {
  LegacyGenerator generator(123);
  for (const std::uint64_t expected : {109, 126, 66, 98, 17, 83, 106, 123, 57, 96}) {
    EXPECT_EQ(generator.bounded(168), expected);
  }
  EXPECT_EQ(draw(&generator, 1)[0], -1.0774653339567812);
}

TEST(LegacyGenerator, BoundedTokenIds) {
  LegacyGenerator generator(123);
  for (const std::uint64_t expected : {15725, 28030, 17730, 192476, 119906, 194278}) {
    EXPECT_EQ(generator.bounded(235284), expected);
  }
}

TEST(LegacyGenerator, BoundedRangesAbove32BitsTakeTwoWords) {
  LegacyGenerator generator(123);
  for (const std::uint64_t expected :
       {990931205137u, 358591625322u, 531631171129u, 920887908065u}) {
    EXPECT_EQ(generator.bounded(std::uint64_t{1} << 40), expected);
  }
  EXPECT_EQ(generator.bounded(std::uint64_t{1} << 53), 4785489410709617u);
  EXPECT_EQ(generator.bounded(std::uint64_t{1} << 53), 8543747114782767u);
  EXPECT_EQ(generator.bounded(0xffffffffu), 1684131913u);
}

TEST(LegacyGenerator, RangeZeroDrawsNothing) {
  LegacyGenerator generator(123);
  EXPECT_EQ(generator.bounded(0), 0u);
  EXPECT_EQ(generator.uniform(), 0.6964691855978616);
}

TEST(LegacyGenerator, SpareGaussianSurvivesOtherDraws) {
  LegacyGenerator generator(123);
  EXPECT_EQ(draw(&generator, 1)[0], -1.0856306033005612);
  EXPECT_FALSE(generator.uniform() > 0.5);
  EXPECT_EQ(draw(&generator, 1)[0], 0.9973454465835858);
  for (const std::uint64_t expected : {17, 83, 106}) EXPECT_EQ(generator.bounded(168), expected);
  EXPECT_EQ(draw(&generator, 3),
            (std::vector<double>{0.32210606833962163, -0.0515177209393851, -0.20420096463889467}));
}

}  // namespace mt19937_test
}  // namespace graphnet::sample
