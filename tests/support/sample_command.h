// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {

/// `graphnet sample WORDS...`.
inline ProgramEnd run_sample(std::vector<std::string> words) {
  const TempDir temp;
  const std::filesystem::path program = std::filesystem::path(build_dir()) / "bin/graphnet";
  words.insert(words.begin(), {program.string(), "sample"});
  return run_program(words, {}, temp.path() / "log");
}

/// The same with --json: what it printed on standard output, which the exit code is expected
/// beside.
inline base::Json run_sample_json(std::vector<std::string> words, int exit_code) {
  const TempDir temp;
  const std::filesystem::path program = std::filesystem::path(build_dir()) / "bin/graphnet";
  const std::filesystem::path errors = temp.path() / "errors";
  words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>\"$0\"", errors.string(),
                               program.string(), "sample", "--json"});
  const ProgramEnd end = run_program(words, {}, temp.path() / "log");
  EXPECT_EQ(end.state.exit_code, exit_code) << end.output << read_text(errors);
  auto json = base::parse_json(end.output, "sample");
  EXPECT_TRUE(json.is_ok()) << end.output << read_text(errors);
  return json.is_ok() ? *json : base::Json::object();
}

}  // namespace graphnet::tests
