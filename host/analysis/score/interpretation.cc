// SPDX-License-Identifier: MIT
#include "score/interpretation.h"

namespace graphnet::score {

namespace {

constexpr int kNever = kLastLevel + 1;

/// One interpretation; levels by Failure's value.
struct Interpretation {
  InterpretationKind kind;
  const char* name;
  int last_level;
  std::array<int, kNumFailures> forgiven_from;
  /// In upstream's aggregated form.
  int reference_in_aggregate;
};

// source   GraphNet bench positive_tolerance_interpretation. The paper forgives execution crashes
//          from t = 2; upstream's program, and the tables it published, from 3.
constexpr std::array<Interpretation, 2> kInterpretations = {{
    //                                                 none accuracy nan type shape run comp eager
    {InterpretationKind::kDefault, "default", 4, {kNever, 1, 3, 3, 3, 3, 3, 3}, 3},
    {InterpretationKind::kMismatchExtended,
     "mismatch_extended",
     5,
     {kNever, 1, 2, 2, 2, 3, 4, kNever},
     3},
}};

const Interpretation& interpretation_of(InterpretationKind kind) {
  return kInterpretations[kind == InterpretationKind::kDefault ? 0 : 1];
}

}  // namespace

const char* interpretation_name(InterpretationKind kind) {
  return interpretation_of(kind).name;
}

std::optional<InterpretationKind> interpretation_from_name(const std::string& name) {
  for (const Interpretation& entry : kInterpretations) {
    if (name == entry.name) return entry.kind;
  }
  return std::nullopt;
}

int last_level(InterpretationKind kind) {
  return interpretation_of(kind).last_level;
}

std::optional<int> forgiven_from(InterpretationKind kind, Failure failure, bool compat_aggregate) {
  const Interpretation& entry = interpretation_of(kind);
  const int level = failure == Failure::kReference && compat_aggregate
                        ? entry.reference_in_aggregate
                        : entry.forgiven_from[static_cast<std::size_t>(failure)];
  return level == kNever ? std::nullopt : std::optional<int>(level);
}

std::map<int, double> upstream_weights() {
  std::map<int, double> weights = {{-10, 0.001}, {-9, 0.001}, {-8, 0.001}, {-7, 0.13}, {-6, 0.40}};
  for (int t = -5; t <= 4; ++t) weights[t] = 0.48;
  return weights;
}

}  // namespace graphnet::score
