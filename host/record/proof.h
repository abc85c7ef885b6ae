// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/fields.h"

namespace graphnet::record {

/// A file or piece of memory whose code ran in traced calls; proof/ledger.h.
struct ProofModule {
  std::string module;  ///< "anonymous": made at run time
  std::string kind;    ///< "expect": the plugin's; see proof/regions.h
  std::string epoch;   ///< since when it was there
  std::optional<std::int64_t> text_bytes;
  std::optional<std::int64_t> windows;  ///< pieces of 64 KiB that were entered
  std::vector<std::string> symbols;     ///< the first few
  std::optional<double> share;          ///< of the samples of thread_sampler.h
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("module", self.module);
    field("class", self.kind);
    field("epoch", self.epoch);
    field("text_bytes", self.text_bytes);
    field("windows", self.windows);
    field("symbols", self.symbols);
    field("share", self.share);
  }
};

/// A function of libtorch that was entered.
struct ProofFinding {
  std::string symbol;
  std::string caller;
  std::optional<bool> entry;  ///< called by somebody other than libtorch
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("symbol", self.symbol);
    field("caller", self.caller);
    field("entry", self.entry);
  }
};

/// Operators as libtorch's dispatcher counted them.
struct ProofDispatcher {
  NamedCounts called;
  std::optional<std::int64_t> nested;
  std::optional<std::int64_t> threads;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("called", self.called);
    field("nested", self.nested);
    field("threads", self.threads);
  }
};

/// Where time was spent.
struct ProofSamples {
  std::string unavailable;  ///< why there are none; empty: there are
  std::optional<std::int64_t> count;
  std::optional<std::int64_t> waiting;
  std::vector<ProofModule> shares;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("unavailable", self.unavailable);
    field("count", self.count);
    field("waiting", self.waiting);
    field("shares", self.shares);
  }
};

/// Work on a device whose times cannot be right, or that nobody waited for.
struct WorkOutside {
  std::optional<std::int64_t> early;  ///< pieces that began before the call
  std::optional<std::int64_t> late;   ///< pieces that ended after it
  std::optional<double> most_early_ns;
  std::optional<double> most_late_ns;
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("early", self.early);
    field("late", self.late);
    field("most_early_ns", self.most_early_ns);
    field("most_late_ns", self.most_late_ns);
  }
};

/// What one side's traced calls did on a device.
struct DeviceCalls {
  std::optional<double> busy_ns;  ///< of a call
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("busy_ns", self.busy_ns);
  }
};

/// Work on a device; proof/device_json.h.
struct ProofDevice {
  std::optional<std::int64_t> calls;
  std::optional<double> busy_ns;  ///< of a call of the plugin
  DeviceCalls replays;
  DeviceCalls eager_calls;
  WorkOutside outside_span;  ///< of the call
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("calls", self.calls);
    field("busy_ns", self.busy_ns);
    field("replays", self.replays);
    field("eager_calls", self.eager_calls);
    field("outside_span", self.outside_span);
  }
};

/// What the verdict rests on: worker/proof_phase.h and proof/ledger.h. Empty: no proof.
struct Proof {
  std::string unavailable;  ///< why execute-deny did not run; empty: it did
  std::string tracer;       ///< "full" or "counts"
  std::optional<std::int64_t> calls;
  std::optional<double> arm_ns;
  std::optional<double> traced_call_ns;
  ProofDispatcher dispatcher;
  std::string outputs;  ///< "equal", "within tolerance", or how they differ
  std::optional<double> call_ns;
  std::optional<std::int64_t> hits;
  std::optional<std::int64_t> hit_threads;
  std::vector<ProofModule> modules;
  std::vector<ProofFinding> denied;
  std::optional<double> extra_ns;
  NamedTimes steps;
  ProofSamples samples;
  ProofDevice device;
  base::Json moments;  ///< what was seen when, by kind: proof/moments.h
  Remainder rest;

  template <typename Self, typename Visit>
  static void visit(Self& self, Visit&& field) {
    field("unavailable", self.unavailable);
    field("witness", self.tracer);
    field("calls", self.calls);
    field("arm_ns", self.arm_ns);
    field("traced_call_ns", self.traced_call_ns);
    field("dispatcher", self.dispatcher);
    field("outputs", self.outputs);
    field("call_ns", self.call_ns);
    field("hits", self.hits);
    field("hit_threads", self.hit_threads);
    field("modules", self.modules);
    field("denied", self.denied);
    field("extra_ns", self.extra_ns);
    field("steps", self.steps);
    field("samples", self.samples);
    field("device", self.device);
    field("moments", self.moments);
  }
};

}  // namespace graphnet::record
