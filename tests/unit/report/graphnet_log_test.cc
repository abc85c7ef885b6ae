// SPDX-License-Identifier: MIT
#include "report/graphnet_log.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace graphnet::report {
namespace graphnet_log_test {

using base::Json;
using record::Record;

Record::Side side_of(std::vector<double> trials_ns, double median_ns) {
  Record::Side side;
  side.trials_ns = std::move(trials_ns);
  side.median_ns = median_ns;
  side.iqr_ns = 1000.0;
  side.mean_ns = 2000000.0 / 3;
  side.std_ns = 0.0;
  side.min_ns = 12.5;
  side.max_ns = 1234567891.0;
  side.output_dtypes = {"float32", "int64"};
  return side;
}

Record record_of(const std::string& outcome) {
  Record record;
  record.sample_path = "./samples//timm/tiny/";
  record.model_name = "org/tiny";
  record.plugin = "nope";
  record.plugin_version = "0.1.0";
  record.warmup = 1;
  record.trials = 2;
  record.outcome = record::Word<record::Outcome>(outcome);
  record.environment.cpu_model = "AMD EPYC";
  return record;
}

Record ok_record() {
  Record record = record_of("ok");
  record.environment.libtorch = "2.11.0";
  record.verdict = record::Verdict("eager");
  record.eager = side_of({9482380, 9170774.9}, 9482380);
  record.plugin_side = side_of({1.0, 12345678}, 2000000);
  // The first level that accepts output 1 is number 3; output 2 is accepted by all.
  record.correctness["equal"] = {0, 1};
  record.correctness["all_close"] = {"00" + std::string(62, '1'), std::string(64, '1')};
  record.correctness["max_diff"] = {static_cast<double>(1e-7F), 0.0};
  record.correctness["mean_diff"] = {"nan", 2.384185791015625e-07};
  return record;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string log_of(const Record& record) {
  GraphnetLogStyle style;
  style.prompt = "P";
  style.refuse_as_upstream = true;
  return graphnet_log(record, style);
}

const std::string kHead =
    "P [Processing] samples/timm/tiny\n"
    "P [Config] model: org/tiny\n"
    "P [Config] device: cpu\n"
    "P [Config] hardware: AMD EPYC\n"
    "P [Config] compiler: nope\n"
    "P [Config] warmup: 1\n"
    "P [Config] trials: 2\n";

TEST(GraphnetLog, PrintsASuccess) {
  const auto lines = lines_of(log_of(ok_record()));
  ASSERT_EQ(lines.size(), 88U);
  std::string begin;
  for (std::size_t i = 0; i < 20; ++i) begin += lines[i] + "\n";
  EXPECT_EQ(begin,
            kHead +
                "P [Config] compile_framework_version: 2.11.0\n"
                "[Profiling] Using device: cpu AMD EPYC, warm up 1, trials 2\n"
                "Trial 1: e2e=9.48238 ms\n"
                "Trial 2: e2e=9.17077 ms\n"
                "[Profiling] Using device: cpu AMD EPYC, warm up 1, trials 2\n"
                "Trial 1: e2e=0.00000 ms\n"
                "Trial 2: e2e=12.34568 ms\n"
                "P [Datatype][eager]: float32 int64\n"
                "P [Datatype][compiled]: float32 int64\n"
                "P [DataType] eager:['float32', 'int64'] compiled:['float32', 'int64'] match:True\n"
                "P [Correctness][equal]: 0 1\n"
                "P [Correctness][all_close_atol_1.00E-10_rtol_1.00E-06]: 0 1\n"
                "P [Correctness][all_close_atol_1.00E-10_rtol_2.56E-04]: 0 1\n");
  std::string end;
  for (std::size_t i = 20; i < lines.size(); ++i) {
    if (i == 20 || i > 81) end += lines[i] + "\n";
  }
  EXPECT_EQ(end,
            "P [Correctness][all_close_atol_1.00E-10_rtol_1.69E-12]: 1 1\n"
            "P [Correctness][max_diff]: 1.0000000116860974e-07 0.0\n"
            "P [Correctness][mean_diff]: nan 2.384185791015625e-07\n"
            "P [Result] status: success\n"
            "P [Performance][eager]: {\"e2e\": {\"median\": 9.48238, \"iqr\": 0.001, \"mean\": "
            "0.666667, \"std\": 0.0, \"min\": 1.25e-05, \"max\": 1234.57}}\n"
            "P [Performance][compiled]: {\"e2e\": {\"median\": 2.0, \"iqr\": 0.001, \"mean\": "
            "0.666667, \"std\": 0.0, \"min\": 1.25e-05, \"max\": 1234.57}}\n"
            "P [Speedup][e2e]: 4.74119\n");
}

/// Two trials and two traced calls of each side on a GPU.
Record gpu_record() {
  Record record = ok_record();
  record.device = "cuda:0";
  record.environment.rest["gpu"] = {{"name", "NVIDIA H200"}};
  record.timing.event_ns = {{"eager", {8000000, 9000000}}, {"plugin", {1500000, 2500000}}};
  record.proof.device.calls = 2;
  record.proof.device.busy_ns = 1e6 / 3;
  record.proof.device.eager_calls.busy_ns = 1000000;
  return record;
}

std::string kernel_log_of(const Record& record) {
  GraphnetLogStyle style;
  style.prompt = "P";
  style.kernel_time = true;
  return graphnet_log(record, style);
}

std::string without_correctness(const std::string& log) {
  std::string rest;
  for (const std::string& line : lines_of(log)) {
    if (line.find("[Correctness]") == std::string::npos) rest += line + "\n";
  }
  return rest;
}

// The lines of upstream's measure_performance and print_times_and_speedup with a CUDA device.
TEST(GraphnetLog, PrintsUpstreamsLinesOfACudaDevice) {
  EXPECT_EQ(without_correctness(kernel_log_of(gpu_record())),
            "P [Processing] samples/timm/tiny\n"
            "P [Config] model: org/tiny\n"
            "P [Config] device: cuda:0\n"
            "P [Config] hardware: NVIDIA H200\n"
            "P [Config] compiler: nope\n"
            "P [Config] warmup: 1\n"
            "P [Config] trials: 2\n"
            "P [Config] compile_framework_version: 2.11.0\n"
            "[Profiling] Using device: cuda:0 NVIDIA H200, warm up 1, trials 2\n"
            "Trial 1: e2e=9.48238 ms, gpu=8.00000 ms\n"
            "Trial 2: e2e=9.17077 ms, gpu=9.00000 ms\n"
            "kernel=1.00000 ms (avg over 2 trials)\n"
            "[Profiling] Using device: cuda:0 NVIDIA H200, warm up 1, trials 2\n"
            "Trial 1: e2e=0.00000 ms, gpu=1.50000 ms\n"
            "Trial 2: e2e=12.34568 ms, gpu=2.50000 ms\n"
            "kernel=0.33333 ms (avg over 2 trials)\n"
            "P [Datatype][eager]: float32 int64\n"
            "P [Datatype][compiled]: float32 int64\n"
            "P [DataType] eager:['float32', 'int64'] compiled:['float32', 'int64'] match:True\n"
            "P [Result] status: success\n"
            "P [Performance][eager]: {\"e2e\": {\"median\": 9.48238, \"iqr\": 0.001, \"mean\": "
            "0.666667, \"std\": 0.0, \"min\": 1.25e-05, \"max\": 1234.57}, \"gpu\": {\"median\": "
            "8.5, \"iqr\": 0.5, \"mean\": 8.5, \"std\": 0.5, \"min\": 8.0, \"max\": 9.0}, "
            "\"kernel\": {\"mean\": 1.0, \"min\": 1.0, \"max\": 1.0, \"median\": 1.0}}\n"
            "P [Performance][compiled]: {\"e2e\": {\"median\": 2.0, \"iqr\": 0.001, \"mean\": "
            "0.666667, \"std\": 0.0, \"min\": 1.25e-05, \"max\": 1234.57}, \"gpu\": {\"median\": "
            "2.0, \"iqr\": 0.5, \"mean\": 2.0, \"std\": 0.5, \"min\": 1.5, \"max\": 2.5}, "
            "\"kernel\": {\"mean\": 0.3333333333333333, \"min\": 0.3333333333333333, \"max\": "
            "0.3333333333333333, \"median\": 0.3333333333333333}}\n"
            "P [Speedup][e2e]: 4.74119\n"
            "P [Speedup][gpu]: 4.25000\n"
            "P [Speedup][kernel]: 3.00000\n");
}

TEST(GraphnetLog, KernelTimeIsShownIfAskedForAndOnlyOfAGpu) {
  const std::string log = log_of(gpu_record());
  EXPECT_EQ(log.find("kernel"), std::string::npos) << log;
  EXPECT_NE(log.find("P [Speedup][gpu]: 4.25000\n"), std::string::npos) << log;
  EXPECT_EQ(kernel_log_of(ok_record()).find("kernel"), std::string::npos);
}

TEST(GraphnetLog, KernelTimeOfTimedReplaysIsTheirs) {
  Record record = gpu_record();
  record.proof.device.replays.busy_ns = 500000;
  EXPECT_NE(kernel_log_of(record).find("P [Speedup][kernel]: 2.00000\n"), std::string::npos);
}

TEST(GraphnetLog, SaysWhyKernelTimeIsNotKnown) {
  Record record = gpu_record();
  record.proof = record::Proof();
  record.proof.device.rest["cupti"] = {{"state", "denied"}, {"reason", "CUPTI error 35\nx"}};
  const std::string log = kernel_log_of(record);
  EXPECT_NE(log.find("gpu=9.00000 ms\nkernel time is not known: CUPTI error 35\n"),
            std::string::npos)
      << log;
  EXPECT_EQ(log.find("[Speedup][kernel]"), std::string::npos) << log;
  record.proof = record::Proof();
  EXPECT_NE(kernel_log_of(record).find("is not known: no calls were traced\n"), std::string::npos);
  record.outcome = record::Outcome::kRuntimeFailed;
  EXPECT_NE(kernel_log_of(record).find("is not known: the sample ended before"), std::string::npos);
}

TEST(GraphnetLog, AGpuWithoutANameIsUnknownAndNotTheProcessor) {
  Record record = gpu_record();
  record.environment.rest["gpu"] = nullptr;
  GraphnetLogStyle style;
  style.hardware = "a processor";
  EXPECT_NE(graphnet_log(record, style).find("[Config] hardware: unknown\n"), std::string::npos);
}

TEST(GraphnetLog, TypeMismatchHasNoCorrectness) {
  Record record = ok_record();
  record.outcome = record::Outcome::kDtypeMismatch;
  record.plugin_side.output_dtypes = {"float16"};
  const std::string log = log_of(record);
  EXPECT_NE(log.find("P [DataType] eager:['float32', 'int64'] compiled:['float16'] match:False\n"
                     "P [Result] status: success\n"),
            std::string::npos)
      << log;
}

TEST(GraphnetLog, ShapeMismatchIsWrongAtEveryLevel) {
  Record record = ok_record();
  record.outcome = record::Outcome::kShapeMismatch;
  record.correctness["equal"] = {0, 1};
  record.correctness["all_close"] = {"", std::string(64, '1')};
  record.correctness["max_diff"] = {nullptr, 0.0};
  const std::string log = log_of(record);
  EXPECT_NE(log.find("P [Correctness][all_close_atol_1.00E+07_rtol_1.00E+07]: 0 1\n"
                     "P [Correctness][max_diff]: nan 0.0\n"),
            std::string::npos)
      << log;
}

TEST(GraphnetLog, PrintsACompiledFailureAfterTheEagerTimes) {
  Record record = record_of("compile_failed");
  record.plugin = "fast";
  record.message = "no lowering\nP [Result] status: success";
  record.eager = side_of({1000000, 2000000}, 1500000);
  EXPECT_EQ(log_of(record),
            "P [Processing] samples/timm/tiny\n"
            "P [Config] model: org/tiny\n"
            "P [Config] device: cpu\n"
            "P [Config] hardware: AMD EPYC\n"
            "P [Config] compiler: fast\n"
            "P [Config] warmup: 1\n"
            "P [Config] trials: 2\n"
            "P [Config] compile_framework_version: Fast 0.1.0\n"
            "[Profiling] Using device: cpu AMD EPYC, warm up 1, trials 2\n"
            "Trial 1: e2e=1.00000 ms\n"
            "Trial 2: e2e=2.00000 ms\n"
            "Compiled model execution failed: compile_failed: no lowering\n"
            "P [Result] status: failed\n"
            "P [Fail due to compiled model execution error.]\n");
}

TEST(GraphnetLog, PrintsAnEagerFailure) {
  Record record = record_of("reference_failed");
  record.message = "unknown call torch.x";
  EXPECT_EQ(log_of(record), kHead +
                                "P [Config] compile_framework_version: Nope 0.1.0\n"
                                "Eager model execution failed: unknown call torch.x\n"
                                "P [Result] status: failed\n"
                                "P [Fail due to eager model execution error.]\n");
}

TEST(GraphnetLog, RefusesWhatUpstreamRefusesOnlyIfAsked) {
  Record record = ok_record();
  record.notes = {"batch_norm with eps 0: torch's Python layer, and so upstream, refuses it"};
  EXPECT_EQ(log_of(record), kHead +
                                "P [Config] compile_framework_version: 2.11.0\n"
                                "Eager model execution failed: batch_norm eps must be positive, "
                                "but got 0.0\n"
                                "P [Result] status: failed\n"
                                "P [Fail due to eager model execution error.]\n");
  EXPECT_NE(graphnet_log(record, {}).find("status: success"), std::string::npos);
}

TEST(GraphnetLog, UnknownMachineAndSampleThatDoesNotLoad) {
  Record record = record_of("crashed");
  record.environment = record::Environment();
  record.model_name.clear();
  GraphnetLogStyle style;
  style.hardware = "from the caller";
  const std::string log = graphnet_log(record, style);
  EXPECT_NE(log.find("[Config] hardware: from the caller\n"), std::string::npos) << log;
  EXPECT_NE(log.find("[Config] model: tiny\n"), std::string::npos) << log;
  record.outcome = record::Outcome::kInvalidSample;
  record.message = "no forward";
  EXPECT_EQ(log_of(record), "Sample could not be loaded: samples/timm/tiny: no forward\n");
}

}  // namespace graphnet_log_test
}  // namespace graphnet::report
