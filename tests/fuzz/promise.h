// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

/// The entry of every fuzz target; replay_corpus.cc and libFuzzer call it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace graphnet::fuzz {

/// Longest message of a reader: a few sentences, one line of the file and a caret.
///
/// units    bytes
inline constexpr std::size_t kMaxMessageBytes = 2048;

/// Ends the program with the sentence if a reader broke its promise.
void expect(bool holds, std::string_view promise);

/// The input as text.
inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A failure says one thing: it has a message, message and context are short, and a location
/// "<file>:line:column: " at its front lies within the text.
///
/// errors   ends the program, also if there is no location though `needs_location`
void expect_clear_failure(const base::Status& status, std::string_view file, std::string_view text,
                          bool needs_location);

/// A folder of this process in TMPDIR, removed at exit, with files that are written again and
/// again.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  /// Replaces the content of a file in the folder; returns its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace graphnet::fuzz
