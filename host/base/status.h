// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace graphnet::base {

/// What kind of failure a Status reports; the blocks follow the exit codes of the command line.
///
/// source   exit codes: see cli/exit_code.h
enum class Code {
  kOk = 0,
  kUsage,        ///< the command line is wrong
  kInput,        ///< a sample, config or results file is invalid
  kUnsupported,  ///< valid, but this program or plugin cannot do it
  kPlugin,       ///< a plugin is missing, refused or misbehaves
  kEnvironment,  ///< device, library, memory, disk
  kInternal,     ///< a bug of ours
};

/// Lower-case word for a code, as written in records ("input", "plugin", ...).
const char* code_name(Code code);

/// Success, or a failure with what, where, why and what to try. Never throws; one pointer wide.
///
/// The message is one sentence, lower case, without a final stop. Context lines are added while
/// the status travels up (outermost last) and answer "where" and "why"; hints answer "what to try".
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  static Status ok() { return {}; }

  bool is_ok() const { return failure_ == nullptr; }
  Code code() const { return failure_ ? failure_->code : Code::kOk; }
  /// Empty for success.
  const std::string& message() const;
  const std::vector<std::string>& context() const;
  const std::vector<std::string>& hints() const;

  /// Adds "where" or "why"; no effect on success.
  Status& add_context(std::string line) &;
  Status&& add_context(std::string line) &&;
  /// Adds "what to try"; no effect on success.
  Status& add_hint(std::string line) &;
  Status&& add_hint(std::string line) &&;
  /// Joins a second failure, so that several mistakes are reported at once: its message follows on
  /// a line of its own, its context and hints follow ours unless they are there already. No effect
  /// if `other` is ok; takes it over if this is.
  Status& add_failure(const Status& other) &;

  /// All of it as text: message, then indented "at:" and "try:" lines, without a final newline.
  std::string to_string() const;

 private:
  struct Failure {
    Code code;
    std::string message;
    std::vector<std::string> context;
    std::vector<std::string> hints;
  };
  std::shared_ptr<Failure> failure_;
};

}  // namespace graphnet::base
