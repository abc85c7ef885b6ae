// SPDX-License-Identifier: MIT
// `graphnet run --config nope.yaml` on samples as upstream's own tools write them, against what
// upstream computed. GRAPHNET_FIXTURES names a folder of more of them, with a golden.jsonl.
#include <cstdlib>
#include <map>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"
#include "support/upstream_golden.h"

namespace graphnet::tests {
namespace upstream_tools_test {

namespace fs = std::filesystem;

fs::path fixtures() {
  const char* more = std::getenv("GRAPHNET_FIXTURES");
  if (more != nullptr) return more;
  return fs::path(source_dir()) / "tests/golden/upstream-tools";
}

/// Runs one sample; its record.
record::Record run_sample(const fs::path& sample) {
  const TempDir folder;
  const fs::path journal = folder.path() / "results.jsonl";
  const std::string root = source_dir();
  const ProgramEnd end =
      run_program({build_dir() + "/bin/graphnet", "run", sample.string(), "--config",
                   root + "/configs/nope.yaml", "--threads", "1", "--protocol", "upstream",
                   "--warmup", "0", "--trials", "1", "--digest", "-o", journal.string()},
                  {}, folder.path() / "log");
  auto content = journal::read_journal(journal);
  EXPECT_TRUE(content.is_ok()) << content.status().to_string() << end.output;
  if (!content.is_ok() || content->records.size() != 1) return {};
  return std::move(content->records[0]);
}

TEST(UpstreamTools, SamplesEqualUpstream) {
  for (const base::Json& golden : read_upstream_goldens(fixtures() / "golden.jsonl")) {
    const auto name = golden["sample"].get<std::string>();
    if (golden["status"] != "ok") continue;
    SCOPED_TRACE(name);
    const record::Record record = run_sample(fixtures() / name);
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.message;
    if (record.outcome != record::Outcome::kOk) continue;
    EXPECT_EQ(record.digest["arguments"]["sha256"], golden["inputs"]["sha256"]);
    EXPECT_EQ(record.digest["arguments"]["count"], golden["inputs"]["count"]);
    const base::Json& ours = record.digest["eager_outputs"];
    ASSERT_EQ(ours.size(), golden["outputs"].size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      expect_near_golden(ours[i], golden["outputs"][i], "output " + std::to_string(i));
    }
  }
}

}  // namespace upstream_tools_test
}  // namespace graphnet::tests
