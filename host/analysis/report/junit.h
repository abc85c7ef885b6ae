// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace graphnet::report {

/// One test case of a JUnit document.
struct JUnitCase {
  enum class End : std::uint8_t { kPassed, kFailed, kSkipped };

  std::string name;
  End end = End::kPassed;
  std::string message;  ///< why it failed or was skipped
};

struct JUnitSuite {
  std::string name;
  std::vector<JUnitCase> cases;
};

/// A document for the test views of CI systems.
///
/// source   the JUnit XML that Jenkins, GitLab and GitHub's reporters read; it has no standard
std::string junit_document(const std::vector<JUnitSuite>& suites);

}  // namespace graphnet::report
