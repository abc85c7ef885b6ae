// SPDX-License-Identifier: MIT
// Whole samples on the first CUDA device: the real programs, one plugin each. Skipped with the
// reason that `graphnet run` itself gives where they cannot run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/json.h"
#include "gpu/locations.h"
#include "journal/journal_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace sample_test {

constexpr const char* kSmall = "transformers-auto-model/sadhaklal_mlp-iris";

/// The one record of a run, or why there is none.
base::Result<record::Record> run_on_device(const std::vector<std::string>& flags) {
  const TempDir folder;
  const std::string results = (folder.path() / "r.jsonl").string();
  std::vector<std::string> words = {
      graphnet_program(), "run", samples_folder() / kSmall, "-o", results, "--set",
      "device=cuda:0"};
  words.insert(words.end(), flags.begin(), flags.end());
  const ProgramEnd end = run_program(words, {}, folder.path() / "log");
  auto content = journal::read_journal(results);
  if (!content.is_ok() || content->records.size() != 1) {
    return base::Status(base::Code::kEnvironment, end.output);
  }
  return content->records.front();
}

bool is_unusable(const base::Status& status) {
  return status.message().find("cannot be used") != std::string::npos;
}

TEST(SampleOnDevice, NopeIsEagerAndOk) {
  const auto record = run_on_device({"--config", "nope.yaml", "--protocol", "smoke"});
  if (!record.is_ok() && is_unusable(record.status())) GTEST_SKIP() << record.status().message();
  ASSERT_TRUE(record.is_ok()) << record.status().message();
  EXPECT_EQ(record->outcome, record::Outcome::kOk) << record->message;
  EXPECT_EQ(record->verdict.text(), "eager");
  EXPECT_EQ(record->device, "cuda:0");
  EXPECT_GT(record->timing.event_median_ns["eager"], 0);
  EXPECT_EQ(record->proof.device.rest["cupti"]["state"], "ready")
      << base::dump_json(part_to_json(record->proof.device));
  EXPECT_EQ(record->proof.device.rest["unattributed"], 0);
  EXPECT_GT(record->proof.device.eager_calls.busy_ns.value_or(0), 0);
  EXPECT_GT(record->proof.device.busy_ns.value_or(0), 0);
  EXPECT_TRUE(record->environment.rest["gpu"].contains("before_timing"));
}

TEST(SampleOnDevice, XlaDoesAllTheWork) {
  const char* const pjrt = std::getenv("GRAPHNET_PJRT_CUDA");
  if (pjrt == nullptr || *pjrt == '\0')
    GTEST_SKIP() << "GRAPHNET_PJRT_CUDA names no xla_cuda_plugin.so";
  const auto record = run_on_device({"--config", "xla-cuda.yaml", "--protocol", "smoke", "--set",
                                     std::string("backend.options.pjrt=") + pjrt});
  if (!record.is_ok() && is_unusable(record.status())) GTEST_SKIP() << record.status().message();
  ASSERT_TRUE(record.is_ok()) << record.status().message();
  EXPECT_EQ(record->outcome, record::Outcome::kOk) << record->message;
  EXPECT_EQ(record->verdict.text(), "proven")
      << base::dump_json(part_to_json(record->proof.device));
  EXPECT_GT(record->proof.device.rest["plugin"], 0);
}

// Eager's graph, node by node on the device, against itself.
TEST(SampleOnDevice, BisectionOfNopeFindsNothing) {
  const TempDir folder;
  const auto config =
      folder.write("d.yaml", "schema: graphnet/run/v1\nbackend: {name: nope}\ndevice: cuda:0\n");
  const ProgramEnd end = run_program({graphnet_program(), "inspect", samples_folder() / kSmall,
                                      "--bisect", "--config", config.string(), "--quiet"},
                                     {}, folder.path() / "log");
  if (end.output.find("cannot be used") != std::string::npos) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("no node leaves tolerance"), std::string::npos) << end.output;
}

}  // namespace sample_test
}  // namespace graphnet::tests
