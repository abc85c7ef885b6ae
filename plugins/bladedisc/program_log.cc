// SPDX-License-Identifier: MIT
#include "bladedisc/program_log.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace graphnet::bladedisc {

namespace {

constexpr std::streamoff kMostLog = std::streamoff{256} << 10;
constexpr std::size_t kLongestMessage = 400;
constexpr std::size_t kMostMarkedLines = 20;
constexpr std::string_view kMark = "[DISC]";

}  // namespace

std::string read_log(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream.tellg();
  if (size <= 0) return "";
  stream.seekg(std::max<std::streamoff>(0, size - kMostLog));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string telling_line(const std::string& log) {
  std::istringstream lines(log);
  std::string last = "it printed nothing";
  std::string error;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    last = line;
    if (line.find("error") != std::string::npos) error = line;
  }
  return (error.empty() ? last : error).substr(0, kLongestMessage);
}

std::string marked_lines(const std::string& log) {
  std::istringstream lines(log);
  std::string marked;
  std::size_t count = 0;
  for (std::string line; count < kMostMarkedLines && std::getline(lines, line);) {
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    marked += line.substr(at, kLongestMessage) + "\n";
    ++count;
  }
  return marked;
}

}  // namespace graphnet::bladedisc
