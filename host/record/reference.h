// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/fields.h"
#include "record/outcome.h"

namespace graphnet::record {

/// Outputs of one side beside those that another machine kept of the same side. Empty outcome: they
/// were not compared, and the message says why.
struct ReferenceSide {
  Word<Outcome> outcome;  ///< by the outcome rule, the reference in the place of eager
  std::string message;
  std::optional<bool> bit_equal;
  /// The reference itself is no measure there: neither machine is to blame.
  std::optional<bool> ill_conditioned;
  base::Json correctness;              ///< as Record::correctness, without "statistics"
  std::optional<double> reference_ns;  ///< medians of a call
  std::optional<double> here_ns;
  std::optional<double> ratio;  ///< reference_ns / here_ns: above 1 it is faster here
  Remainder rest;

  bool is_compared() const { return !outcome.empty(); }
  bool differs() const {
    return is_compared() && outcome != Outcome::kOk && !ill_conditioned.value_or(false);
  }
  /// How many of upstream's 64 levels the worst output passes; 0 for another type or shape, nothing
  /// without outputs.
  std::optional<int> levels_passed() const;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("outcome", self.outcome);
    field("message", self.message);
    field("bit_equal", self.bit_equal);
    field("ill_conditioned", self.ill_conditioned);
    field("correctness", self.correctness);
    field("reference_ns", self.reference_ns);
    field("here_ns", self.here_ns);
    field("ratio", self.ratio);
  }
};

/// A result beside the outputs that another machine, or this one on another day, kept
/// (outputs/kept_outputs.h).
struct Reference {
  std::string missing;  ///< why nothing is compared; empty: it is
  std::string run_id;   ///< of the reference, as what follows
  std::string time_utc;
  std::string backend;
  std::string cpu_model;
  std::string libtorch;
  /// Settings in which the two differ, "threads: 1 there, 2 here": what the ratio means.
  std::vector<std::string> differences;
  ReferenceSide eager;
  ReferenceSide plugin;
  Remainder rest;

  bool differs() const { return eager.differs() || plugin.differs(); }

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("missing", self.missing);
    field("run_id", self.run_id);
    field("time_utc", self.time_utc);
    field("backend", self.backend);
    field("cpu_model", self.cpu_model);
    field("libtorch", self.libtorch);
    field("differences", self.differences);
    field("eager", self.eager);
    field("plugin", self.plugin);
  }
};

}  // namespace graphnet::record
