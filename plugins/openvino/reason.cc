// SPDX-License-Identifier: MIT
#include "reason.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace graphnet::openvino {

namespace {

bool begins_with(const std::string& line, const char* start) {
  return line.rfind(start, 0) == 0;
}

// Where it happened in OpenVINO's sources.
bool is_place(const std::string& line) {
  return line.empty() || begins_with(line, "Exception ") || begins_with(line, "Check '") ||
         begins_with(line, "FrontEnd API failed") || begins_with(line, "Model wasn't fully") ||
         begins_with(line, "While validating node") || begins_with(line, "Details:") ||
         begins_with(line, "Not Implemented:");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void add(std::string& text, const std::string& part) {
  if (text.find(part) == std::string::npos) text += (text.empty() ? "" : "; ") + part;
}

}  // namespace

std::string plain_reason(const std::string& message) {
  constexpr const char* kEntry = " with a message:";
  constexpr const char* kNoRule = "-- No conversion rule found for operations: ";
  std::string failed;    // operators of the sample
  std::string consumed;  // the frontend's own, which fail with them
  std::string rest;
  std::string op;
  for (const std::string& line : lines_of(message)) {
    const std::size_t entry = line.find(kEntry);
    if (begins_with(line, "-- ") && entry != std::string::npos) {
      op = line.substr(3, entry - 3);
    } else if (begins_with(line, "Summary:")) {
      break;
    } else if (!is_place(line)) {
      std::string& list = op.empty() ? rest : begins_with(op, "aten::") ? failed : consumed;
      add(list, op.empty() ? line : op + ": " + line);
    }
  }
  // The summary names operators without a rule, which have no entry of their own.
  for (const std::string& line : lines_of(message)) {
    if (begins_with(line, kNoRule))
      add(failed, "no rule for " + line.substr(std::string(kNoRule).size()));
  }
  if (!failed.empty() || !rest.empty() || !consumed.empty()) {
    return !failed.empty() ? failed : !rest.empty() ? rest : consumed;
  }
  std::string whole = message;
  std::replace(whole.begin(), whole.end(), '\n', ' ');
  return whole;
}

}  // namespace graphnet::openvino
