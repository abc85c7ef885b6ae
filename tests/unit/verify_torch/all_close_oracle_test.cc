// SPDX-License-Identifier: MIT
// The fused pass against at::allclose itself: 10,000 cases, 64 calls each, with upstream's
// constants and its order of arguments. Half of the cases put a difference exactly on the edge of a
// level, one unit in the last place inside it or one outside.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "verify/compare.h"

namespace graphnet::verify {
namespace all_close_oracle_test {

using base::DType;

struct Type {
  DType dtype;
  at::ScalarType torch;
};

at::ScalarType bits_of(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return at::kLong;
    case at::kFloat:
      return at::kInt;
    default:
      return at::kShort;
  }
}

const std::vector<std::int64_t> kShapes[] = {{},     {0},  {2, 0, 3}, {1},   {1, 1}, {2},    {3},
                                             {2, 5}, {17}, {4, 4, 4}, {100}, {1030}, {1, 1}, {}};

class Generator {
 public:
  Generator(Type type, std::uint64_t seed) : type_(type), random_(seed) {}

  void next() {
    const auto& shape = kShapes[random_() % std::size(kShapes)];
    const double magnitude = std::pow(10, uniform(-6, 5));
    eager = tensor(shape, magnitude);
    const auto& level = tolerance_levels()[random_() % tolerance_levels().size()];
    const bool edge = random_() % 2 == 0;
    plugin = edge ? on_the_edge(level)
                  : eager + tensor(shape, magnitude * std::pow(10, uniform(-12, 1)));
    plugin = plugin.to(type_.torch);
    if (random_() % 3 == 0) keep_some_equal();
    if (random_() % 3 == 0) put_specials();
    eager = eager.contiguous();
    plugin = plugin.contiguous();
  }

  at::Tensor eager;
  at::Tensor plugin;

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  at::Tensor tensor(const std::vector<std::int64_t>& shape, double magnitude) {
    const bool complex = at::isComplexType(type_.torch);
    at::Tensor parts[2];
    for (at::Tensor& part : parts) {
      part = at::empty(shape, at::kDouble);
      double* values = part.data_ptr<double>();
      std::normal_distribution<double> normal(0, magnitude);
      for (std::int64_t i = 0; i < part.numel(); ++i) values[i] = normal(random_);
    }
    if (complex) return at::complex(parts[0], parts[1]).to(type_.torch);
    if (type_.torch == at::kBool) return parts[0].gt(0);
    const bool integer = at::isIntegralType(type_.torch, false);
    return (integer ? parts[0].clamp(-100, 100) : parts[0]).to(type_.torch);
  }

  // Differences equal to what the level allows, as torch computes it, and their neighbours.
  at::Tensor on_the_edge(const ToleranceLevel& level) {
    const bool integer = at::isIntegralType(type_.torch, true);
    const at::Tensor other = integer ? eager.to(at::kFloat) : eager;
    const at::Tensor allowed = at::add((other * level.rtol).abs(), level.atol);
    if (at::isComplexType(type_.torch)) return eager + allowed * uniform(0.9, 1.1);
    const at::Tensor share = choose({1, 1, -1, -1, 0.5, 0.9, 0});
    at::Tensor edge = other + allowed * share;
    if (integer) {
      const double most = type_.torch == at::kBool ? 1 : 100;
      return (edge + choose({1, -1, 0, 0})).clamp(-most, most).to(type_.torch);
    }
    edge = edge.to(type_.torch).contiguous();
    const at::Tensor step = choose({1, -1, 0, 0, 0}).to(bits_of(type_.torch));
    return (edge.view(bits_of(type_.torch)) + step).view(type_.torch);
  }

  // One of the numbers per element; in half of the cases all elements but the first take the last.
  at::Tensor choose(const std::vector<double>& numbers) {
    at::Tensor chosen = at::empty(eager.sizes(), at::kDouble);
    const bool first_only = random_() % 2 == 0;
    for (std::int64_t i = 0; i < chosen.numel(); ++i) {
      const std::size_t which =
          first_only && i > 0 ? numbers.size() - 1 : random_() % numbers.size();
      chosen.data_ptr<double>()[i] = numbers[which];
    }
    return at::isIntegralType(type_.torch, true) || at::isComplexType(type_.torch)
               ? chosen
               : chosen.to(type_.torch);
  }

  void keep_some_equal() {
    at::Tensor mask = at::empty(eager.sizes(), at::kBool);
    for (std::int64_t i = 0; i < mask.numel(); ++i) mask.data_ptr<bool>()[i] = random_() % 4 != 0;
    plugin = at::where(mask, eager, plugin);
  }

  // NaN, infinities, zeros of both signs, subnormals and the ends of the range, on one side or
  // both.
  void put_specials() {
    const std::vector<at::Scalar> specials = special_values();
    at::Tensor flat[2] = {eager.contiguous().view(-1), plugin.contiguous().view(-1)};
    for (int i = 0; i < 3 && eager.numel() > 0; ++i) {
      const auto at = static_cast<std::int64_t>(random_()) & 0x7fffffff;
      const std::int64_t index = at % eager.numel();
      const at::Scalar special = specials[random_() % specials.size()];
      const bool both = random_() % 2 == 0;
      const std::size_t side = random_() % 2;
      flat[side].select(0, index).fill_(special);
      if (both) flat[1 - side].select(0, index).fill_(special);
    }
    eager = flat[0].view(eager.sizes());
    plugin = flat[1].view(plugin.sizes());
  }

