// SPDX-License-Identifier: MIT
#include "report/reference_text.h"

#include <cstdio>
#include <vector>

#include "base/text.h"
#include "base/tolerance.h"

namespace graphnet::report {

using record::Reference;
using record::ReferenceSide;

namespace {

bool is_equal(const ReferenceSide& side) {
  return !side.is_compared() || side.bit_equal.value_or(false);
}

/// From good to bad.
int rank_of(const ReferenceSide& side) {
  if (!side.is_compared()) return 0;
  if (side.differs()) return 4;
  if (side.ill_conditioned.value_or(false)) return 3;
  return is_equal(side) ? 1 : 2;
}

std::string levels_text(const ReferenceSide& side, const char* between) {
  return std::to_string(side.levels_passed().value_or(0)) + between +
         std::to_string(base::tolerance_levels().size());
}

std::string side_line(const char* name, const ReferenceSide& side) {
  if (!side.differs()) return "";
  return std::string(name) + " " + side.outcome.text() + ": " + side.message + " (" +
         levels_text(side, " of ") + " levels)";
}

}  // namespace

std::string reference_cell(const ReferenceSide& side) {
  constexpr const char* kWords[] = {"-", "equal", "ok", "unclear", "differs"};
  const int rank = rank_of(side);
  if (rank < 2) return kWords[rank];
  return kWords[rank] + (" " + levels_text(side, "/"));
}

std::string reference_cell(const Reference& reference) {
  if (!reference.missing.empty()) return "none";
  const int eager = rank_of(reference.eager);
  const int plugin = rank_of(reference.plugin);
  const bool is_eager = eager > plugin || (eager == plugin && reference.eager.levels_passed() <
                                                                  reference.plugin.levels_passed());
  return reference_cell(is_eager ? reference.eager : reference.plugin);
}

std::string ratio_cell(const std::optional<double>& ratio) {
  if (!ratio) return "-";
  char text[40];
  std::snprintf(text, sizeof text, "%.2fx", *ratio);
  return text;
}

std::string reference_line(const Reference& reference) {
  if (!reference.missing.empty()) return "no reference: " + reference.missing;
  std::vector<std::string> parts;
  for (const std::string& text :
       {side_line("eager", reference.eager), side_line("plugin", reference.plugin)}) {
    if (!text.empty()) parts.push_back(text);
  }
  return base::join(parts, "; ");
}

void ReferenceTally::add(const Reference& reference) {
  if (!reference.eager.is_compared() && !reference.plugin.is_compared()) {
    ++missing;
    return;
  }
  ++compared;
  if (reference.differs()) ++differing;
  if (is_equal(reference.eager) && is_equal(reference.plugin)) ++equal;
}

std::string ReferenceTally::text() const {
  return std::to_string(compared) + " compared, " + std::to_string(equal) + " equal to the bit, " +
         std::to_string(differing) + (differing == 1 ? " differs, " : " differ, ") +
         std::to_string(missing) + " without a reference";
}

}  // namespace graphnet::report
