// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace graphnet::tvm {

/// Puts back the action of a signal when it goes: loading TVM replaces the host's.
class KeptSignal {
 public:
  explicit KeptSignal(int signal) : signal_(signal) { sigaction(signal, nullptr, &action_); }
  KeptSignal(const KeptSignal&) = delete;
  KeptSignal& operator=(const KeptSignal&) = delete;
  ~KeptSignal() { sigaction(signal_, &action_, nullptr); }

 private:
  int signal_;
  struct sigaction action_ = {};
};

}  // namespace graphnet::tvm
