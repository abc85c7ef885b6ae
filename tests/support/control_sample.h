// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
  std::filesystem::copy(std::string(GRAPHNET_SOURCE_DIR) + "/configs/control", sample);
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

/// The same with 16 features and 4 rows: a call of eager takes a few microseconds.
inline std::filesystem::path write_small_sample(const TempDir& folder, const std::string& name) {
  const auto sample = write_control_sample(folder, name, {});
  std::ifstream in(sample / "weight_meta.py", std::ios::binary);
  std::string metas = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto replace_all = [&metas](const std::string& old, const std::string& with) {
    for (auto at = metas.find(old); at != std::string::npos; at = metas.find(old)) {
      metas.replace(at, old.size(), with);
    }
  };
  replace_all("[64, 512]", "[4, 16]");
  replace_all("[512, 512]", "[16, 16]");
  replace_all("[512]", "[16]");
  folder.write(name + "/weight_meta.py", metas);
  return sample;
}

}  // namespace graphnet::tests
