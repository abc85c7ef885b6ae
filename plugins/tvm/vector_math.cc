// SPDX-License-Identifier: MIT
#include "tvm_plugin/vector_math.h"

#include <array>
#include <cstdint>
#include <limits>

#include "graphnet/failure.h"
#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An expression of one number or of `lanes`.
struct Vector {
  Type type = Type::kF32;
  int lanes = 1;
  Expr e;
};

DLDataType vector_type(Type type, int lanes) {
  DLDataType dtype = tvm_type(type);
  dtype.lanes = static_cast<std::uint16_t>(lanes);
  return dtype;
}

Vector value_like(const Vector& x, double value) {
  const Expr number = literal(x.type, value);
  if (x.lanes == 1) return {x.type, 1, number};
  return {
      x.type, x.lanes,
      make("prim.Broadcast", number,
           make("ir.IntImm", DLDataType{kDLInt, 32, 1}, std::int64_t{x.lanes}, nullptr), nullptr)};
}

Vector apply(const char* name, const Vector& a, const Vector& b) {
  return {a.type, a.lanes, operation(name, a.e, b.e)};
}
Vector operator+(const Vector& a, const Vector& b) {
  return apply("Add", a, b);
}
Vector operator-(const Vector& a, const Vector& b) {
  return apply("Sub", a, b);
}
Vector operator*(const Vector& a, const Vector& b) {
  return apply("Mul", a, b);
}
Vector operator/(const Vector& a, const Vector& b) {
  return apply("Div", a, b);
}
Vector operator+(const Vector& a, double b) {
  return a + value_like(a, b);
}
Vector operator-(const Vector& a, double b) {
  return a - value_like(a, b);
}
Vector operator*(const Vector& a, double b) {
  return a * value_like(a, b);
}
Expr operator<(const Vector& a, double b) {
  return operation("LT", a.e, value_like(a, b).e);
}
Expr operator>(const Vector& a, double b) {
  return operation("GT", a.e, value_like(a, b).e);
}
Expr operator==(const Vector& a, double b) {
  return operation("EQ", a.e, value_like(a, b).e);
}
Vector choice(const Expr& condition, const Vector& yes, const Vector& no) {
  return {yes.type, yes.lanes, select(condition, yes.e, no.e)};
}
Vector shifted_left(const Vector& a, double by) {
  return {a.type, a.lanes, make("prim.left_shift", a.e, value_like(a, by).e, nullptr)};
}
Vector shifted_right(const Vector& a, double by) {
  return {a.type, a.lanes, make("prim.right_shift", a.e, value_like(a, by).e, nullptr)};
}
Vector masked(const Vector& a, double mask) {
  return {a.type, a.lanes, make("prim.bitwise_and", a.e, value_like(a, mask).e, nullptr)};
}
Vector to_type(const Vector& a, Type type) {
  return {type, a.lanes, make("prim._cast", vector_type(type, a.lanes), a.e, nullptr)};
}
Vector intrinsic_of(const char* name, const Vector& a, Type type) {
  return {type, a.lanes,
          make("ir.Call", make("ir.PrimType", vector_type(type, a.lanes)),
               make("ir.GetOp", String(name)), Array<Ref>{a.e}, nullptr, Array<Ref>{}, nullptr)};
}
Vector bits_of(const Vector& a) {
  return intrinsic_of("tirx.reinterpret", a, Type::kI32);
}
Vector from_bits(const Vector& a) {
  return intrinsic_of("tirx.reinterpret", a, Type::kF32);
}

/// Bound to a variable, so that it is computed once.
template <typename Body>
Vector with(const Vector& value, Body body) {
  const Expr variable = make("ir.Var", String("t"),
                             make("ir.PrimType", vector_type(value.type, value.lanes)), nullptr);
  const Vector result = body(Vector{value.type, value.lanes, variable});
  return {result.type, result.lanes, make("prim.Let", variable, value.e, result.e, nullptr)};
}

/// Coefficients from the highest power down.
template <std::size_t count>
Vector polynomial(const Vector& x, const std::array<double, count>& coefficients) {
  Vector sum = value_like(x, coefficients[0]);
  for (std::size_t i = 1; i < count; ++i) sum = sum * x + coefficients[i];
  return sum;
}

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
  return with(clamped(given, -104, 89), [](const Vector& x) {
    const Vector rounded = intrinsic_of("tirx.floor", x * 1.44269504088896341 + 0.5, x.type);
    return with(rounded, [&](const Vector& n) {
      return with(x - n * 0.693359375 - n * -2.12194440e-4, [&](const Vector& r) {
        const Vector p = polynomial<6>(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                                           4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
        return with(to_type(n, Type::kI32), [&](const Vector& whole) {
          const Vector half = shifted_right(whole, 1);
          return (p * r * r + r + 1) * power_of_two(half) * power_of_two(whole - half);
        });
      });
    });
  });
}

