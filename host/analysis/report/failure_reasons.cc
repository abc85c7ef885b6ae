// SPDX-License-Identifier: MIT
#include "report/failure_reasons.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

constexpr std::size_t kMaxReasons = 12;
constexpr std::size_t kMaxSamples = 4;

bool is_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// A message with each number as "#".
std::string without_numbers(const std::string& message) {
  std::string text;
  for (const char letter : message) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    const bool goes_on = !text.empty() && text.back() == '#' && (is_digit || letter == '.');
    if (!goes_on) text += is_digit ? '#' : letter;
  }
  return text;
}

/// Of one backend at first.
FailureReason& entry_of(std::vector<FailureReason>& reasons, const FailedResult& failure,
                        const std::string& reason) {
  const std::string key = without_numbers(reason);
  const auto found = std::find_if(reasons.begin(), reasons.end(), [&](const auto& known) {
    return known.backends.front() == failure.backend && known.outcome == failure.outcome &&
           without_numbers(known.reason) == key;
  });
  if (found != reasons.end()) return *found;
  return reasons.emplace_back(FailureReason{{failure.backend}, failure.outcome, reason, {}});
}

/// Joins reasons that differ in their backends only.
std::vector<FailureReason> joined(std::vector<FailureReason> reasons) {
  std::vector<FailureReason> kept;
  for (FailureReason& reason : reasons) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const auto& known) {
      return known.outcome == reason.outcome && known.samples == reason.samples &&
             without_numbers(known.reason) == without_numbers(reason.reason);
    });
    if (same == kept.end()) {
      kept.push_back(std::move(reason));
    } else {
      same->backends.push_back(reason.backends.front());
    }
  }
  return kept;
}

std::string samples_text(const std::vector<std::string>& samples) {
  const std::size_t shown = std::min(samples.size(), kMaxSamples);
  std::string text =
      base::join({samples.begin(), samples.begin() + static_cast<long>(shown)}, ", ");
  if (shown < samples.size()) text += ", " + std::to_string(samples.size() - shown) + " more";
  return text;
}

}  // namespace

std::vector<std::string> operators_in(const std::string& message) {
  std::vector<std::string> operators;
  for (std::size_t colons = message.find("::"); colons != std::string::npos;
       colons = message.find("::", colons + 2)) {
    std::size_t begin = colons;
    while (begin > 0 && is_name(message[begin - 1])) --begin;
    std::size_t end = colons + 2;
    while (end < message.size() && (is_name(message[end]) || message[end] == '.')) ++end;
    while (message[end - 1] == '.') --end;  // of the sentence
    if (begin == colons || end == colons + 2) continue;
    std::string name = message.substr(begin, end - begin);
    if (std::find(operators.begin(), operators.end(), name) == operators.end()) {
      operators.push_back(std::move(name));
    }
  }
  return operators;
}

std::vector<FailureReason> failure_reasons(const std::vector<FailedResult>& failures) {
  std::vector<FailureReason> reasons;
  for (const FailedResult& failure : failures) {
    std::vector<std::string> names = operators_in(failure.message);
    if (names.empty()) names.push_back(in_one_line(failure.message));
    for (const std::string& name : names) {
      entry_of(reasons, failure, name).samples.push_back(failure.sample);
    }
  }
  reasons = joined(std::move(reasons));
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.samples.size() > b.samples.size();
  });
  return reasons;
}

std::string failure_text(const std::vector<FailureReason>& reasons, int width) {
  std::string text = reasons.empty() ? "" : "not ok, by reason:\n";
  for (std::size_t i = 0; i < reasons.size() && i < kMaxReasons; ++i) {
    const FailureReason& reason = reasons[i];
    std::string line = "  " + reason.outcome + " (" + base::join(reason.backends, ", ") + "): ";
    if (!reason.reason.empty()) line += reason.reason + ", ";
    line += base::counted(reason.samples.size(), "sample") + ": " + samples_text(reason.samples);
    for (const std::string& part : wrapped(printable(line), width, 4)) text += part + "\n";
  }
  if (reasons.size() > kMaxReasons) {
    text += "  and " + base::counted(reasons.size() - kMaxReasons, "reason") + " more\n";
  }
  return text;
}

}  // namespace graphnet::report
