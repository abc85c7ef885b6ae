// SPDX-License-Identifier: MIT
// `graphnet sample convert` and `rename`: what they write is run beside the original.
#include <gtest/gtest.h>

#include <map>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/stable_spellings.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace convert_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kRoot = source_dir();

// A call that is converted, between the markers of a region that are not.
constexpr const char* kVmap =
    "bi = torch.arange(2)\nki = torch.arange(3)\n"
    "n1 = torch._functorch.predispatch._vmap_increment_nesting(2, \"error\")\n"
    "b1 = torch._functorch.predispatch._add_batch_dim(bi, 0, 1)\n"
    "n2 = torch._functorch.predispatch._vmap_increment_nesting(3, \"error\")\n"
    "k1 = torch._functorch.predispatch._add_batch_dim(ki, 0, 2)\n"
    "s = b1 * k1\nt = s * 0.5\ng = torch._C._nn.gelu(t)\n"
    "o2 = torch._functorch.predispatch._remove_batch_dim(g, 2, 3, 0)\n"
    "n3 = torch._functorch.predispatch._vmap_decrement_nesting()\n"
    "o1 = torch._functorch.predispatch._remove_batch_dim(o2, 1, 2, 0)\n"
    "n4 = torch._functorch.predispatch._vmap_decrement_nesting()\n"
    "m = o1.sum()\nx = a * m\nreturn (x,)";

std::string metadata(const std::string& name, const std::string& shape, const std::string& rest) {
  return "class Program_weight_tensor_meta_" + name + ":\n    name = \"" + name +
         "\"\n    shape = " + shape + "\n    device = \"cpu\"\n" + rest;
}

/// A sample whose arguments are those of StableSpelling::body.
void write_sample(const TempDir& temp, const std::string& name, const std::string& body) {
  std::string model =
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor):\n        ";
  for (const char letter : body) model += letter == '\n' ? "\n        " : std::string(1, letter);
  const std::string real =
      "    dtype = \"torch.float32\"\n    mean = 0.5\n    std = 0.25\n    data = None\n\n\n";
  const std::string place = "before/samples/" + name;
  temp.write(place + "/model.py", model + "\n");
  temp.write(place + "/weight_meta.py",
             metadata("a", "[2, 2, 4]", real) +
                 metadata("b", "[3]",
                          "    dtype = \"torch.int64\"\n    mean = None\n    std = None\n"
                          "    data = [2, 0, 1]\n\n\n") +
                 metadata("c", "[3, 4]", real));
  temp.write(place + "/graph_net.json", R"({"framework": "torch"})");
}

ProgramEnd graphnet(const TempDir& temp, std::vector<std::string> words) {
  words.insert(words.begin(), kProgram);
  return run_program(words, {}, temp.path() / "log");
}

/// Runs all samples of a tree; their records by name.
std::map<std::string, record::Record> run(const TempDir& temp, const std::string& tree) {
  const fs::path journal = temp.path() / (tree + ".jsonl");
  const ProgramEnd end =
      graphnet(temp, {"run", (temp.path() / tree / "samples").string(), "--config",
                      kRoot + "/configs/nope.yaml", "--threads", "1", "--protocol", "upstream",
                      "--warmup", "0", "--trials", "1", "--digest", "-o", journal.string()});
  std::map<std::string, record::Record> records;
  auto content = journal::read_journal(journal);
  EXPECT_TRUE(content.is_ok()) << content.status().to_string() << end.output;
  if (!content.is_ok()) return records;
  for (record::Record& record : content->records) {
    std::string name = record.sample;
    records[name] = std::move(record);
  }
  return records;
}

/// Every sample of `tree` ends as before it was rewritten, with the same bits.
void expect_equal_results(const std::map<std::string, record::Record>& before,
                          const std::map<std::string, record::Record>& after) {
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, record] : before) {
    SCOPED_TRACE(name);
    const auto found = after.find(name);
    ASSERT_NE(found, after.end());
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.message;
    EXPECT_EQ(found->second.outcome, record.outcome) << found->second.message;
    ASSERT_FALSE(record.digest["eager_outputs"].empty());
    EXPECT_EQ(found->second.digest, record.digest);
  }
}

TEST(Convert, GivesTheSameBits) {
  const TempDir temp;
  std::size_t number = 10;
  for (const StableSpelling& spelling : kStableSpellings) {
    write_sample(temp, "task/" + std::to_string(number++), body_of(spelling, spelling.unstable));
  }
  write_sample(temp, "task/vmap", kVmap);
  for (const char* name : {"timm/resnet10t.c3_in1k"}) {
    fs::create_directories(temp.path() / "before/samples" / name);
    fs::copy(kRoot + "/samples/" + name, temp.path() / "before/samples" / name);
  }
  const auto folder = [&](const char* tree) { return (temp.path() / tree / "samples").string(); };
  const auto convert = [&](const char* from, const char* apis, const char* to) {
    const ProgramEnd end = graphnet(
        temp, {"sample", "convert", folder(from), "--apis", apis, "-o", folder(to), "--json"});
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    const auto json = base::parse_json(end.output, "convert");
    EXPECT_TRUE(json.is_ok()) << end.output;
    if (!json.is_ok()) return;
    EXPECT_EQ((*json)["schema"], "graphnet.conversion/1");
    for (const base::Json& row : (*json)["samples"]) EXPECT_FALSE(row["calls"].empty()) << row;
  };
  convert("before", "stable", "stable");
  convert("stable", "unstable", "unstable");
  const auto before = run(temp, "before");
  expect_equal_results(before, run(temp, "stable"));
  expect_equal_results(before, run(temp, "unstable"));
  for (const fs::directory_entry& task : fs::directory_iterator(folder("stable") + "/task")) {
    const std::string model = read_text(task.path() / "model.py");
    EXPECT_EQ(model.find("torch._C._"), std::string::npos) << model;
  }
}

TEST(Convert, ChangesInPlaceOnlyWhatHasSuchCalls) {
  const TempDir temp;
  write_sample(temp, "t/plain", "x = a + 1 # kept\nreturn (x,)");
  write_sample(temp, "t/gelu", "x = torch._C._nn.gelu(a) # lost\nreturn (x,)");
  const fs::path tree = temp.path() / "before/samples";
  const ProgramEnd end =
      graphnet(temp, {"sample", "convert", tree.string(), "--apis", "stable", "--write"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(read_text(tree / "t/plain/model.py").find("# kept"), std::string::npos);
  EXPECT_NE(read_text(tree / "t/gelu/model.py").find("torch.nn.functional.gelu(a)"),
            std::string::npos);
}

TEST(Rename, GivesTheSameBits) {
  const TempDir temp;
  write_sample(temp, "t/one", "l = c\nc = None\nx = torch._C._nn.linear(a, l)\nreturn (x,)");
  const std::string from = (temp.path() / "before/samples").string();
  const ProgramEnd end =
      graphnet(temp, {"sample", "rename", from, "-o", (temp.path() / "after/samples").string()});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  expect_equal_results(run(temp, "before"), run(temp, "after"));
}

}  // namespace convert_test
}  // namespace graphnet::tests