  std::vector<at::Scalar> special_values() const {
    if (type_.torch == at::kBool) return {true, false};
    if (type_.torch == at::kByte) return {0, 1, 255, 128};
    if (type_.torch == at::kChar) return {0, 1, 127, -128};
    if (type_.torch == at::kShort) return {0, 32767, -32768};
    if (type_.torch == at::kInt) return {0, 2147483647, -2147483647 - 1, 16777217, 16777216};
    if (type_.torch == at::kLong) {
      return {0,
              std::numeric_limits<std::int64_t>::max(),
              std::numeric_limits<std::int64_t>::min(),
              std::int64_t{16777217},
              (std::int64_t{1} << 60) + 1,
              std::int64_t{1} << 60};
    }
    constexpr double kInf = std::numeric_limits<double>::infinity();
    std::vector<at::Scalar> values = {0.0, -0.0, kInf, -kInf, std::nan(""), 1.0};
    if (at::isComplexType(type_.torch)) {
      values.emplace_back(c10::complex<double>(kInf, 1));
      values.emplace_back(c10::complex<double>(1, std::nan("")));
      return values;
    }
    for (const double value : range_ends()) {
      values.emplace_back(value);
      values.emplace_back(-value);
    }
    return values;
  }

  // Largest, smallest normal, largest subnormal, smallest subnormal.
  std::vector<double> range_ends() const {
    switch (type_.torch) {
      case at::kHalf:
        return {65504, 0x1p-14, 0x1.ff8p-15, 0x1p-24};
      case at::kBFloat16:
        return {0x1.fep127, 0x1p-126, 0x1.fcp-127, 0x1p-133};
      case at::kFloat:
        return {0x1.fffffep127, 0x1p-126, 0x1.fffffcp-127, 0x1p-149};
      default:
        return {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                std::numeric_limits<double>::min() * (1 - 0x1p-52),
                std::numeric_limits<double>::denorm_min()};
    }
  }

  Type type_;
  std::mt19937_64 random_;
};

std::vector<bool> oracle(const at::Tensor& eager, const at::Tensor& plugin, bool equal_nan) {
  std::vector<bool> results;
  for (const ToleranceLevel& level : tolerance_levels()) {
    results.push_back(at::allclose(plugin, eager, level.rtol, level.atol, equal_nan));
  }
  return results;
}

std::optional<float> oracle_max_diff(const at::Tensor& eager, const at::Tensor& plugin) {
  if (eager.numel() == 0) return std::nullopt;
  return (eager.to(at::kFloat) - plugin.to(at::kFloat)).abs().max().item<float>();
}

void check(Type type, int cases) {
  at::globalContext().setFlushDenormal(false);
  constexpr std::uint64_t kSeed = 20261122;
  Generator generator(type, kSeed);
  int undecided = 0;  // cases that some levels accept and some do not
  for (int i = 0; i < cases; ++i) {
    SCOPED_TRACE(std::string(base::dtype_name(type.dtype)) + " case " + std::to_string(i));
    generator.next();
    const at::Tensor& eager = generator.eager;
    const at::Tensor& plugin = generator.plugin;
    const auto result = compare_outputs({{type.dtype, eager.sizes().vec(), eager.data_ptr()}},
                                        {{type.dtype, plugin.sizes().vec(), plugin.data_ptr()}})
                            .outputs[0];
    const std::vector<bool> expected = oracle(eager, plugin, false);
    undecided += expected[3] != expected[63];
    ASSERT_EQ(result.all_close, expected);
    ASSERT_EQ(result.bit_equal, at::equal(plugin, eager));
    if (eager.isnan().any().item<bool>() || plugin.isnan().any().item<bool>()) {
      ASSERT_EQ(result.all_close_nan_equal, oracle(eager, plugin, true));
    } else {
      ASSERT_EQ(result.all_close_nan_equal, expected);
    }
    const std::optional<float> max_diff = oracle_max_diff(eager, plugin);
    ASSERT_EQ(result.max_diff.has_value(), max_diff.has_value());
    if (max_diff) {
      ASSERT_TRUE(*result.max_diff == *max_diff ||
                  (std::isnan(*result.max_diff) && std::isnan(*max_diff)));
    }
  }
  EXPECT_GT(undecided, cases / 10) << "the cases must tell levels apart";
}

TEST(AllCloseOracle, Float32) {
  check({DType::kFloat32, at::kFloat}, 2500);
}
TEST(AllCloseOracle, Float64) {
  check({DType::kFloat64, at::kDouble}, 1500);
}
TEST(AllCloseOracle, Float16) {
  check({DType::kFloat16, at::kHalf}, 1800);
}
TEST(AllCloseOracle, BFloat16) {
  check({DType::kBFloat16, at::kBFloat16}, 1800);
}
TEST(AllCloseOracle, Integers) {
  check({DType::kInt64, at::kLong}, 500);
  check({DType::kInt32, at::kInt}, 400);
  check({DType::kInt16, at::kShort}, 300);
  check({DType::kInt8, at::kChar}, 300);
  check({DType::kUInt8, at::kByte}, 200);
}
TEST(AllCloseOracle, Bools) {
  check({DType::kBool, at::kBool}, 200);
}
// Moduli are not the same to the last bit, so no difference lies on an edge.
TEST(AllCloseOracle, Complex) {
  check({DType::kComplex64, at::kComplexFloat}, 300);
  check({DType::kComplex128, at::kComplexDouble}, 200);
}

}  // namespace all_close_oracle_test
}  // namespace graphnet::verify
