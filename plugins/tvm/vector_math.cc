// SPDX-License-Identifier: MIT
#include "tvm_plugin/vector_math.h"

#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "graphnet/failure.h"
#include "tvm_plugin/expression.h"
#include "tvm_plugin/vector_code.h"

namespace graphnet::tvm {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// NaN stays.
Vector clamped(const Vector& x, double low, double high) {
  return choice(x < low, value_like(x, low), choice(x > high, value_like(x, high), x));
}

/// 2 to an int32 that a float32 has an exponent for.
Vector power_of_two(const Vector& exponent) {
  return from_bits(shifted_left(exponent + 127, 23));
}

// source   Cephes expf. The power of two comes in two halves, so that results may be subnormal.
Vector exponential(const Vector& given) {
  const Vector x = clamped(given, -104, 89);
  const Vector n = floor(x * 1.44269504088896341 + 0.5);
  const Vector r = x - n * 0.693359375 - n * -2.12194440e-4;
  const Vector p = polynomial<6>(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                                     4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  const Vector whole = to_type(n, Type::kI32);
  const Vector half = shifted_right(whole, 1);
  return (p * r * r + r + 1) * power_of_two(half) * power_of_two(whole - half);
}

// source   Cephes logf
Vector normal_logarithm(const Vector& x) {
  const Vector bits = bits_of(x);
  const Vector exponent = to_type(shifted_right(bits, 23) - 126, Type::kF32);
  const Vector half = from_bits(masked(bits, 0x007fffff) + 0x3f000000);
  const Vector is_low = half < 0.707106781186547524;
  const Vector e = choice(is_low, exponent - 1, exponent);
  const Vector m = choice(is_low, half + half - 1, half - 1);
  const Vector p = polynomial<9>(
      m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
          -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  const Vector rest = p * m * (m * m) + e * -2.12194440e-4 - m * m * 0.5;
  return m + rest + e * 0.693359375;
}

Vector logarithm(const Vector& x) {
  constexpr double kSmallestNormal = std::numeric_limits<float>::min();
  const Vector is_small = x < kSmallestNormal;
  const Vector usual = normal_logarithm(choice(is_small, x * 8388608.0, x));
  const Vector shift = choice(is_small, value_like(x, -23 * 0.69314718055994531), value_like(x, 0));
  const Vector positive = choice(x == kInfinity, x, usual + shift);
  const Vector zero = choice(x == 0, value_like(x, -kInfinity), positive);
  const Vector number =
      choice(x < 0, value_like(x, std::numeric_limits<double>::quiet_NaN()), zero);
  const Vector is_nan = masked(bits_of(x), 2147483647) > 2139095040;
  return choice(is_nan, x, number);
}

// source   Eigen's rational approximations
Vector hyperbolic_tangent(const Vector& given) {
  const Vector x = clamped(given, -7.90531110763549805, 7.90531110763549805);
  const Vector s = x * x;
  const Vector p = polynomial<7>(
      s, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
          1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03});
  const Vector q = polynomial<4>(
      s, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
  const Vector usual = choice(s < 1.6e-7, x, x * p / q);
  // Exactly 1 beyond the range, for those who subtract it.
  return choice(x > 7.9, value_like(x, 1), choice(x < -7.9, value_like(x, -1), usual));
}

Vector error_function(const Vector& given) {
  const Vector x = clamped(given, -4, 4);
  const Vector s = x * x;
  const Vector p = polynomial<7>(
      s, {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
          -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02});
  const Vector q =
      polynomial<5>(s, {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
                        -7.37332916720468e-03, -1.42647390514189e-02});
  return x * p / q;
}

// What rounding took from 1 + x is put back by the quotient.
Vector logarithm_plus_one(const Vector& x) {
  const Vector u = x + 1;
  const Vector usual = logarithm(u) * (x / (u - 1));
  return choice(u == 1, x, choice(u == kInfinity, u, usual));
}

struct Function {
  const char* intrinsic;
  const char* name;  ///< of ours, before its lanes
  Vector (*write)(const Vector&);
};

constexpr std::array<Function, 5> kFunctions = {{
    {"tirx.exp", "graphnet_exp", exponential},
    {"tirx.log", "graphnet_log", logarithm},
    {"tirx.log1p", "graphnet_log1p", logarithm_plus_one},
    {"tirx.tanh", "graphnet_tanh", hyperbolic_tangent},
    {"tirx.erf", "graphnet_erf", error_function},
}};

/// By lanes: what code that this thread lowers calls.
using Called = std::map<int, std::set<const Function*>>;
Called& called() {
  thread_local Called functions;
  return functions;
}

std::string name_of(const Function& function, int lanes) {
  return std::string(function.name) + "_" + std::to_string(lanes);
}

/// What is put for a call of an intrinsic of float32; a call of another type stays.
Ref call_of(const Ref& intrinsic_call, const Function& function) {
  const auto arguments = field(intrinsic_call, "args").cast<Array<Ref>>();
  const Ref type = field(intrinsic_call, "ty").cast<Ref>();
  const auto dtype = field(type, "dtype").cast<DLDataType>();
  if (dtype.code != kDLFloat || dtype.bits != 32) return intrinsic_call;
  const int lanes = dtype.lanes;
  called()[lanes].insert(&function);
  const Ref name = make("ir.StringImm", String(name_of(function, lanes)), nullptr);
  return operator_call("tirx.call_pure_extern", type, {name, arguments[0]});
}

constexpr int kBeforeTvmsOwn = 99;

}  // namespace

void register_vector_math(Math math) {
  static const Math told = [&] {
    for (const Function& function : kFunctions) {
      if (math == Math::kLibrary) break;
      const auto rule = ffi::Function::FromTyped(
          [&function](const Ref& expression) { return call_of(expression, function); });
      call("tirx.RegisterOpLowerIntrinsic", String(function.intrinsic), rule, String("llvm"),
           kBeforeTvmsOwn);
    }
    return math;
  }();
  if (told != math) {
    throw Failure(GN_STATUS_UNAVAILABLE, "option 'math' cannot change within a process");
  }
}

std::string take_vector_functions() {
  std::string text;
  for (const auto& [lanes, functions] : std::exchange(called(), {})) {
    text += vector_declarations(lanes);
    for (const Function* function : functions) {
      text += VectorWriter(lanes).write(name_of(*function, lanes), function->write);
    }
  }
  return text;
}

std::string describe(Math math) {
  return math == Math::kLibrary
             ? "the C library's"
             : "polynomials (units in the last place: exp, log 1; log1p, tanh 3; erf 4)";
}

}  // namespace graphnet::tvm
