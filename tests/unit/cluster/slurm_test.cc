// SPDX-License-Identifier: MIT
#include "cluster/slurm.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "cluster/slurm_script.h"
#include "support/temp_dir.h"

namespace graphnet::cluster {
namespace slurm_test {

SlurmRun example() {
  SlurmRun run;
  run.program = "/opt/graphnet/bin/graphnet";
  run.folder = "/data/my runs/100%";
  run.run_words = {"run",  run.sample_list().string(), "--config", "/etc/it's.yaml", "--protocol",
                   "smoke"};
  run.shards = 12;
  run.options = {"partition=cpu", "time=2:00:00"};
  return run;
}

TEST(SlurmScript, OneTaskAShard) {
  EXPECT_EQ(array_script(example()), R"(#!/bin/bash
#SBATCH --job-name=graphnet
#SBATCH --array=1-12
#SBATCH --requeue
#SBATCH --exclusive
#SBATCH --open-mode=append
#SBATCH --output="/data/my runs/100%%/log/shard-%a.txt"
#SBATCH --partition=cpu
#SBATCH --time=2:00:00
# One shard of a run; started again, it goes on where it was.
shard=${SLURM_ARRAY_TASK_ID:?this script is an array job of Slurm}
exec /opt/graphnet/bin/graphnet run '/data/my runs/100%/samples.txt' --config '/etc/it'\''s.yaml' --protocol smoke \
  --shard "$shard/12" --fail-on never \
  --resume '/data/my runs/100%/shards'/"shard-$shard.jsonl"
)");
  SlurmRun shared = example();
  shared.shares_nodes = true;
  EXPECT_EQ(array_script(shared).find("exclusive"), std::string::npos);
}

TEST(SlurmScript, OneJobMerges) {
  EXPECT_EQ(merge_script(example()), R"(#!/bin/bash
#SBATCH --job-name=graphnet-merge
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output="/data/my runs/100%%/log/merge.txt"
#SBATCH --partition=cpu
#SBATCH --time=2:00:00
exec /opt/graphnet/bin/graphnet merge --output '/data/my runs/100%/results.jsonl' '/data/my runs/100%/shards'
)");
}

TEST(SlurmScript, OptionsStayOnTheirLine) {
  EXPECT_EQ(parse_sbatch_option("partition=gpu").value(), "partition=gpu");
  EXPECT_EQ(parse_sbatch_option("--time=1:00").value(), "time=1:00");
  for (const char* text : {"", "--", "x\nrm -rf /", "x\r"}) {
    EXPECT_EQ(parse_sbatch_option(text).status().code(), base::Code::kUsage) << text;
  }
}

/// A folder with an sbatch of its own in front of PATH.
class SbatchTest : public ::testing::Test {
 protected:
  SbatchTest() : path_(std::getenv("PATH")) {}
  ~SbatchTest() override { ::setenv("PATH", path_.c_str(), 1); }

  void fake(const std::string& body) {
    const auto file = folder_.write("sbatch", "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }

  tests::TempDir folder_;
  std::string path_;
};

TEST_F(SbatchTest, TheJobsNumberIsReturned) {
  fake("echo \"$@\" > " + folder_.path().string() + "/words; echo 'warning: x' >&2; echo '17;one'");
  EXPECT_EQ(submit_script("/x/array.sh", "").value(), "17");
  EXPECT_EQ(base::read_file(folder_.path() / "words", 99).value(), "--parsable /x/array.sh\n");
  EXPECT_EQ(submit_script("/x/merge.sh", "17").value(), "17");
  EXPECT_EQ(base::read_file(folder_.path() / "words", 99).value(),
            "--parsable --dependency=afterany:17 /x/merge.sh\n");
}

TEST_F(SbatchTest, RefusalsAreShown) {
  fake("echo 'sbatch: error: invalid partition'; exit 1");
  const auto refused = submit_script("/x/array.sh", "");
  EXPECT_EQ(refused.status().code(), base::Code::kEnvironment);
  EXPECT_NE(refused.status().to_string().find("invalid partition"), std::string::npos);
  fake("echo no number");
  EXPECT_FALSE(submit_script("/x/array.sh", "").is_ok());
  ::setenv("PATH", folder_.path().c_str(), 1);
  std::filesystem::remove(folder_.path() / "sbatch");
  EXPECT_NE(submit_script("/x", "").status().message().find("not on PATH"), std::string::npos);
}

}  // namespace slurm_test
}  // namespace graphnet::cluster
