// SPDX-License-Identifier: MIT
#include "score/upstream_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "score/upstream_log_row.h"
#include "support/folders.h"
#include "unit/score/log_text.h"

namespace graphnet::score {
namespace upstream_log_test {

std::vector<Row> rows_of(const std::string& log, bool compat = false) {
  std::vector<Row> rows;
  for (const LogSample& sample : read_upstream_log(log, compat)) {
    rows.push_back(row_of(sample, compat));
  }
  return rows;
}

Row row_of_log(const std::string& log, bool compat = false) {
  const auto rows = rows_of(log, compat);
  EXPECT_EQ(rows.size(), 1U) << log;
  return rows.empty() ? Row() : rows[0];
}

std::string without(std::string text, const std::string& part) {
  const std::size_t found = text.find(part);
  EXPECT_NE(found, std::string::npos) << part;
  return text.erase(found, part.size());
}

std::string replaced(std::string text, const std::string& part, const std::string& other) {
  const std::size_t found = text.find(part);
  EXPECT_NE(found, std::string::npos) << part;
  return text.replace(found, part.size(), other);
}

/// A log up to the end of the first side's profile, or the second's.
std::string begun(int num_profiles) {
  std::string text = head_text("/work/samples/timm/tiny");
  for (int i = 0; i < num_profiles; ++i) text += profile_text();
  return text;
}

TEST(UpstreamLog, ReadsASample) {
  LoggedSample logged;
  logged.speedup = 1.25;
  logged.correct_from = -5;
  const Row row = row_of_log("noise [Datatype][eager]: int64\n" + log_text(logged));
  EXPECT_EQ(row.sample, "timm/tiny");
  EXPECT_EQ(row.family, "timm");
  EXPECT_EQ(row.outcome, record::Outcome::kOk);
  EXPECT_EQ(row.backend.name, "inductor");
  EXPECT_EQ(row.backend.facets.at("hardware"), "NVIDIA A100");
  EXPECT_EQ(row.backend.facets.at("source"), "log");
  EXPECT_EQ(row.failure, Failure::kNone);
  EXPECT_EQ(row.speedup, 1.25);
  EXPECT_EQ(first_correct_level(row), -5);
  EXPECT_EQ(row.left_out, "");
}

/// The row of each log in a folder of tests/golden, by what its file is called before `ending`.
std::map<std::string, Row> golden_rows(const std::string& folder, const std::string& ending) {
  std::map<std::string, Row> rows;
  const auto path = std::filesystem::path(tests::source_dir()) / "tests/golden" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    std::string name = entry.path().filename().string();
    name.replace(name.find("__"), 2, "/");
    rows[name.substr(0, name.find(ending))] = row_of_log(text.str());
  }
  return rows;
}

TEST(UpstreamLog, ReadsEveryGoldenLog) {
  const auto rows = golden_rows("upstream-logs", ".nope.log");
  EXPECT_EQ(rows.size(), 10U);
  for (const auto& [name, row] : rows) {
    const bool is_refused = name == "ultralytics/yolo11n-cls";
    EXPECT_EQ(row.sample, name);
    EXPECT_EQ(row.backend.name, "nope");
    EXPECT_EQ(row.failure, is_refused ? Failure::kReference : Failure::kNone) << name;
    EXPECT_EQ(row.speedup.has_value(), !is_refused) << name;
    EXPECT_EQ(first_correct_level(row), is_refused ? std::nullopt : std::optional<int>(-10))
        << name;
  }
}

TEST(UpstreamLog, TellsALevelOfACompiler) {
  const auto rows = golden_rows("inductor-logs", ".inductor.log");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(first_correct_level(rows.at("transformers-auto-model/sadhaklal_mlp-iris")), -10);
  EXPECT_EQ(first_correct_level(rows.at("transformers-auto-model/opt-tiny-random")), -4);
  EXPECT_EQ(rows.at("transformers-auto-model/opt-tiny-random").backend.name, "inductor");
}

TEST(UpstreamLog, PicksTheScheduleByType) {
  const std::pair<const char*, bool> types[] = {
      {"float16", true}, {"bfloat16", true}, {"float64", true}, {"complex64", true},
      {"int64", false},  {"bool", false},    {"unheard", false}};
  for (const auto& [type, has_schedule] : types) {
    LoggedSample logged;
    logged.dtype = type;
    const Row row = row_of_log(log_text(logged));
    EXPECT_EQ(first_correct_level(row).has_value(), has_schedule) << type;
  }
  LoggedSample complex;
  complex.dtype = "complex64";
  EXPECT_FALSE(first_correct_level(row_of_log(log_text(complex), true)).has_value());
}

TEST(UpstreamLog, NamesSamplesWithAndWithoutSubgraphs) {
  const std::pair<const char*, const char*> cases[] = {
      {"/a/samples/timm/resnet", "timm/resnet"},
      {"samples/timm/resnet/", "timm/resnet"},
      {"/a/samples/timm/resnet/subgraph_3", "timm/resnet/subgraph_3"},
      {"/a/paddle_samples/PaddleX/PicoDet-L/subgraph_15", "PaddleX/PicoDet-L/subgraph_15"},
      {"/tmp/PaddleX/PicoDet-L/subgraph_15", "PaddleX/PicoDet-L/subgraph_15"},
      {"/tmp/PaddleX/PicoDet-L/subgraph", "PaddleX/PicoDet-L/subgraph"},
      {"/tmp/x/my_subgraph_1", "x/my_subgraph_1"},
      {"/tmp/x/subgraph_1a", "x/subgraph_1a"},
      {"/a b/samples/timm/res net", "timm/res net"},
      {"x", "x"},
      {"/", ""},
      {"", ""}};
  for (const auto& [path, name] : cases) EXPECT_EQ(sample_of_path(path), name) << path;
  EXPECT_EQ(row_of_log(head_text("/a b/samples/timm/res net")).sample, "timm/res net");
  EXPECT_EQ(row_of_log(head_text("model_path: /a/samples/timm/x")).sample, "timm/x");
}

TEST(UpstreamLog, ClassifiesFailures) {
  const std::string failed = "P [Result] status: failed\n";
  const std::string eager = failed + "P [Fail due to eager model execution error.]\n";
  const std::string compiled = failed + "P [Fail due to compiled model execution error.]\n";
  const std::string trace = "Traceback (most recent call last):\nValueError: no\n";
  const std::string says = "Compiled model execution failed: ";
  const std::string success = correctness_text({});
  const std::string other = replaced(success, "match:True", "match:False");
  const std::string types_line = "P [Datatype][compiled]: float32\n";
  struct Case {
    std::string log;
    Failure failure;
    Failure compat;
  };
  const Case cases[] = {
      {begun(0) + eager, Failure::kReference, Failure::kReference},
      {begun(0) + trace, Failure::kReference, Failure::kReference},
      {begun(1) + compiled, Failure::kCompile, Failure::kReference},
      {begun(2) + compiled, Failure::kRuntime, Failure::kReference},
      {begun(1) + trace, Failure::kCompile, Failure::kReference},
      {begun(2) + trace, Failure::kRuntime, Failure::kReference},
      {begun(1) + says + "crashed: it\n" + compiled, Failure::kRuntime, Failure::kReference},
      {begun(1) + says + "unsupported: it\n" + compiled, Failure::kCompile, Failure::kReference},
      {begun(1) + "P [Result][status] eager:failed compiled:success\n", Failure::kReference,
       Failure::kReference},
      {begun(1) + "P [Result][status] eager:success compiled:failed\n", Failure::kCompile,
       Failure::kReference},
      {begun(2) + other.substr(0, other.find("P [Correctness]")), Failure::kTypeMismatch,
       Failure::kShapeMismatch},
      {begun(2) + replaced(success, types_line, "P [Datatype][compiled]: float32 float32\n"),
       Failure::kShapeMismatch, Failure::kNone},
      {begun(2) + success + "P [Shape] eager:[1] compiled:[2] match:False\n",
       Failure::kShapeMismatch, Failure::kNone},
      {begun(2) + success + "UserWarning: Error: harmless\n", Failure::kNone, Failure::kRuntime},
      {begun(2) + success, Failure::kNone, Failure::kNone},
      {begun(2) + "P [Datatype][eager]: float32\n", Failure::kRuntime, Failure::kCompile}};
  for (const Case& one : cases) {
    EXPECT_EQ(row_of_log(one.log).failure, one.failure) << one.log;
    EXPECT_EQ(row_of_log(one.log, true).failure, one.compat) << one.log;
  }
}

TEST(UpstreamLog, LeavesOutWhatSaysNothing) {
  const std::string fluctuation =
      "Compiled model execution failed: Environment fluctuation detected.\n  IQR/median = 25.3%\n"
      "P [Result] status: failed\nP [Fail due to compiled model execution error.]\n";
  const std::string whole = log_text(LoggedSample{});
  const std::string cut = whole.substr(0, whole.find("[Speedup]") + 3);
  const std::pair<std::string, const char*> cases[] = {
      {begun(2) + fluctuation, "noisy"},
      {cut, "cut off"},
      {whole.substr(0, whole.find("1.00000") + 4), "cut off"},
      {whole + without(whole, head_text("/work/samples/timm/tiny")), "mixed up"},
      {replaced(whole, "1.00000", "1.0x0"), "garbled"},
      {replaced(whole, "[equal]: 0", "[equal]: maybe"), "garbled"},
      {replaced(whole, "\"mean\": 2.0", "\"median\": 2.0, \"iqr\": 0.5"), "noisy"}};
  for (const auto& [log, reason] : cases) {
    const Row row = row_of_log(log);
    EXPECT_EQ(row.left_out, reason) << log;
    EXPECT_EQ(row.can_be_kept, &log == &cases[6].first) << log;
    EXPECT_EQ(row_of_log(log, true).can_be_kept, true) << log;
  }
  // The last line feed of a file is often lost; the number before it is whole.
  EXPECT_EQ(row_of_log(whole.substr(0, whole.find("1.00000") + 7)).left_out, "");
}

TEST(UpstreamLog, FollowsBatchMode) {
  const std::string sample = log_text(LoggedSample{});
  const std::string log =
      "[0] test_compiler, model_path: /s/samples/a/dead\nTraceback\nE: Error: x\n" +
      std::string("[1] test_compiler, model_path: /s/samples/timm/tiny\n") + sample +
      "[2] test_compiler, model_path: /s/samples/a/last\nError: y\n";
  const auto rows = rows_of(log);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].sample, "a/dead");
  EXPECT_EQ(rows[0].left_out, "not begun");
  EXPECT_EQ(rows[1].failure, Failure::kNone);
  EXPECT_EQ(rows[2].left_out, "not begun");
  // Upstream loses both, and blames the text of the last on the sample before.
  const Row compat = row_of_log(log, true);
  EXPECT_EQ(compat.failure, Failure::kRuntime);
}

