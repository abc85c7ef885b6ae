// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace graphnet::report {

/// How long the rest of a run takes: the planned cost of each task that is left, times the seconds
/// that a unit of cost took so far with its backend. Samples differ by a factor of a thousand and
/// compilers by one of ten, so the number of tasks that are done says little.
///
/// units    cost: any, the same for all tasks; times in seconds
class TimeEstimate {
 public:
  void plan(const std::string& backend, double cost);
  /// A planned task has ended. One that was not measured (`seconds` negative) teaches nothing.
  void done(const std::string& backend, double cost, double seconds);
  /// A task of an earlier run.
  void learn(const std::string& backend, double cost, double seconds);

  /// True once some task has taught what a unit of cost takes.
  bool is_known() const { return all_.cost > 0; }
  /// Of the tasks that are planned and not done, one after the other.
  double left() const;

 private:
  struct Taken {
    double cost = 0;
    double seconds = 0;
  };

  std::map<std::string, double> planned_;  // cost that is left, by backend
  std::map<std::string, Taken> taken_;     // by backend
  Taken all_;
};

}  // namespace graphnet::report
