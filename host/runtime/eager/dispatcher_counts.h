// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace graphnet::eager {

/// Operators that went through libtorch's dispatcher.
struct DispatcherUse {
  std::map<std::string, std::uint64_t> called;  ///< by name, those that no other operator called
  std::uint64_t num_nested = 0;                 ///< calls that operators made in turn
  std::uint64_t num_threads = 0;                ///< that called any; of a sum, the largest

  DispatcherUse& operator+=(const DispatcherUse& other);
};

/// True if every operator was called at least as often as in `program`, which called some.
bool covers(const DispatcherUse& use, const DispatcherUse& program);

/// Counts operator calls of all threads while it exists. What calls kernels without the dispatcher
/// (`at::cpu::relu`) is not seen. One object at a time.
class DispatcherCounts {
 public:
  DispatcherCounts();
  ~DispatcherCounts();
  DispatcherCounts(const DispatcherCounts&) = delete;
  DispatcherCounts& operator=(const DispatcherCounts&) = delete;

  /// Ends counting.
  DispatcherUse take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace graphnet::eager
