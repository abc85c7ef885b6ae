// SPDX-License-Identifier: MIT
#include "journal/checked_line.h"

#include "base/sha256.h"

namespace graphnet::journal {

namespace {

constexpr std::string_view kBefore = ",\"check\":\"";
constexpr std::string_view kAfter = "\"}";
constexpr std::size_t kDigits = 16;
constexpr std::size_t kMemberBytes = kBefore.size() + kDigits + kAfter.size();

std::string digits_of(std::string_view body) {
  return base::sha256_hex(body.data(), body.size()).substr(0, kDigits);
}

/// True if the line ends as with_check() ends one, whatever the digits.
bool has_check(std::string_view line) {
  return line.size() > kMemberBytes &&
         line.substr(line.size() - kMemberBytes, kBefore.size()) == kBefore &&
         line.substr(line.size() - kAfter.size()) == kAfter;
}

}  // namespace

std::string with_check(std::string object) {
  object.pop_back();  // the closing brace
  const std::string digits = digits_of(object);
  return object.append(kBefore).append(digits).append(kAfter);
}

CheckResult examine_check(std::string_view line) {
  if (!has_check(line)) return CheckResult::kAbsent;
  const std::size_t body = line.size() - kMemberBytes;
  const bool is_same =
      line.substr(body + kBefore.size(), kDigits) == digits_of(line.substr(0, body));
  return is_same ? CheckResult::kGood : CheckResult::kDamaged;
}

std::string without_check(std::string_view line) {
  if (!has_check(line)) return std::string(line);
  return std::string(line.substr(0, line.size() - kMemberBytes)) + "}";
}

}  // namespace graphnet::journal
