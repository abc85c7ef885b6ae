// SPDX-License-Identifier: MIT
#include "config/quantity.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "config/yaml_reader.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

using Unit = std::pair<std::string_view, double>;

constexpr std::array<Unit, 6> kFlopUnits = {
    {{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}, {"", 1}}};

/// Amount times unit; 0 for "none"; negative for anything that is no quantity.
template <typename Units>
double parse(std::string_view text, const Units& units) {
  if (text == "none") return 0;
  double amount = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || !(amount > 0)) return -1;
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  for (const auto& [name, factor] : units) {
    if (unit == name) return amount * factor;
  }
  return -1;
}

template <typename Units>
std::string format(double value, const Units& units) {
  if (value == 0) return "none";
  for (const auto& [name, factor] : units) {
    const double amount = value / factor;
    if (amount < 1 || amount * 1000 != static_cast<double>(static_cast<long long>(amount * 1000))) {
      continue;
    }
    std::array<char, 48> text = {};
    std::snprintf(text.data(), text.size(), "%.12g", amount);
    return std::string(text.data()) + std::string(name);
  }
  std::array<char, 48> text = {};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

Status refused(const char* wanted, std::string_view text) {
  return Status(Code::kUsage, "must be " + std::string(wanted) + " or none, got '" +
                                  std::string(text.substr(0, 60)) + "'");
}

}  // namespace

Result<double> parse_flop(std::string_view text) {
  const double flop = parse(text, kFlopUnits);
  if (!(flop >= 0) || flop > 1e30) return refused("operations a call such as 2T or 500G", text);
  return flop;
}

Result<double> read_flop(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::kScalar) {
    return error_at(node, what + " must be operations a call such as 2T, got " + describe(node));
  }
  Result<double> flop = parse_flop(node.text);
  if (flop.is_ok()) return flop;
  return error_at(node, what + " " + flop.status().message());
}

std::string format_flop_limit(double flop) {
  return format(flop, kFlopUnits);
}

}  // namespace graphnet::config
