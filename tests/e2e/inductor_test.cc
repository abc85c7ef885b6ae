// SPDX-License-Identifier: MIT
// `graphnet run --config inductor.yaml` on the smallest bundled sample: compiled in Python, run
// without, found again; and what goes wrong while it compiles.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/marked_processes.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace inductor_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSource = source_dir();
const std::string kSmall = kSource + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

class Inductor : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(build_dir() + "/lib/graphnet/plugins/inductor")) {
      GTEST_SKIP()
          << "plugin inductor is not built: ./graphnet run --config inductor.yaml builds it";
    }
    const std::string python =
        "for each in python3.11 python3; do "
        "$each -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' && exit 0; done; exit 1";
    if (run_program({"/bin/sh", "-c", python}, {}, folder_.path() / "log").state.exit_code != 0) {
      GTEST_SKIP() << "no Python 3.11, in which Inductor compiles";
    }
    fs::create_directories(temporary());
  }

  /// The record of one run; one without an outcome if there is none.
  record::Record run(const std::string& name, const std::vector<std::string>& flags,
                     std::vector<std::string> environment = {}) {
    std::vector<std::string> command = {kProgram, "run", kSmall};
    const fs::path results = folder_.path() / name;
    command.insert(command.end(),
                   {"--config", kSource + "/configs/inductor.yaml", "--protocol", "upstream",
                    "--warmup", "0", "--trials", "1", "--threads", "1", "-o", results.string()});
    command.insert(command.end(), flags.begin(), flags.end());
    environment.push_back("TMPDIR=" + temporary().string());
    output_ = run_program(command, environment, folder_.path() / "log").output;
    auto content = journal::read_journal(results);
    return content.is_ok() && !content->records.empty() ? content->records[0] : record::Record();
  }
  fs::path temporary() const { return folder_.path() / "temporary"; }

  TempDir folder_;
  std::string output_;
};

TEST_F(Inductor, CompilesOnceAndIsFoundInTheArtifactCache) {
  const std::vector<std::string> flags = {"--artifact-cache", (folder_.path() / "cache").string(),
                                          "--dump", (folder_.path() / "dump").string()};
  for (const bool is_first : {true, false}) {
    const record::Record record = run(is_first ? "cold.jsonl" : "warm.jsonl", flags);
    ASSERT_EQ(record.outcome, record::Outcome::kOk) << output_;
    EXPECT_EQ(record.verdict.text(), "mixed(declared)")
        << base::dump_json(part_to_json(record.proof));
    EXPECT_EQ(record.plugin_side.compile_ns.has_value(), is_first);
    EXPECT_EQ(record.plugin_side.load_ns.has_value(), !is_first);
    EXPECT_TRUE(record.flags.empty()) << output_;
    EXPECT_TRUE(record.plugin_info.contains("output_copy")) << record.plugin_info;
  }
  const fs::path module = folder_.path() / "dump" / "transformers-auto-model" /
                          "sadhaklal_mlp-iris" / "inductor" / "module.py";
  EXPECT_TRUE(contains(read_text(module), "call(aten.linear.default, input=v3")) << module;
  EXPECT_TRUE(fs::is_empty(temporary())) << "files are left behind";
}

TEST_F(Inductor, RunsWithKnownWeights) {
  const record::Record record = run("frozen.jsonl", {"--set", "weights=frozen"});
  EXPECT_EQ(record.outcome, record::Outcome::kOk) << output_;
  EXPECT_EQ(record.plugin_variant, "inductor+frozen");
  // Without freezing the code would call the same product as with unknown weights.
  ASSERT_TRUE(record.plugin_info.contains("frozen_constants")) << record.plugin_info;
  EXPECT_NE(record.plugin_info["frozen_constants"], "0");
}

TEST_F(Inductor, SaysWhyItCannotCompile) {
  folder_.write("dies", "#!/bin/sh\necho last words\nexit 3\n");
  folder_.write("killed", "#!/bin/sh\nkill -9 $$\n");
  for (const char* name : {"dies", "killed"}) {
    fs::permissions(folder_.path() / name, fs::perms::owner_all);
  }
  const auto python = [&](const std::string& program) {
    return "backend.options.python=" + program;
  };
  struct Mistake {
    std::string setting;
    std::vector<std::string> environment;
    const char* message;
  };
  const Mistake mistakes[] = {
      {python("/no/such/python"),
       {},
       "'/no/such/python' cannot be started: No such file or directory"},
      {python((folder_.path() / "dies").string()), {}, "ended with exit code 3: last words"},
      {python((folder_.path() / "killed").string()), {}, "was killed by signal 9"},
      {"threads=1", {"CXX=/no/such/g++"}, "No working C++ compiler"},
  };
  for (const Mistake& mistake : mistakes) {
    const record::Record record = run(std::to_string(&mistake - mistakes) + ".jsonl",
                                      {"--set", mistake.setting}, mistake.environment);
    EXPECT_EQ(record.outcome, record::Outcome::kCompileFailed) << output_;
    EXPECT_TRUE(contains(record.message, mistake.message)) << record.message;
    EXPECT_TRUE(fs::is_empty(temporary())) << "files are left behind";
  }
}

TEST_F(Inductor, ACompileThatTakesTooLongLeavesNoProcess) {
  const record::Record record = run("late.jsonl", {"--set", "timeouts.compile=2s"});
  EXPECT_EQ(record.outcome, record::Outcome::kTimedOut) << output_;
  EXPECT_EQ(num_left_processes("TORCHINDUCTOR_CACHE_DIR=" + temporary().string()), 0);
  EXPECT_TRUE(fs::is_empty(temporary())) << "files are left behind";
}

}  // namespace inductor_test
}  // namespace graphnet::tests
