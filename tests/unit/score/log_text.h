// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/tolerance.h"

namespace graphnet::score {

/// What upstream's program would have measured of one sample.
struct LoggedSample {
  std::string path = "/work/samples/timm/tiny";
  double speedup = 1;
  int correct_from = -10;  ///< first level of the dtype's schedule that accepts the output
  std::string dtype = "float32";
  bool has_quartiles = false;  ///< logs since 2026
};

inline std::string fixed5(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.5f", value);
  return text;
}

inline std::string profile_text() {
  return "[Profiling] Using device: cpu , warm up 1, trials 1\nTrial 1: e2e=2.00000 ms\n";
}

inline std::string head_text(const std::string& path, const std::string& compiler = "inductor") {
  return "P [Processing] " + path + "\nP [Config] model: tiny\nP [Config] device: cuda\n" +
         "P [Config] hardware: NVIDIA A100\nP [Config] compiler: " + compiler +
         "\nP [Config] warmup: 1\nP [Config] trials: 1\n";
}

/// The lines between the second profile and Performance.
inline std::string correctness_text(const LoggedSample& sample) {
  std::string text = "P [Datatype][eager]: " + sample.dtype +
                     "\nP [Datatype][compiled]: " + sample.dtype + "\nP [DataType] eager:['" +
                     sample.dtype + "'] compiled:['" + sample.dtype +
                     "'] match:True\nP [Correctness][equal]: 0\n";
  for (const auto& level : base::tolerance_levels()) {
    text += "P [Correctness][" + level.label +
            "]: " + (level.t >= sample.correct_from ? "1" : "0") + "\n";
  }
  return text + "P [Correctness][max_diff]: 1e-07\nP [Correctness][mean_diff]: nan\n";
}

inline std::string log_text(const LoggedSample& sample) {
  const std::string quartiles = sample.has_quartiles ? "\"median\": 2.0, \"iqr\": 0.1, " : "";
  const std::string performance = "{\"e2e\": {" + quartiles + "\"mean\": 2.0, \"std\": 0.1}}\n";
  return head_text(sample.path) + profile_text() + profile_text() + correctness_text(sample) +
         "P [Result] status: success\nP [Performance][eager]: " + performance +
         "P [Performance][compiled]: " + performance +
         "P [Speedup][e2e]: " + fixed5(sample.speedup) + "\nP [Speedup][gpu]: 1.00000\n";
}

inline std::string log_text(const std::vector<LoggedSample>& samples) {
  std::string text;
  for (const LoggedSample& sample : samples) text += log_text(sample);
  return text;
}

}  // namespace graphnet::score
