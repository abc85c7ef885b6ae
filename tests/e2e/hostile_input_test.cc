// SPDX-License-Identifier: MIT
// Files that are cut off, empty, binary, huge, nested, or no files at all, and folders that cannot
// be written: one clear message, the right exit code, no crash, and finished records are kept.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace hostile_input_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kConfig = source_dir() + "/configs/nope.yaml";
const std::string kPlugin = build_dir() + "/lib/graphnet/plugins/nope";
const std::string kSmall = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

constexpr std::uintmax_t kHugeBytes = 100'000'000;
// A message, the line it speaks of, a caret, and where and what to try.
constexpr std::size_t kMaxErrorBytes = 2000;

void replace(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

/// A way to spoil a file.
struct Damage {
  std::string name;
  std::function<void(const fs::path&)> apply;
};

std::vector<Damage> all_damage() {
  std::vector<Damage> all = {
      {"empty", [](const fs::path& file) { replace(file, ""); }},
      {"cut-off", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) * 2 / 3); }},
      {"binary",
       [](const fs::path& file) { replace(file, std::string("\x7f\x45\0\xff\x1b[2J\n\xc3", 11)); }},
      {"huge-holes", [](const fs::path& file) { fs::resize_file(file, kHugeBytes); }},
      {"huge-line", [](const fs::path& file) { replace(file, std::string(kHugeBytes, 'a')); }},
      {"long-string", [](const fs::path& file) { replace(file, "\"" + repeated("b", 900'000)); }},
      {"nested", [](const fs::path& file) { replace(file, repeated("[", 500'000)); }},
      {"nested-maps", [](const fs::path& file) { replace(file, repeated("{\"a\":", 100'000)); }},
      {"folder",
       [](const fs::path& file) {
         fs::remove(file);
         fs::create_directory(file);
       }},
      {"fifo",
       [](const fs::path& file) {
         fs::remove(file);
         ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
       }},
      {"link-loop",
       [](const fs::path& file) {
         fs::remove(file);
         fs::create_symlink(file.filename(), file);
       }},
      {"missing", [](const fs::path& file) { fs::remove(file); }},
  };
  // Root reads everything.
  if (::geteuid() != 0) {
    all.push_back({"unreadable", [](const fs::path& file) { fs::permissions(file, fs::perms{}); }});
  }
  return all;
}

fs::path copy_sample(const fs::path& target) {
  fs::create_directories(target);
  fs::copy(kSmall, target, fs::copy_options::recursive);
  return target;
}

ProgramEnd run_samples(const TempDir& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {kProgram, "run", "--protocol", "upstream"});
  arguments.insert(arguments.end(), {"-o", (folder.path() / "results.jsonl").string()});
  return run_program(arguments, {}, folder.path() / "log");
}

journal::JournalContent read_results(const fs::path& file) {
  auto content = journal::read_journal(file);
  EXPECT_TRUE(content.is_ok()) << content.status().to_string();
  return content.is_ok() ? std::move(content).value() : journal::JournalContent();
}

/// The program refused with one message that names `wanted`.
void expect_refusal(const ProgramEnd& end, int exit_code, const std::string& wanted) {
  EXPECT_EQ(end.state.exit_code, exit_code) << end.state.to_string() << "\n" << end.output;
  const std::size_t first = end.output.find("error: ");
  ASSERT_NE(first, std::string::npos) << end.output.substr(0, kMaxErrorBytes);
  EXPECT_EQ(end.output.find("error: ", first + 1), std::string::npos) << end.output;
  EXPECT_NE(end.output.find(wanted), std::string::npos) << wanted << " is not in\n" << end.output;
  EXPECT_LE(end.output.size(), kMaxErrorBytes);
  const auto is_control = [](char byte) {
    return (static_cast<unsigned char>(byte) < 0x20 && byte != '\n') || byte == 0x7F;
  };
  EXPECT_EQ(std::count_if(end.output.begin(), end.output.end(), is_control), 0) << end.output;
}

void expect_invalid(const record::Record& record, const std::string& file) {
  EXPECT_EQ(record.outcome, record::Outcome::kInvalidSample)
      << record.sample << ": " << record.message;
  EXPECT_NE(record.message.find(file), std::string::npos)
      << record.sample << ": " << record.message.substr(0, kMaxErrorBytes);
  EXPECT_LE(record.message.size(), kMaxErrorBytes) << record.sample;
}

class DamagedSample : public ::testing::TestWithParam<const char*> {};

// All damaged samples in one run, and a good one last: it still runs.
TEST_P(DamagedSample, CostsOnlyItself) {
  const TempDir folder;
  const fs::path samples = folder.path() / "samples" / "family";
  std::size_t num_damaged = 0;
  for (const Damage& damage : all_damage()) {
    damage.apply(copy_sample(samples / damage.name) / GetParam());
    ++num_damaged;
  }
  copy_sample(samples / "whole");
  const ProgramEnd end = run_samples(folder, {samples.string(), "--config", kConfig});
  EXPECT_EQ(end.state.exit_code, 1) << end.state.to_string() << "\n" << end.output;
  const auto content = read_results(folder.path() / "results.jsonl");
  ASSERT_FALSE(content.records.empty());
  std::size_t num_invalid = 0;
  for (const record::Record& record : content.records) {
    if (record.sample == "family/whole") {
      EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.message;
    } else if (record.sample == "family/empty" && GetParam() == std::string("weight_meta.py")) {
      // An empty list is good metadata of a program without arguments; this one has some.
      expect_invalid(record, "L_self_modules_fc1_parameters_weight_");
    } else {
      expect_invalid(record, GetParam());
    }
    num_invalid += record.outcome == record::Outcome::kInvalidSample ? 1 : 0;
  }
  // Without regular files of these names a folder is no sample.
  const std::size_t num_ignored = GetParam() == std::string("weight_meta.py") ? 0 : 4;
  EXPECT_EQ(num_invalid, num_damaged - num_ignored) << end.output;
}

INSTANTIATE_TEST_SUITE_P(Hostile, DamagedSample,
                         ::testing::Values("model.py", "weight_meta.py", "graph_net.json"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(Hostile, DamagedConfigIsRefused) {
  for (const Damage& damage : all_damage()) {
    SCOPED_TRACE(damage.name);
    const TempDir folder;
    const fs::path config = folder.path() / "run.yaml";
    fs::copy(kConfig, config);
    damage.apply(config);
    expect_refusal(run_samples(folder, {kSmall, "--config", config.string()}), 3, "run.yaml");
  }
}

TEST(Hostile, DamagedManifestIsRefused) {
  for (const Damage& damage : all_damage()) {
    SCOPED_TRACE(damage.name);
    const TempDir folder;
    const fs::path plugin = folder.path() / "nope";
    fs::copy(kPlugin, plugin, fs::copy_options::recursive);
    const auto config = folder.write("run.yaml",
                                     "schema: graphnet/run/v1\nbackend:\n  library: "
                                     "./nope/libgn_nope.so\n");
    damage.apply(plugin / "plugin.yaml");
    const ProgramEnd end = run_samples(folder, {kSmall, "--config", config.string()});
    const bool is_there = fs::is_regular_file(fs::symlink_status(plugin / "plugin.yaml"));
    const int code = is_there || end.state.exit_code == 3 ? 3 : 4;
    expect_refusal(end, code, "plugin.yaml");
  }
}

TEST(Hostile, SampleThatIsNoFolder) {
  const TempDir folder;
  const fs::path fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_refusal(run_samples(folder, {fifo.string(), "--config", kConfig}), 3, "fifo");
  const fs::path loop = folder.path() / "loop";
  fs::create_symlink("loop", loop);
  expect_refusal(run_samples(folder, {loop.string(), "--config", kConfig}), 3, "loop");
  const fs::path list = folder.path() / "list.txt";
  replace(list, std::string(100'000, '\x01'));
  expect_refusal(run_samples(folder, {list.string(), "--config", kConfig}), 3, "list.txt");
}

TEST(Hostile, FolderThatLinksToItselfIsWalkedOnce) {
  const TempDir folder;
  const fs::path samples = folder.path() / "samples" / "family";
  copy_sample(samples / "whole");
  fs::create_directory_symlink(samples, samples / "again");
  const ProgramEnd end = run_samples(folder, {samples.string(), "--config", kConfig});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_EQ(read_results(folder.path() / "results.jsonl").records.size(), 1U);
}

TEST(Hostile, TensorsBeyondMemoryAreNamedInBytes) {
  const TempDir folder;
  const fs::path samples = folder.path() / "samples" / "family";
  const auto with_shape = [&](const std::string& name, const std::string& shape) {
    const fs::path meta = copy_sample(samples / name) / "weight_meta.py";
    std::string text = read_text(meta);
    text.replace(text.find("[5, 4]"), 6, shape);
    replace(meta, text);
  };
  with_shape("terabytes", "[1048576, 1048576]");
  with_shape("petabytes", "[1048576, 1073741824]");
  with_shape("overflow", "[4294967296, 4294967296, 4294967296]");
  const ProgramEnd end = run_samples(folder, {samples.string(), "--config", kConfig});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  const auto content = read_results(folder.path() / "results.jsonl");
  ASSERT_EQ(content.records.size(), 3U);
  for (const record::Record& record : content.records) {
    if (record.sample == "family/terabytes") {
      EXPECT_EQ(record.outcome, record::Outcome::kSkipped) << record.message;
      EXPECT_NE(record.message.find("skipped(memory: need 4.00 TiB, have"), std::string::npos)
          << record.message;
    } else {
      expect_invalid(record, "weight_meta.py:3:");
    }
  }
}

/// The program under bash, which sets the scene; `$@` is the program with its arguments.
ProgramEnd run_scene(const TempDir& folder, const std::string& scene,
                     std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"/bin/bash", "-c", scene, "bash", kProgram, "run", "--protocol", "upstream"});
  return run_program(arguments, {"HERE=" + folder.path().string()}, folder.path() / "log");
}

fs::path six_samples(const TempDir& folder) {
  const fs::path samples = folder.path() / "samples" / "family";
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) copy_sample(samples / name);
  return samples;
}

/// The run stopped for lack of room, and what was finished before can be read.
void expect_kept(const ProgramEnd& end, const fs::path& results) {
  EXPECT_EQ(end.state.exit_code, 5) << end.state.to_string() << "\n" << end.output;
  EXPECT_NE(end.output.find("error: cannot write"), std::string::npos) << end.output;
  EXPECT_NE(end.output.find("results.jsonl"), std::string::npos) << end.output;
  const auto content = read_results(results);
  EXPECT_GE(content.records.size(), 1U) << end.output;
  EXPECT_LT(content.records.size(), 6U) << end.output;
  EXPECT_TRUE(content.notes.empty()) << "a torn line was left";
}

TEST(Hostile, FileSizeLimitKeepsFinishedRecords) {
  const TempDir folder;
  const fs::path samples = six_samples(folder);
  const fs::path results = folder.path() / "results.jsonl";
  const ProgramEnd end = run_scene(folder, "ulimit -f 24; exec \"$@\"",
                                   {samples.string(), "--config", kConfig, "-o", results.string()});
  expect_kept(end, results);
  EXPECT_NE(end.output.find("continue with --resume " + results.string()), std::string::npos)
      << end.output;
  const ProgramEnd again = run_scene(
      folder, "exec \"$@\"", {samples.string(), "--config", kConfig, "--resume", results.string()});
  EXPECT_EQ(again.state.exit_code, 0) << again.output;
  EXPECT_EQ(read_results(results).records.size(), 6U) << again.output;
}

TEST(Hostile, FullDiskKeepsFinishedRecords) {
  const TempDir folder;
  const fs::path samples = six_samples(folder);
  fs::create_directory(folder.path() / "disk");
  const ProgramEnd end = run_scene(
      folder,
      "exec unshare -rm /bin/bash -c 'mount -t tmpfs -o size=24k tmpfs \"$HERE/disk\" || exit 77; "
      "\"$@\"; code=$?; cp \"$HERE/disk/results.jsonl\" \"$HERE/kept.jsonl\"; exit $code' bash "
      "\"$@\"",
      {samples.string(), "--config", kConfig, "-o",
       (folder.path() / "disk" / "results.jsonl").string()});
  if (end.state.exit_code == 77 || end.output.find("unshare:") != std::string::npos) {
    GTEST_SKIP() << "no file system can be mounted here: " << end.output;
  }
  expect_kept(end, folder.path() / "kept.jsonl");
}

TEST(Hostile, ResultsThatCannotBeAFile) {
  for (const char* target : {"/dev/full", "/dev/null"}) {
    const TempDir folder;
    expect_refusal(run_scene(folder, "exec \"$@\"", {kSmall, "--config", kConfig, "-o", target}), 3,
                   target);
  }
  const TempDir folder;
  expect_refusal(
      run_scene(folder, "exec \"$@\"", {kSmall, "--config", kConfig, "-o", folder.path().string()}),
      2, folder.path().string());
  const std::string missing = (folder.path() / "none" / "r.jsonl").string();
  expect_refusal(run_scene(folder, "exec \"$@\"", {kSmall, "--config", kConfig, "-o", missing}), 2,
                 "mkdir -p");
  EXPECT_FALSE(fs::exists(folder.path() / "none"));
}

TEST(Hostile, ClosedPipeEndsQuietlyAndKeepsTheRecord) {
  const TempDir folder;
  const fs::path samples = six_samples(folder);
  const fs::path results = folder.path() / "results.jsonl";
  const ProgramEnd end =
      run_scene(folder, "\"$@\" | true; exit ${PIPESTATUS[0]}",
                {samples.string(), "--config", kConfig, "--json", "-q", "-o", results.string()});
  EXPECT_EQ(end.state.exit_code, 141) << end.output;
  EXPECT_EQ(end.output, "");
  EXPECT_EQ(read_results(results).records.size(), 1U);
}

TEST(Hostile, FullStandardOutputIsAnError) {
  const TempDir folder;
  const fs::path results = folder.path() / "results.jsonl";
  const ProgramEnd end =
      run_scene(folder, "exec \"$@\" >/dev/full",
                {kSmall, "--config", kConfig, "--progress", "none", "-o", results.string()});
  expect_refusal(end, 5, "standard output");
  EXPECT_EQ(read_results(results).records.size(), 1U);
}

}  // namespace hostile_input_test
}  // namespace graphnet::tests
