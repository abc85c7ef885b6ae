// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/folders.h"
#include "support/temp_dir.h"

namespace graphnet::tests {

/// A tensor of the control sample, drawn with another mean and standard deviation.
struct Redrawn {
  std::string tensor;
  std::string mean;
  std::string std;
};

/// The control sample (configs/control) as `folder`/`name`, some of its tensors drawn otherwise.
inline std::filesystem::path write_control_sample(const TempDir& folder, const std::string& name,
                                                  const std::vector<Redrawn>& changes) {
  const auto sample = folder.path() / name;
  std::filesystem::copy(source_dir() + "/configs/control", sample);
  std::ifstream in(sample / "weight_meta.py", std::ios::binary);
  std::string metas = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const Redrawn& change : changes) {
    const auto begin = metas.find("mean = ", metas.find("name = \"" + change.tensor + "\""));
    const auto end = metas.find("    data", begin);
    if (begin == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << "the control sample has no tensor '" << change.tensor << "'";
      return sample;
    }
    metas.replace(begin, end - begin, "mean = " + change.mean + "\n    std = " + change.std + "\n");
  }
  folder.write(name + "/weight_meta.py", metas);
  return sample;
}

/// The same with so many rows, inputs a row, and features of both layers.
inline std::filesystem::path write_sized_sample(const TempDir& folder, const std::string& name,
                                                int rows, int inputs, int features,
                                                const std::vector<Redrawn>& changes = {}) {
  const auto sample = write_control_sample(folder, name, changes);
  std::ifstream in(sample / "weight_meta.py", std::ios::binary);
  std::string metas = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto of = [](int one, int other) {
    return "[" + std::to_string(one) + ", " + std::to_string(other) + "]";
  };
  const std::string bias = "[" + std::to_string(features) + "]";
  const std::pair<const char*, std::string> shapes[] = {
      {"L_x_", of(rows, inputs)}, {"L_first_weight_", of(features, inputs)},
      {"L_first_bias_", bias},    {"L_second_weight_", of(features, features)},
      {"L_second_bias_", bias},
  };
  for (const auto& [tensor, shape] : shapes) {
    const auto named = metas.find("name = \"" + std::string(tensor) + "\"");
    const auto begin = named == std::string::npos ? named : metas.find("shape = [", named);
    if (begin == std::string::npos) {
      ADD_FAILURE() << "the control sample has no tensor '" << tensor << "'";
      return sample;
    }
    metas.replace(begin, metas.find(']', begin) + 1 - begin, "shape = " + shape);
  }
  folder.write(name + "/weight_meta.py", metas);
  return sample;
}

/// A call of eager takes a few microseconds.
inline std::filesystem::path write_small_sample(const TempDir& folder, const std::string& name) {
  return write_sized_sample(folder, name, 4, 16, 16);
}

}  // namespace graphnet::tests
