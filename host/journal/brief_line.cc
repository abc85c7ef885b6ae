// SPDX-License-Identifier: MIT
#include "journal/brief_line.h"

#include <algorithm>

namespace graphnet::journal {

namespace {

// What comes before an array of numbers and nothing else; `waited_ns` holds two such arrays.
constexpr std::string_view kStarts[] = {"\"trials_ns\":[", "\"warmup_ns\":[",
                                        "\"waited_ns\":{\"eager\":["};
constexpr std::string_view kSecondWait = "],\"plugin\":[";
constexpr std::string_view kNumbers = "0123456789+-.eE,null";

// Where the numbers end that begin at `from`.
std::size_t end_of_numbers(std::string_view line, std::size_t from) {
  return std::min(line.find_first_not_of(kNumbers, from), line.size());
}

}  // namespace

std::string brief_line(std::string_view line) {
  std::string brief;
  brief.reserve(line.size());
  std::size_t copied = 0;
  for (std::size_t at = line.find("_ns\":"); at != std::string_view::npos;
       at = line.find("_ns\":", at)) {
    at += 5;
    for (const std::string_view start : kStarts) {
      const std::size_t key = line.rfind('"', at - 5);
      if (key == std::string_view::npos || line.substr(key, start.size()) != start) continue;
      const std::size_t from = key + start.size();
      std::size_t end = end_of_numbers(line, from);
      brief += line.substr(copied, from - copied);
      copied = end;
      if (line.substr(end, kSecondWait.size()) == kSecondWait) {
        brief += kSecondWait;
        copied = end = end_of_numbers(line, end + kSecondWait.size());
      }
      at = end;
      break;
    }
  }
  return brief.append(line.substr(copied));
}

}  // namespace graphnet::journal
