// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>

#include "sample/sample.h"
#include "worker/eager_side.h"
#include "worker/input_shuffle.h"

namespace graphnet::worker {

/// Contents for all inputs of a sample that may change, without a seed: nobody must know what a
/// call will see.
///
/// order    after the first run of eager, which finds out what must stay
inline InputShuffle fresh_inputs(const sample::Sample& sample, const EagerSide& eager) {
  const DeviceArguments& arguments = eager.arguments();
  return {arguments, sample::variable_arguments(sample.metas, arguments.host(),
                                                eager.engine().pinned_arguments())};
}

/// Inputs of the warm-up calls of one side, which are the sample's own again afterwards.
class WarmupInputs {
 public:
  /// Both are borrowed; eager need not have run yet.
  WarmupInputs(const sample::Sample& sample, const EagerSide& eager)
      : sample_(sample), eager_(eager) {}

  /// For measure::SideCalls::renew; borrows this.
  std::function<base::Status()> renew() {
    return [this] {
      if (!shuffle_) shuffle_.emplace(fresh_inputs(sample_, eager_));
      return shuffle_->next();
    };
  }
  base::Status restore() { return shuffle_ ? shuffle_->restore() : base::Status::ok(); }

 private:
  const sample::Sample& sample_;
  const EagerSide& eager_;
  std::optional<InputShuffle> shuffle_;
};

}  // namespace graphnet::worker
