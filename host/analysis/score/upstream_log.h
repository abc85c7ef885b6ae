// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet::score {

/// What a log of upstream's benchmark programs says about one sample.
struct LogSample {
  std::size_t line = 0;  ///< of its Processing line, from 1
  std::string path;      ///< of the sample; blanks kept, "model_path: " in front removed
  std::map<std::string, std::string> config;  ///< "model", "device", "hardware", "compiler", ...
  std::vector<std::string> eager_types;
  std::vector<std::string> compiled_types;
  /// One value an output, by the words between the brackets: "equal", "all_close_atol_...".
  std::map<std::string, std::vector<double>> correctness;
  std::optional<double> speedup;  ///< e2e

  /// Of a Performance line, if it has them (logs before 2026 do not).
  struct Spread {
    std::optional<double> median;
    std::optional<double> iqr;
  };
  Spread eager_spread;
  Spread compiled_spread;

  int num_profiles = 0;  ///< Profiling lines: sides that got through their first calls
  std::optional<bool> types_match;
  std::optional<bool> shapes_match;
  std::string failed_side;      ///< "eager", "compiled", empty: no line says so
  std::string failure_message;  ///< of the first such line; may be empty
  bool has_fluctuated = false;  ///< upstream did not report times because they were noisy
  bool never_began = false;     ///< announced by batch mode, but there is no Processing line
  bool is_cut_off = false;      ///< the file ends inside a line of this sample
  /// Lines that a sample has once were there twice: logs of two runs have been mixed.
  bool is_mixed_up = false;
  bool is_garbled = false;  ///< a value that is no number

  /// What upstream's own analysis looks at; each is about any line of the sample.
  struct Seen {
    bool eager_types = false;
    bool compiled_types = false;
    bool shapes_match = false;
    bool types_match = false;
    bool all_close = false;
    bool error = false;  ///< "Exception:" or "Error:"
  };
  Seen seen;
};

/// Reads the log text of test_compiler, test_target_device or eval_backend_diff of any age, for
/// torch or Paddle, of one sample or a batch, whatever the prompt and whatever else was printed.
///
/// A sample begins with its Processing line; text before the first belongs to none. By default a
/// second Processing line for the same path directly behind the first (which test_target_device
/// prints) begins no second sample, and a sample that batch mode announced but that has no lines is
/// reported as `never_began`. With `compat` both are as in upstream's analysis: counted twice, not
/// seen.
///
/// order    as in the text
/// errors   none: text that is no log has no samples
/// source   GraphNet bench analysis_util, test_compiler, test_target_device
std::vector<LogSample> read_upstream_log(std::string_view text, bool compat);

}  // namespace graphnet::score
