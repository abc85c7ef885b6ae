// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "conformance/case_file.h"

namespace graphnet::conformance {

/// What became of a case, whatever was expected.
enum class Outcome : std::uint8_t {
  kPassed,
  kFailed,       ///< wrong, refused for another reason than below, crashed, hung
  kUnsupported,  ///< compile said so
  kInvalid,      ///< the case itself is wrong: eager does not run it or gives something else
};

struct CaseResult {
  Outcome outcome = Outcome::kPassed;
  std::string message;  ///< empty if passed; kGaveUp and why if that was allowed
};

/// Begins the message of a case that a plugin gave up for want of memory.
inline constexpr const char* kGaveUp = "gave up: ";

/// How a plugin is used.
struct SessionSettings {
  base::Json options = base::Json::object();  ///< validated, defaults filled in
  /// Each executable is serialized, loaded again and run too, if the plugin has the slots.
  bool artifacts = false;
  /// Bytes that a call into the plugin may take beyond what the process has; nothing: no limit.
  /// With a limit a case passes if the plugin gives up, by a status or a death, but not if it says
  /// that it is done and is not.
  std::optional<std::uint64_t> memory = std::nullopt;
  std::vector<std::filesystem::path> opened_before = {};  ///< as plugin::LibraryFiles
  bool quiet = false;  ///< what the plugin prints is dropped; else it goes to standard error
};

/// A plugin loaded into this process, and libtorch to compare with.
class PluginSession {
 public:
  ~PluginSession();

  /// Loads the library and creates a backend for one thread.
  ///
  /// errors   as plugin::Library::open() and the plugin's own
  static base::Result<std::unique_ptr<PluginSession>> open(const std::filesystem::path& library,
                                                           const SessionSettings& settings);

  /// Asks whether the plugin would compile the case's graph (check_only), which compile must then
  /// do. Compiles and binds it, runs it twice on the case's inputs and once on other ones
  /// at the same addresses, and compares with eager: the outcome rule of verify/compare.h, and
  /// every element within the case's bound or that of its type (element_bound.h). The first two
  /// runs must give the same bits, as must the loaded executable; guards, inputs and weights stay
  /// as they were.
  CaseResult run(const Case& item);

 private:
  struct State;
  explicit PluginSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace graphnet::conformance