TEST(UpstreamLog, CountsTheSampleOfTwoProcessingLinesOnce) {
  LoggedSample logged;
  logged.path = "model_path: /work/samples/timm/tiny";
  const std::string log =
      "[0][Processing] test_target_device, model_path: /work/samples/timm/tiny\nW1111 warning\n" +
      log_text(logged);
  EXPECT_EQ(row_of_log(log).failure, Failure::kNone);
  const auto compat = rows_of(log, true);
  ASSERT_EQ(compat.size(), 2U);
  EXPECT_EQ(compat[0].failure, Failure::kReference);
  EXPECT_EQ(compat[1].failure, Failure::kNone);
  EXPECT_EQ(rows_of(begun(1) + begun(1)).size(), 2U);
}

TEST(UpstreamLog, SurvivesHostileText) {
  const std::string whole = log_text({LoggedSample{}, LoggedSample{}});
  for (std::size_t end = 0; end < whole.size(); end += 7) {
    EXPECT_LE(read_upstream_log(whole.substr(0, end), false).size(), 2U);
  }
  EXPECT_TRUE(rows_of("").empty());
  EXPECT_TRUE(rows_of(std::string(1000, '\0')).empty());
  EXPECT_EQ(row_of_log("[Processing]").left_out, "cut off");
  const std::string huge(std::size_t{4} << 20U, '1');
  EXPECT_EQ(row_of_log(begun(2) + "P [Correctness][equal]: " + huge + "\n").left_out, "garbled");
  EXPECT_EQ(row_of_log(begun(2) + "P [Speedup][e2e]: " + huge + "\n").left_out, "garbled");
  EXPECT_EQ(row_of_log(begun(0) + huge).left_out, "cut off");
  std::string binary;
  for (int i = 0; i < 4096; ++i) binary += static_cast<char>(i * 37 % 256);
  EXPECT_GE(rows_of(whole + binary + "\n" + whole).size(), 3U);
  for (const char* speedup : {"-1.00000", "0.00000", "nan", "inf"}) {
    EXPECT_FALSE(row_of_log(replaced(log_text(LoggedSample{}), "e2e]: 1.00000",
                                     std::string("e2e]: ") + speedup))
                     .speedup.has_value());
  }
}

}  // namespace upstream_log_test
}  // namespace graphnet::score
