// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::report {

/// All but kLinear are logarithmic, for values above 0.
enum class Scale {
  kLinear,
  kRatio,     ///< labels "0.5x", "1x", "2x"
  kDuration,  ///< nanoseconds, labels "10 ms", "1 s"
  kCount,     ///< labels "1", "1k", "1M"
  kShare,     ///< labels "1 %", "100 %"
};

struct Tick {
  double value = 0;
  std::string label;
};

/// Maps values to pixels along one side of a chart.
///
/// units    low, high: of the data; from_px and to_px: where they lie, either may be the larger
/// errors   a range that is empty, not finite or, on a logarithmic scale, not positive becomes a
///          small one
class Axis {
 public:
  Axis(Scale scale, double low, double high, double from_px, double to_px);

  /// The pixel of a value; one outside the range lies on its end.
  double at(double value) const;
  bool contains(double value) const;
  /// About `count` round values within the range: 1, 2, 5 times a power of ten, powers of two on an
  /// axis of ratios that spans two octaves or more, powers of ten on the other logarithmic ones.
  std::vector<Tick> ticks(int count) const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  std::string label(double value) const;
  std::vector<Tick> powers(double base, int count) const;
  std::vector<Tick> round_steps(int count) const;

  Scale scale_;
  double low_;
  double high_;
  double from_px_;
  double to_px_;
};

/// The ends of a logarithmic axis; what lies outside is drawn on its end.
struct LogRange {
  double low = 1;
  double high = 1;
};

/// A range for speedups that holds all of `values` and 1, with a margin; at least a quarter of an
/// octave to each side, at most 12 octaves.
LogRange ratio_range(const std::vector<double>& values);

/// A range for durations or counts: from the power of ten below the least of `values` to the one
/// above the greatest, at most 12 apart; 1 to 10 if there are none.
LogRange decade_range(const std::vector<double>& values);

/// "0.25x", "1x", "1.05x": as few digits as tell it apart, at most four.
std::string ratio_label(double ratio);

}  // namespace graphnet::report
