// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"

namespace graphnet::tests {

/// What upstream computed for each sample: the lines of a file of tests/golden.
inline std::vector<base::Json> read_upstream_goldens(const std::filesystem::path& file) {
  std::vector<base::Json> goldens;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    auto golden = base::parse_json(line, file.string());
    EXPECT_TRUE(golden.is_ok()) << golden.status().to_string();
    if (golden.is_ok()) goldens.push_back(std::move(golden).value());
  }
  EXPECT_FALSE(goldens.empty()) << file;
  return goldens;
}

/// Largest allowed difference from another processor's kernels, relative to the largest element.
inline double tolerance_of(const std::string& dtype) {
  if (dtype == "float16") return 2e-2;
  if (dtype == "bfloat16") return 8e-2;
  return dtype == "float32" ? 1e-3 : 0.0;
}

/// Compares the digest of an output (worker/output_digest.h) with what upstream's holds.
inline void expect_near_golden(const base::Json& ours, const base::Json& golden,
                               const std::string& name) {
  for (const char* exact : {"shape", "dtype", "nan_count", "inf_count"}) {
    if (!golden.contains(exact)) continue;
    ASSERT_EQ(ours[exact], golden[exact]) << name << ' ' << exact;
  }
  if (golden["max_abs"].is_null()) return;
  const double scale = golden["max_abs"].get<double>();
  const double allowed = tolerance_of(golden["dtype"].get<std::string>()) * scale;
  EXPECT_NEAR(ours["max_abs"].get<double>(), scale, allowed) << name;
  EXPECT_NEAR(ours["mean"].get<double>(), golden["mean"].get<double>(), allowed) << name;
  const base::Json first = golden.value("first4", base::Json::array());
  for (std::size_t i = 0; i < first.size(); ++i) {
    // NaN and infinity are words on both sides.
    if (!first[i].is_number() || !ours["first4"][i].is_number()) {
      EXPECT_EQ(ours["first4"][i], first[i]) << name;
      continue;
    }
    EXPECT_NEAR(ours["first4"][i].get<double>(), first[i].get<double>(), allowed) << name;
  }
}

}  // namespace graphnet::tests
