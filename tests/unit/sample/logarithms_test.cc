// SPDX-License-Identifier: MIT
#include "sample/logarithms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace graphnet::sample {
namespace logarithms_test {

double library(double number) {
  return std::log(number);
}

// About one argument in forty is off by a last bit.
double rarely_wrong(double number) {
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  const double logarithm = std::log(number);
  return (bits * 0x9e3779b97f4a7c15u) >> 32 < 0x06000000u ? std::nextafter(logarithm, 1e300)
                                                          : logarithm;
}

std::vector<double> computed(const Logarithms& logarithms, const std::vector<double>& x) {
  std::vector<double> found(x.size());
  logarithms.compute(x.data(), x.size(), found.data());
  return found;
}

void expect_library(const Logarithms& logarithms, Logarithms::Library expected,
                    const std::vector<double>& x) {
  const std::vector<double> found = computed(logarithms, x);
  std::size_t num_wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (found[i] == expected(x[i])) continue;
    if (num_wrong++ == 0) ADD_FAILURE() << std::hexfloat << x[i] << " gives " << found[i];
  }
  EXPECT_EQ(num_wrong, 0u) << "of " << x.size();
}

/// Numbers of (0, 1) with 53 random bits.
std::vector<double> random_numbers(std::size_t count) {
  std::mt19937_64 words(20261121);
  std::vector<double> x(count);
  for (double& number : x) number = static_cast<double>((words() >> 11) | 1) * 0x1p-53;
  return x;
}

/// The number and its nearest neighbours.
void add_around(double number, std::vector<double>* x) {
  double below = number;
  double above = number;
  x->push_back(number);
  for (int i = 0; i < 20; ++i) {
    below = std::nextafter(below, 0.0);
    above = std::nextafter(above, 1e300);
    x->push_back(below);
    x->push_back(above);
  }
}

TEST(Logarithms, EqualTheLibraryBetweenZeroAndOne) {
  expect_library(Logarithms(library), library, random_numbers(4'000'003));
}

TEST(Logarithms, EqualTheLibraryNextToOne) {
  for (const double width : {0.25, 0.0625, 0x1p-7, 0x1p-10, 0x1p-20, 0x1p-40}) {
    std::vector<double> x = random_numbers(200'000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + (i % 2 == 0 ? -x[i] : x[i]) * width;
    expect_library(Logarithms(library), library, x);
  }
}

TEST(Logarithms, EqualTheLibraryForEveryExponent) {
  std::vector<double> x = random_numbers(2046 * 100);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::ldexp(1.0 + x[i], static_cast<int>(i % 2046) - 1022);
  }
  expect_library(Logarithms(library), library, x);
}

TEST(Logarithms, EqualTheLibraryAtEveryBorder) {
  std::vector<double> x = {std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
  // Where glibc uses another polynomial.
  add_around(1.0 - 0x1p-4, &x);
  add_around(1.0 + 0x1.09p-4, &x);
  for (int exponent = -104; exponent <= 3; ++exponent) {
    add_around(std::ldexp(1.0, exponent), &x);
    add_around(std::ldexp(0.6875, exponent), &x);
    // Where another entry of the table begins, ours and a table's of 128.
    for (int m = 372; m <= 745; ++m) add_around(std::ldexp(512 / (m - 0.5), exponent), &x);
    for (int i = 0; i < 128; ++i) add_around(std::ldexp(1.0 + i / 128.0, exponent), &x);
  }
  expect_library(Logarithms(library), library, x);
}

TEST(Logarithms, AnyCount) {
  const std::vector<double> all = random_numbers(4000);
  for (const std::ptrdiff_t count : {0, 1, 7, 8, 9, 1023, 1024, 1025, 2049, 4000}) {
    expect_library(Logarithms(library), library, {all.begin(), all.begin() + count});
  }
}

#if defined(__GLIBC__)
TEST(Logarithms, VectorisedWithThisLibrary) {
  EXPECT_TRUE(Logarithms(library).is_vectorised());
}
#endif

TEST(Logarithms, ALibraryThatIsRarelyWrongIsAskedAboutEveryNumber) {
  const Logarithms logarithms(rarely_wrong);
  EXPECT_FALSE(logarithms.is_vectorised());
  expect_library(logarithms, rarely_wrong, random_numbers(100'000));
}

}  // namespace logarithms_test
}  // namespace graphnet::sample
