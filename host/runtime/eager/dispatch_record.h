// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eager/overload.h"
#include "graph/graph.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Number of a tensor of a recorded run: those given first, then results of calls and literals.
using graph::kNoValue;
using graph::ValueId;

/// An operator call as the kernels below autograd got it, or a literal.
struct DispatchedCall {
  const Overload* overload = nullptr;  ///< null: a literal, torch.tensor(...)
  /// torch.ops.aten.<name>.<overload>(...); the variables in it are values.
  graph::Expression expression;
  std::vector<ValueId> reads;
  std::vector<ValueId> written;               ///< of `reads`, those that it changes
  std::vector<std::vector<ValueId>> results;  ///< as returned; lists have several
  std::vector<bool> is_list;                  ///< by returned value; lists are tuples in Python
  bool is_view = false;                       ///< gives other views of what it reads
};

/// A tensor by the memory that it is a view of.
struct DispatchedValue {
  std::string name;                ///< unique, as torch.fx would call it
  std::int32_t call = -1;          ///< that gave it; -1: it was there
  std::vector<std::int64_t> path;  ///< in what the call gives; empty: all of it
  std::int64_t storage = 0;        ///< values of one storage share memory
  at::ScalarType type = at::ScalarType::Undefined;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements
  std::int64_t offset = 0;            ///< in elements, in the storage
};

/// Records the operator calls of this thread that reach the kernels of a device, those of
/// autograd's backward pass included, while it lives. Composite operators come as what they consist
/// of.
///
/// A tensor is known by storage, offset, extents, strides and type: autograd hands out other
/// objects for what it saved. One at a time.
///
/// source   libtorch's dispatch key Fake, which lies below autograd and is used by nothing
class DispatchRecord {
 public:
  DispatchRecord();
  ~DispatchRecord();
  DispatchRecord(const DispatchRecord&) = delete;
  DispatchRecord& operator=(const DispatchRecord&) = delete;

  /// A tensor that is there before calls use it.
  ValueId give(const at::Tensor& tensor, const std::string& name);
  /// The number of a tensor; of an unknown one a literal is made.
  ValueId find(const at::Tensor& tensor);

  const std::vector<DispatchedCall>& calls() const;
  const std::vector<DispatchedValue>& values() const;
  /// Why the calls are no program: the first reason; empty: they are.
  const std::string& problem() const;

  /// While it lives, calls are made without being recorded.
  class Pause {
   public:
    Pause() : guard_(c10::DispatchKey::Fake) {}

   private:
    c10::impl::ExcludeDispatchKeyGuard guard_;
  };

  /// Called for each tensor that a call reads, before it runs.
  using ReadWatch = std::function<void(ValueId, const at::Tensor&)>;
  void watch_reads(ReadWatch watch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graphnet::eager
