// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace graphnet::measure {

/// Cores in the order in which they are taken: `first`, then one of each further physical core,
/// then their other hardware threads.
///
/// shapes   siblings: the hardware threads of a core's physical core, itself among them
/// errors   `first` is left out if it is none of `cores`
std::vector<int> spread_cores(std::vector<int> cores, int first,
                              const std::function<std::vector<int>(int)>& siblings);

/// "0-3,8" as numbers; empty if it is no such list.
std::vector<int> core_list_in(const std::string& text);

/// Binds all threads of this process to some of the cores that it was given, so that a side uses no
/// more cores than it may. Threads that start later inherit the mask of the thread that starts
/// them. A plugin can undo the binding; its processor time shows that.
///
/// The cores are chosen once, at the first call: the one where the caller runs, which the system
/// found free, then others of their own.
class CoreBinding {
 public:
  /// Notes which cores the calling thread may use.
  CoreBinding();

  /// Binds the threads there are now to `count` of them, or all if there are fewer. About 10
  /// microseconds and one more a thread.
  void bind(int count);
  /// Gives all of them back to all threads.
  void release();

  /// Those bound to now, ascending; empty before the first bind().
  const std::vector<int>& cores() const { return bound_; }
  /// Those that this process was given and is not bound to.
  std::vector<int> other_cores() const;

 private:
  void set(const std::vector<int>& cores);

  std::vector<int> mask_;
  std::vector<int> order_;
  std::vector<int> bound_;
};

}  // namespace graphnet::measure
