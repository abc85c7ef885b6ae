// SPDX-License-Identifier: MIT
// Hashes against those that upstream stored. GRAPHNET_FIXTURES names a folder with more samples.
#include "validate/program_hash.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "base/file.h"
#include "sample/parser.h"
#include "sample/sample.h"
#include "support/folders.h"

namespace graphnet::validate {
namespace program_hash_test {

namespace fs = std::filesystem;

const fs::path kSource = tests::source_dir();

std::string text_of(const fs::path& path) {
  const auto text = base::read_file(path, std::uint64_t{1} << 26);
  return text.is_ok() ? *text : "";
}

graph::Program parse(const std::string& body) {
  const std::string text =
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, x, w):\n" + body;
  auto program = sample::parse_model(text, "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program.is_ok() ? std::move(*program) : graph::Program();
}

/// How many samples below a folder have the hash of each definition.
std::map<std::string, int> count_definitions(const fs::path& root) {
  std::map<std::string, int> counts;
  const auto folders = sample::discover(root);
  EXPECT_TRUE(folders.is_ok()) << folders.status().to_string();
  if (!folders.is_ok()) return counts;
  for (const fs::path& folder : *folders) {
    const auto sample = sample::load_sample(folder);
    const std::string stored = text_of(folder / "graph_hash.txt");
    if (!sample.is_ok() || stored.empty()) continue;
    const auto word = definition_of(stored, sample->program, text_of(folder / "model.py"));
    ++counts[std::string(word)];
  }
  return counts;
}

TEST(ProgramHash, IsUpstreamsWhereItCanBe) {
  std::map<std::string, int> bundled = count_definitions(kSource / "samples");
  EXPECT_EQ(bundled["retraced"], 10);
  EXPECT_EQ(bundled[""], 3) << "sizes that depend on data, item()";
  if (const char* more = std::getenv("GRAPHNET_FIXTURES")) {
    for (const auto& [word, count] : count_definitions(more)) {
      std::cout << (word.empty() ? "unknown" : word) << ": " << count << "\n";
    }
  }
}

TEST(ProgramHash, KnowsEachDefinition) {
  const std::string text =
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, x, w):\n"
      "        l_x = x\n        y = torch._C._nn.gelu(l_x)\n        return (y,)\n";
  const auto program = sample::parse_model(text, "model.py");
  ASSERT_TRUE(program.is_ok());
  for (const DefinitionRow& row : kHashDefinitions) {
    EXPECT_EQ(definition_of(upstream_hash(*program, text, row.definition), *program, text),
              row.word);
  }
  EXPECT_EQ(definition_of(std::string(64, '0'), *program, text), "");
}

TEST(ProgramHash, IsThatOfTheProgramNotOfItsText) {
  const std::string hash = program_hash(
      parse("        y = x @ w\n        z = y.relu();  y = None\n        return (z,)\n"));
  EXPECT_EQ(hash, program_hash(parse("        l_x = x\n        y = w\n        t = l_x @ y\n"
                                     "        y = t.relu()\n        out = y\n"
                                     "        return (out,)\n")));
  for (const char* other :
       {"        y = w @ x\n        z = y.relu()\n        return (z,)\n",
        "        y = x @ w\n        z = y.relu()\n        return z\n",
        "        y = x @ w\n        z = y.relu()\n        return (y,)\n",
        "        y = x @ w\n        y += w\n        z = y.relu()\n        return (z,)\n",
        "        y = x @ w\n        y[0] = w\n        z = y.relu()\n        return (z,)\n"}) {
    EXPECT_NE(hash, program_hash(parse(other))) << other;
  }
}

TEST(ProgramHash, TellsTheTwoSidesOfAnAugmentedNumberApart) {
  const std::string before = "        n = x\n        m = n\n        m += 1\n";
  EXPECT_NE(program_hash(parse(before + "        return (n,)\n")),
            program_hash(parse(before + "        return (m,)\n")));
}

}  // namespace program_hash_test
}  // namespace graphnet::validate
