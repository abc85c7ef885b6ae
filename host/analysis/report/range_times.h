// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace graphnet::report {

/// A beginning of a program, measured with both sides.
///
/// units    nanoseconds of single calls
struct MeasuredBeginning {
  int last_line = 0;  ///< of model.py
  std::string calls;  ///< what its last range calls: "conv2d 3, relu 3"
  /// Whether the times of both sides are pairs, taken one after the other, as a backend's with
  /// eager's are: then drift of the machine cancels in their differences.
  bool is_paired = false;
  std::vector<double> base_ns;  ///< of eager or of backend B
  std::vector<double> backend_ns;
};

/// A time with its 95 % interval.
struct AddedTime {
  double ns = 0;
  double low = 0;
  double high = 0;

  /// Whether it differs from nothing.
  bool is_clear() const { return low > 0 || high < 0; }
};

/// What one range of statements adds to the time of the beginning before it.
struct RangeTime {
  int first_line = 1;
  int last_line = 1;
  std::string calls;
  AddedTime base;
  AddedTime backend;
  AddedTime gain;  ///< base less backend: of pairs the median difference
};

/// Differences of medians between each beginning and the one before it; the last range ends with
/// the program, so that ranges add up to its times. Intervals are of 1,000 resamplings of the calls
/// (or pairs) of both beginnings. That of a gain is wider by the noise floor, a share of the
/// beginning's base time, as each beginning is measured in a process of its own.
///
/// order    beginnings by length; none lacks times
std::vector<RangeTime> range_times(const std::vector<MeasuredBeginning>& beginnings,
                                   double noise_floor);

/// What a comparison of ranges is about.
struct RangeReport {
  std::string sample;
  std::string backend;
  std::string base;  ///< "eager" or backend B
  std::string protocol;
  std::vector<RangeTime> ranges;
  std::vector<std::string> notes;
};

/// The times of the whole program, then a line a range, with a bar: '+' gained against the base,
/// '-' lost, none if the interval holds 0. The longest bar is that of the greatest difference.
///
/// units    width in terminal cells; 0: unlimited
std::string range_text(const RangeReport& report, int width);

/// {"schema": "graphnet.explain/1", "sample", "backend", "base", "protocol", "ranges":
/// [{"first_line", "last_line", "calls", "base_ns", "backend_ns", "gain_ns", each [value, low,
/// high]}], "notes"}
base::Json range_json(const RangeReport& report);

}  // namespace graphnet::report
