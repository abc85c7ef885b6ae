// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "eager/call_recorder.h"
#include "eager/planner.h"

namespace graphnet::eager {

/// Executes calls on the Meta device: shapes, strides and element types, no data. Calls whose
/// arguments all have known values and whose results are small run for real, so that `.item()`,
/// sizes and index values work.
///
/// order    of a call: shape_rules.h, then libtorch's own meta kernel
/// errors   TraceError kUnsupported if neither knows the operator or if it reads values that are
///          not known
class MetaExecutor final : public CallRecorder {
 public:
  void execute(const Overload& overload, c10::Stack& stack) override;
  /// Where a shape depends on data and is an upper bound, one sentence each.
  const std::set<std::string>& notes() const { return notes_; }

 private:
  bool is_known(const at::Tensor& tensor) const;
  bool are_known(const c10::Stack& stack) const;
  void infer(const Overload& overload, c10::Stack& stack);
  c10::Stack with_known_masks_selected(c10::Stack arguments) const;
  void forget_written(const Overload& overload, const c10::Stack& arguments);

  /// Real tensors that a call with unknown values wrote to.
  std::vector<at::Tensor> forgotten_;
  std::set<std::string> notes_;
};

}  // namespace graphnet::eager
