// SPDX-License-Identifier: MIT
#include "config/version_range.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxNumbers = 3;
constexpr std::size_t kMaxRangeBytes = 128;  // messages quote all of it
constexpr std::size_t kMaxDigits = 18;       // of one number; more would not fit 64 bits

bool is_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

int sign(bool is_less, bool is_greater) {
  return is_less ? -1 : is_greater ? 1 : 0;
}

/// Numbers without leading zeros: the longer is the greater.
std::string without_zeros(const std::string& digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

/// Numbers compare as numbers and are older than words; words compare by their bytes.
int compare_identifiers(const std::string& left, const std::string& right) {
  const bool is_left_number = is_digits(left);
  const bool is_right_number = is_digits(right);
  if (is_left_number != is_right_number) return is_left_number ? -1 : 1;
  if (!is_left_number) return sign(left < right, right < left);
  const std::string a = without_zeros(left);
  const std::string b = without_zeros(right);
  if (a.size() != b.size()) return sign(a.size() < b.size(), true);
  return sign(a < b, b < a);
}

int compare_pre_releases(const std::vector<std::string>& left,
                         const std::vector<std::string>& right) {
  if (left.empty() || right.empty()) return sign(!left.empty(), !right.empty());
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const int order = compare_identifiers(left[i], right[i]);
    if (order != 0) return order;
  }
  return sign(left.size() < right.size(), right.size() < left.size());
}

bool holds(const VersionRange::Bound& bound, const Version& version) {
  const int order = compare_versions(version, bound.version);
  const bool allows_equal = bound.relation.back() == '=';
  if (order == 0) return allows_equal;
  return bound.relation[0] == (order < 0 ? '<' : '>');
}

Result<VersionRange::Bound> parse_bound(const std::string& text) {
  VersionRange::Bound bound;
  const std::size_t begin = std::min(text.find_first_not_of("<>=!~^"), text.size());
  bound.relation = begin == 0 ? "=" : text.substr(0, begin);
  constexpr std::array<const char*, 5> kRelations = {"=", "<", "<=", ">", ">="};
  if (std::find(kRelations.begin(), kRelations.end(), bound.relation) == kRelations.end()) {
    return Status(Code::kInput, "'" + bound.relation + "' is none of = < <= > >=");
  }
  GN_ASSIGN_OR_RETURN(bound.version, parse_version(trim(text.substr(begin))));
  return bound;
}

}  // namespace

Result<Version> parse_version(const std::string& text) {
  const Status malformed(Code::kInput,
                         "'" + text.substr(0, 64) + "' is no version such as 0.3.1 or 0.3.1-rc.1");
  const std::string comparable = text.substr(0, text.find('+'));
  const std::size_t dash = comparable.find('-');
  Version version;
  for (const std::string& number : base::split(comparable.substr(0, dash), '.')) {
    if (!is_digits(number) || number.size() > kMaxDigits) return malformed;
    version.numbers.push_back(std::stoll(number));
  }
  if (version.numbers.size() > kMaxNumbers) return malformed;
  version.numbers.resize(kMaxNumbers, 0);
  if (dash == std::string::npos) return version;
  version.pre_release = base::split(comparable.substr(dash + 1), '.');
  const auto is_malformed = [](const std::string& part) {
    constexpr const char* kAllowed =
        "0123456789-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return part.empty() || part.find_first_not_of(kAllowed) != std::string::npos;
  };
  const auto& parts = version.pre_release;
  if (std::any_of(parts.begin(), parts.end(), is_malformed)) return malformed;
  return version;
}

int compare_versions(const Version& left, const Version& right) {
  if (left.numbers != right.numbers) return left.numbers < right.numbers ? -1 : 1;
  return compare_pre_releases(left.pre_release, right.pre_release);
}

bool VersionRange::contains(const Version& version) const {
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const Bound& bound) { return holds(bound, version); });
}

Result<VersionRange> parse_version_range(const std::string& text) {
  VersionRange range;
  range.text = text;
  if (text == "any") return range;
  if (text.size() > kMaxRangeBytes) {
    return Status(Code::kInput, "it is longer than " + std::to_string(kMaxRangeBytes) + " bytes");
  }
  for (const std::string& part : base::split(text, ',')) {
    GN_ASSIGN_OR_RETURN(VersionRange::Bound bound, parse_bound(trim(part)));
    range.bounds.push_back(std::move(bound));
  }
  return range;
}

}  // namespace graphnet::config
