// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <optional>
#include <utility>

#include "base/status.h"

namespace graphnet::base {

/// A value, or the Status that says why there is none.
///
/// errors   value() of a failed result is a bug of ours and asserts.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a value is a result
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): so is a failure
  Result(Status status) : status_(std::move(status)) { assert(!status_.is_ok()); }

  bool is_ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& value() & {
    assert(value_);
    return *value_;
  }
  const T& value() const& {
    assert(value_);
    return *value_;
  }
  T value() && {
    assert(value_);
    return std::move(*value_);
  }

  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace graphnet::base

#define GN_CONCAT_INNER(a, b) a##b
#define GN_CONCAT(a, b) GN_CONCAT_INNER(a, b)

/// Returns the status of `expression` from the enclosing function if it is a failure.
#define GN_RETURN_IF_ERROR(expression)                  \
  do {                                                  \
    ::graphnet::base::Status gn_status_ = (expression); \
    if (!gn_status_.is_ok()) return gn_status_;         \
  } while (false)

/// Declares `lhs` from a Result, or returns its status from the enclosing function.
#define GN_ASSIGN_OR_RETURN(lhs, expression) \
  GN_ASSIGN_OR_RETURN_INNER(GN_CONCAT(gn_result_, __LINE__), lhs, expression)
#define GN_ASSIGN_OR_RETURN_INNER(result, lhs, expression) \
  auto result = (expression);                              \
  if (!result.is_ok()) return std::move(result).status();  \
  lhs = std::move(result).value()
