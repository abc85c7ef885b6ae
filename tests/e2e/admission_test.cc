// SPDX-License-Identifier: MIT
// Samples that do not fit are skipped with the numbers, before anything is allocated.
#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace admission_test {

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kConfig = source_dir() + "/configs/nope.yaml";
const std::string kIris = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

struct Finished {
  ProgramEnd end;
  std::vector<record::Record> records;
};

Finished run(const std::vector<std::string>& samples, const std::vector<std::string>& flags) {
  const TempDir folder;
  const auto results = folder.path() / "results.jsonl";
  std::vector<std::string> words = {kProgram, "run"};
  words.insert(words.end(), samples.begin(), samples.end());
  words.insert(words.end(), {"--config", kConfig, "--protocol", "upstream", "--warmup", "0",
                             "--trials", "1", "-o", results.string()});
  words.insert(words.end(), flags.begin(), flags.end());
  Finished run;
  run.end = run_program(words, {}, folder.path() / "log");
  const auto journal = journal::read_journal(results);
  EXPECT_TRUE(journal.is_ok()) << journal.status().to_string() << run.end.output;
  if (journal.is_ok()) run.records = journal->records;
  return run;
}

/// A sample whose one input has `shape`; `body` is the statements of forward().
std::string forge(const TempDir& folder, const std::string& shape, const std::string& body) {
  folder.write("samples/forged/huge/graph_net.json", "{\"framework\": \"torch\"}\n");
  folder.write("samples/forged/huge/model.py",
               "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
               "    def forward(self, L_x_: torch.Tensor):\n        l_x_ = L_x_\n" +
                   body);
  folder.write("samples/forged/huge/weight_meta.py",
               "class Program_weight_tensor_meta_L_x_:\n    name = \"L_x_\"\n    shape = " + shape +
                   "\n    dtype = \"torch.float32\"\n    device = \"cpu\"\n    mean = 0.0\n"
                   "    std = 1.0\n    data = None\n");
  folder.write("samples/forged/huge/input_meta.py", "");
  return (folder.path() / "samples/forged/huge").string();
}

TEST(Admission, HugeResultIsSkippedWithItsNumbers) {
  const TempDir folder;
  const std::string sample = forge(folder, "[1024, 1024, 1024]",
                                   "        y = l_x_.repeat(1048576, 1, 1)\n        return (y,)\n");
  const Finished done = run({sample, kIris}, {});
  ASSERT_EQ(done.records.size(), 2U) << done.end.output;
  const record::Record& record = done.records[0];
  EXPECT_EQ(record.outcome, record::Outcome::kSkipped);
  EXPECT_EQ(record.phase, record::Phase::kPlan);
  EXPECT_EQ(record.message.rfind("skipped(memory: need ", 0), 0U) << record.message;
  EXPECT_NE(record.message.find(", have "), std::string::npos) << record.message;
  EXPECT_EQ(record.plan.argument_bytes, std::int64_t{1} << 32U);
  EXPECT_EQ(record.plan.output_bytes, std::int64_t{1} << 52U);
  EXPECT_EQ(record.plan.peak_live_bytes, std::int64_t{1} << 52U);
  EXPECT_EQ(done.end.state.exit_code, 0) << done.end.output;
  EXPECT_NE(done.end.output.find("1 ok, 1 skipped"), std::string::npos) << done.end.output;
}

TEST(Admission, HugeArgumentsAreSkippedEvenWithoutPlan) {
  const TempDir folder;
  const std::string sample =
      forge(folder, "[1099511627776]",
            "        s = l_x_.sum()\n        n = s.long()\n        y = n.item()\n"
            "        z = torch.zeros(y)\n        return (z,)\n");
  const Finished done = run({sample}, {"--fail-on", "any"});
  ASSERT_EQ(done.records.size(), 1U) << done.end.output;
  EXPECT_EQ(done.records[0].outcome, record::Outcome::kSkipped) << done.records[0].message;
  EXPECT_FALSE(done.records[0].plan.flop);
  EXPECT_EQ(done.end.state.exit_code, 1);
}

TEST(Admission, CostAboveTheLimitIsSkipped) {
  const Finished done = run({kIris}, {"--max-gflop", "0.00000001"});
  ASSERT_EQ(done.records.size(), 1U) << done.end.output;
  EXPECT_EQ(done.records[0].outcome, record::Outcome::kSkipped);
  EXPECT_EQ(done.records[0].message, "skipped(cost: 150 FLOP a call, limit 10 FLOP)");
  EXPECT_EQ(done.end.state.exit_code, 0) << done.end.output;
}

TEST(Admission, MemoryLimitOfTheConfigHolds) {
  const Finished done =
      run({kIris}, {"--set", "limits.memory=256MiB", "--set", "limits.memory_by=rlimit"});
  ASSERT_EQ(done.records.size(), 1U) << done.end.output;
  EXPECT_EQ(done.records[0].message, "skipped(memory: need 300 MiB, have 256 MiB)");
}

}  // namespace admission_test
}  // namespace graphnet::tests