// source   Cephes logf
Vector normal_logarithm(const Vector& x) {
  return with(bits_of(x), [](const Vector& bits) {
    const Vector exponent = to_type(shifted_right(bits, 23) - 126, Type::kF32);
    const Vector fraction = from_bits(masked(bits, 0x007fffff) + 0x3f000000);
    return with(fraction, [&](const Vector& half) {
      const Expr is_low = half < 0.707106781186547524;
      return with(choice(is_low, exponent - 1, exponent), [&](const Vector& e) {
        return with(choice(is_low, half + half - 1, half - 1), [&](const Vector& m) {
          const Vector p = polynomial<9>(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                                             -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                                             2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
          const Vector rest = p * m * (m * m) + e * -2.12194440e-4 - m * m * 0.5;
          return m + rest + e * 0.693359375;
        });
      });
    });
  });
}

Vector logarithm(const Vector& given) {
  return with(given, [](const Vector& x) {
    constexpr double kSmallestNormal = std::numeric_limits<float>::min();
    const Expr is_small = x < kSmallestNormal;
    const Vector usual = normal_logarithm(choice(is_small, x * 8388608.0, x));
    const Vector shift =
        choice(is_small, value_like(x, -23 * 0.69314718055994531), value_like(x, 0));
    const Vector positive = choice(x == kInfinity, x, usual + shift);
    const Vector zero = choice(x == 0, value_like(x, -kInfinity), positive);
    const Vector number =
        choice(x < 0, value_like(x, std::numeric_limits<double>::quiet_NaN()), zero);
    const Expr is_nan = masked(bits_of(x), 2147483647) > 2139095040;
    return choice(is_nan, x, number);
  });
}

// source   Eigen's rational approximations
Vector hyperbolic_tangent(const Vector& given) {
  return with(clamped(given, -7.90531110763549805, 7.90531110763549805), [](const Vector& x) {
    return with(x * x, [&](const Vector& s) {
      const Vector p =
          polynomial<7>(s, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11,
                            5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04,
                            4.89352455891786e-03});
      const Vector q = polynomial<4>(s, {1.19825839466702e-06, 1.18534705686654e-04,
                                         2.26843463243900e-03, 4.89352518554385e-03});
      const Vector usual = choice(s < 1.6e-7, x, x * p / q);
      // Exactly 1 beyond the range, for those who subtract it.
      return choice(x > 7.9, value_like(x, 1), choice(x < -7.9, value_like(x, -1), usual));
    });
  });
}

Vector error_function(const Vector& given) {
  return with(clamped(given, -4, 4), [](const Vector& x) {
    return with(x * x, [&](const Vector& s) {
      const Vector p =
          polynomial<7>(s, {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06,
                            -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
                            -1.60960333262415e-02});
      const Vector q =
          polynomial<5>(s, {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
                            -7.37332916720468e-03, -1.42647390514189e-02});
      return x * p / q;
    });
  });
}

// What rounding took from 1 + x is put back by the quotient.
Vector logarithm_plus_one(const Vector& given) {
  return with(given, [](const Vector& x) {
    return with(x + 1, [&](const Vector& u) {
      const Vector usual = logarithm(u) * (x / (u - 1));
      return choice(u == 1, x, choice(u == kInfinity, u, usual));
    });
  });
}

struct Function {
  const char* intrinsic;
  Vector (*write)(const Vector&);
};

constexpr std::array<Function, 5> kFunctions = {{
    {"tirx.exp", exponential},
    {"tirx.log", logarithm},
    {"tirx.log1p", logarithm_plus_one},
    {"tirx.tanh", hyperbolic_tangent},
    {"tirx.erf", error_function},
}};

/// What is put for a call of an intrinsic of float32; a call of another type stays.
Ref written_out(const Ref& call_expression, Vector (*write)(const Vector&)) {
  const auto arguments = field(call_expression, "args").cast<Array<Ref>>();
  const Ref type = field(call_expression, "ty").cast<Ref>();
  const auto dtype = field(type, "dtype").cast<DLDataType>();
  if (dtype.code != kDLFloat || dtype.bits != 32) return call_expression;
  return write({Type::kF32, dtype.lanes, arguments[0]}).e;
}

constexpr int kBeforeTvmsOwn = 99;

}  // namespace

void register_vector_math(Math math) {
  static const Math told = [&] {
    for (const Function& function : kFunctions) {
      if (math == Math::kLibrary) break;
      const auto rule = ffi::Function::FromTyped([write = function.write](const Ref& expression) {
        return written_out(expression, write);
      });
      call("tirx.RegisterOpLowerIntrinsic", String(function.intrinsic), rule, String("llvm"),
           kBeforeTvmsOwn);
    }
    return math;
  }();
  if (told != math) {
    throw Failure(GN_STATUS_UNAVAILABLE, "option 'math' cannot change within a process");
  }
}

std::string describe(Math math) {
  return math == Math::kLibrary
             ? "the C library's"
             : "polynomials (units in the last place: exp, log 1; log1p, tanh 3; erf 4)";
}

}  // namespace graphnet::tvm
