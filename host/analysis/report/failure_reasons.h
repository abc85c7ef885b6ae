// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::report {

/// A sample that is not ok with a backend, and what its record says of it.
struct FailedResult {
  std::string sample;
  std::string backend;
  std::string outcome;
  std::string message;
};

/// Failures with one reason: those with one outcome that name the same operator or, if they name
/// none, have the same message but for numbers. Backends that fail on the same samples share it.
struct FailureReason {
  std::vector<std::string> backends;
  std::string outcome;
  std::string reason;                ///< "aten::index.Tensor", or the first message
  std::vector<std::string> samples;  ///< in order of appearance
};

/// The operators that a message names, as "namespace::name.overload", each once, in their order.
std::vector<std::string> operators_in(const std::string& message);

/// Groups failures; one that names several operators stands under each of them.
///
/// order    those of most samples first, equal ones in order of appearance
std::vector<FailureReason> failure_reasons(const std::vector<FailedResult>& failures);

/// "not ok, by reason:" and a line a reason: "  unsupported (acme): aten::index.Tensor, 3 samples:
/// torchgeometric/GAE, ...". Empty if there is none.
///
/// units    `width`: terminal cells at which lines are wrapped; 0: nowhere
std::string failure_text(const std::vector<FailureReason>& reasons, int width);

}  // namespace graphnet::report
