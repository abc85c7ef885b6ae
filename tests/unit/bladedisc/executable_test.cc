// SPDX-License-Identifier: MIT
#include "bladedisc/executable.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "artifact/file_digest.h"
#include "artifact/peer_process.h"
#include "support/mentions.h"
#include "support/temp_dir.h"
#include "unit/bladedisc/fakes.h"

namespace graphnet::bladedisc {
namespace executable_test {

using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::LoweredProgram;
using tests::mentions;
using tests::TempDir;

/// A vector of floats of the host.
class Vector {
 public:
  explicit Vector(std::vector<float> elements) : elements_(std::move(elements)) {
    shape_ = static_cast<std::int64_t>(elements_.size());
    tensor_ = {elements_.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &shape_, &stride_, 0};
  }
  Vector(const Vector&) = delete;
  DLTensor* tensor() { return &tensor_; }
  std::vector<float>& elements() { return elements_; }

 private:
  std::vector<float> elements_;
  std::int64_t shape_ = 0;
  std::int64_t stride_ = 1;
  DLTensor tensor_ = {};
};

lowering::stablehlo::TensorType floats(std::int64_t count) {
  return {{kDLFloat, 32, 1}, {count}};
}

/// @main(input 0, weight 0) of these sizes gives output 1 and 0: an echo gives back both.
Package package_of(const lowering::stablehlo::TensorType& input, std::int64_t weights,
                   const lowering::stablehlo::TensorType& first_result) {
  LoweredProgram program;
  program.main.arguments = {{ArgumentSource::kInput, 0, input},
                            {ArgumentSource::kWeight, 0, floats(weights)}};
  program.main.results = {first_result, floats(weights)};
  program.result_outputs = {1, 0};
  Compiled compiled;
  compiled.library = "library";
  compiled.metadata = "metadata";
  return make_package(program, compiled);
}

Package package_of(std::int64_t inputs, std::int64_t weights, std::int64_t first_result) {
  return package_of(floats(inputs), weights, floats(first_result));
}

class DiscExecutableTest : public testing::Test {
 protected:
  void SetUp() override { options_.answer_timeout = std::chrono::seconds(20); }
  void TearDown() override {
    ::unsetenv("DISC_ECHO");
    ::unsetenv("DISC_PEER");
  }
  std::unique_ptr<DiscExecutable> make(Package package = package_of(3, 2, 3),
                                       const std::string& runner = "gn-disc-run") const {
    return std::make_unique<DiscExecutable>(
        std::move(package), options_, kFakes + "/works/" + runner, std::vector<std::string>{});
  }
  void bind(DiscExecutable& executable, Vector& weight) {
    const DLTensor* const weights[] = {weight.tensor()};
    gn_bind_args args = {};
    args.weights = weights;
    args.num_weights = 1;
    executable.bind(args);
    EXPECT_EQ(args.copied, 1U);
    EXPECT_EQ(args.kept_bytes, weight.elements().size() * sizeof(float));
  }
  void run(DiscExecutable& executable, Vector& input) { run(executable, input, input_back_); }
  void run(DiscExecutable& executable, Vector& input, Vector& back) {
    const DLTensor* const inputs[] = {input.tensor()};
    DLTensor* const outputs[] = {weight_back_.tensor(), back.tensor()};
    gn_run_args args = {};
    args.inputs = inputs;
    args.num_inputs = 1;
    args.outputs = outputs;
    args.num_outputs = 2;
    executable.run(args);
  }
  void expect_carried(DiscExecutable& executable, Vector& weight, Vector& input) {
    bind(executable, weight);
    run(executable, input);
    EXPECT_EQ(input_back_.elements(), input.elements());
    EXPECT_EQ(weight_back_.elements(), weight.elements());
  }

  Options options_;
  Vector weight_back_{{0, 0}};
  Vector input_back_{{0, 0, 0}};
};

TEST_F(DiscExecutableTest, CarriesTensorsThereAndBack) {
  const auto executable = make();
  Vector weight({7, 8});
  Vector input({1, 2, 3});
  expect_carried(*executable, weight, input);
  input.elements() = {4, 5, 6};
  weight.elements() = {9, 10};
  expect_carried(*executable, weight, input);
  EXPECT_TRUE(mentions(executable->describe(), {"engine: echo, a fake", "loaded: 1",
                                                "runner_calls: 2", "runner_entry_us: 2"}));
}

TEST_F(DiscExecutableTest, ComplexNumbersArePairs) {
  const lowering::stablehlo::TensorType pairs = {{kDLFloat, 32, 1}, {3, 2}};
  const auto executable = make(package_of(pairs, 2, pairs));
  Vector weight({7, 8});
  Vector input({1, 2, 3, 4, 5, 6});
  Vector back(std::vector<float>(6));
  for (Vector* each : {&input, &back}) {
    each->tensor()->dtype = {kDLComplex, 64, 1};
    each->tensor()->shape[0] = 3;
  }
  bind(*executable, weight);
  run(*executable, input, back);
  EXPECT_EQ(back.elements(), input.elements());
  input.tensor()->shape[0] = 2;
  EXPECT_TRUE(mentions(end_of([&] { run(*executable, input, back); }).message,
                       {"input 0 is of another shape"}));
  input.tensor()->shape[0] = 3;
  input.tensor()->dtype.bits = 128;
  EXPECT_TRUE(mentions(end_of([&] { run(*executable, input, back); }).message,
                       {"input 0 is of another type"}));
}

TEST_F(DiscExecutableTest, IsNotDisturbedByWhatLibrariesPrint) {
  ::setenv("DISC_ECHO", "print", 1);
  EXPECT_TRUE(mentions(make()->describe(), {"engine: echo"}));
}

TEST_F(DiscExecutableTest, RefusesOtherTensorsThanWereCompiled) {
  const auto executable = make();
  Vector weight({7, 8});
  Vector input({1, 2, 3});
  EXPECT_TRUE(
      mentions(end_of([&] { run(*executable, input); }).message, {"without a successful bind"}));
  EXPECT_TRUE(mentions(end_of([&] { bind(*executable, input); }).message,
                       {"weight 0 is of another shape"}));
  bind(*executable, weight);
  EXPECT_TRUE(
      mentions(end_of([&] { run(*executable, weight); }).message, {"input 0 is of another shape"}));
  input.tensor()->dtype.code = kDLInt;
  const Ended end = end_of([&] { run(*executable, input); });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_INVALID_ARGUMENT});
  EXPECT_TRUE(mentions(end.message, {"input 0 is of another type"}));
}

struct Fault {
  const char* variable;
  const char* does;
  const char* runner;
  std::uint32_t code;
  const char* says;
};

TEST_F(DiscExecutableTest, SaysHowTheRunnerFailed) {
  constexpr const char* kEcho = "gn-disc-run";
  const Fault kFaults[] = {
      {"DISC_ECHO", "die in HELLO", kEcho, GN_STATUS_RUNTIME_FAILED,
       "exit code 9 before it answered"},
      {"DISC_ECHO", "die in LOAD", kEcho, GN_STATUS_RUNTIME_FAILED, "killed by signal 6"},
      {"DISC_ECHO", "hang in LOAD", kEcho, GN_STATUS_RUNTIME_FAILED, "did not answer in time"},
      {"DISC_ECHO", "die in RUN", kEcho, GN_STATUS_RUNTIME_FAILED, "killed by signal 6"},
      {"DISC_ECHO", "hang in RUN", kEcho, GN_STATUS_RUNTIME_FAILED, "did not answer in time"},
      {"DISC_ECHO", "fail in RUN", kEcho, GN_STATUS_RUNTIME_FAILED,
       "failed in RUN: the kernel was not found"},
      {"DISC_PEER", "old protocol", "peer", GN_STATUS_UNAVAILABLE,
       "speaks gn-disc/0 and this plugin gn-disc/1"},
      {"DISC_PEER", "other request", "peer", GN_STATUS_RUNTIME_FAILED, "answers another request"},
      {"DISC_PEER", "long", "peer", GN_STATUS_RUNTIME_FAILED, "too long"},
      {"DISC_PEER", "half", "peer", GN_STATUS_RUNTIME_FAILED, "exit code 0 before it answered"},
      {"DISC_PEER", "text", "peer", GN_STATUS_RUNTIME_FAILED, "begins with something else"},
      {"DISC_PEER", "short times", "peer", GN_STATUS_RUNTIME_FAILED, "RUN's is of another size"},
      {"DISC_PEER", "long times", "peer", GN_STATUS_RUNTIME_FAILED, "RUN's is of another size"},
      {"DISC_PEER", "does not start", "peer", GN_STATUS_RUNTIME_FAILED, "exit code 127"},
      {"DISC_PEER", "does not start", "peer", GN_STATUS_RUNTIME_FAILED, "libral_base_context.so"},
      {"DISC_PEER", "", "none", GN_STATUS_UNAVAILABLE, "cannot be started"},
  };
  options_.answer_timeout = std::chrono::seconds(2);
  for (const Fault& fault : kFaults) {
    ::setenv(fault.variable, fault.does, 1);
    const Ended end = end_of([&] {
      const auto executable = make(package_of(3, 2, 3), fault.runner);
      Vector weight({7, 8});
      Vector input({1, 2, 3});
      bind(*executable, weight);
      run(*executable, input);
    });
    ::unsetenv(fault.variable);
    EXPECT_EQ(end.code, fault.code) << fault.does << ": " << end.message;
    EXPECT_TRUE(mentions(end.message, {fault.says})) << fault.does;
  }
}

TEST_F(DiscExecutableTest, PassesOnWhyTheRunnerDoesNotLoad) {
  const Ended end = end_of([&] { make(package_of(3, 2, 4)); });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_RUNTIME_FAILED});
  EXPECT_TRUE(
      mentions(end.message, {"failed in LOAD", "result 0 has not the size of its argument"}));
}

TEST_F(DiscExecutableTest, IsNotWaitedForIfTheHostWantsToStop) {
  ::setenv("DISC_ECHO", "hang in LOAD", 1);
  const auto begin = std::chrono::steady_clock::now();
  const Ended end = end_of([&] {
    const DiscExecutable executable(package_of(3, 2, 3), options_, kFakes + "/works/gn-disc-run",
                                    {}, [] { return true; });
  });
  EXPECT_TRUE(mentions(end.message, {"was cancelled"}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, options_.answer_timeout);
}

TEST_F(DiscExecutableTest, AfterADeathEveryCallFails) {
  ::setenv("DISC_ECHO", "die in RUN", 1);
  const auto executable = make();
  Vector weight({7, 8});
  Vector input({1, 2, 3});
  bind(*executable, weight);
  EXPECT_NE(end_of([&] { run(*executable, input); }).code, 0U);
  EXPECT_TRUE(mentions(end_of([&] { run(*executable, input); }).message, {"has ended"}));
}

/// gn-disc-run with the half that calls RAL, with a fake of RAL and a library of ours.
class DiscRalTest : public DiscExecutableTest {
 protected:
  void SetUp() override {
    DiscExecutableTest::SetUp();
    compiled_ = compile(kModule, {}, fake_compiler("works"), {}, [] { return false; });
  }
  void TearDown() override { ::unsetenv("DISC_RAL"); }
  std::unique_ptr<DiscExecutable> make_with_library() const {
    Package package = package_of(3, 2, 3);
    package.library = compiled_.library;
    package.metadata = compiled_.metadata;
    return make(std::move(package), "../fake_disc_ral");
  }
  Compiled compiled_;
};

TEST_F(DiscRalTest, CallsTheLibrarysEntryPoint) {
  const auto executable = make_with_library();
  Vector weight({7, 8});
  Vector input({1, 2, 3});
  expect_carried(*executable, weight, input);
  input.elements() = {4, 5, 6};
  weight.elements() = {9, 10};
  run(*executable, input);
  EXPECT_EQ(input_back_.elements(), input.elements());
  EXPECT_EQ(weight_back_.elements(), (std::vector<float>{7, 8})) << "weights that were not bound";
  bind(*executable, weight);
  run(*executable, input);
  EXPECT_EQ(weight_back_.elements(), weight.elements());
  EXPECT_TRUE(mentions(executable->describe(), {"engine: BladeDISC RAL"}));
}

TEST_F(DiscRalTest, PassesOnWhatRalSays) {
  const std::pair<const char*, const char*> faults[] = {
      {"fail", "failed in RUN: RAL's error 1: there is no echo"},
      {"give another shape", "failed in RUN: result 0 has another shape"},
  };
  for (const auto& [does, says] : faults) {
    ::setenv("DISC_RAL", does, 1);
    const auto executable = make_with_library();
    Vector weight({7, 8});
    Vector input({1, 2, 3});
    bind(*executable, weight);
    for (const char* time : {"first", "second"}) {
      EXPECT_TRUE(mentions(end_of([&] { run(*executable, input); }).message, {says})) << time;
    }
  }
}

TEST_F(DiscRalTest, SaysWhatIsNoLibrary) {
  compiled_.library = "text";
  EXPECT_TRUE(mentions(end_of([&] { make_with_library(); }).message,
                       {"failed in LOAD", "module.so", "file too short"}));
}

/// gn-disc-run without the plugin's side, which would send nothing of this.
class DiscRunTest : public testing::Test {
 protected:
  gn_disc_header ask(gn_disc_header header, const std::string& body = "") {
    header.body_bytes = header.body_bytes == 0 ? body.size() : header.body_bytes;
    const artifact::PeerProcess::Patience patience = {
        std::chrono::steady_clock::now() + std::chrono::seconds(20), nullptr};
    peer_.write(&header, sizeof(header), patience);
    peer_.write(body.data(), body.size(), patience);
    gn_disc_header reply = {};
    peer_.read(&reply, sizeof(reply), patience);
    reason_.assign(reply.body_bytes, '\0');
    peer_.read(reason_.data(), reason_.size(), patience);
    return reply;
  }
  static gn_disc_header request(gn_disc_op op) {
    gn_disc_header header = {};
    std::memcpy(header.magic, GN_DISC_MAGIC, sizeof(header.magic));
    header.protocol = GN_DISC_PROTOCOL;
    header.op = op;
    header.id = 5;
    return header;
  }
  void expect_refusal(const gn_disc_header& header, const std::string& body,
                      std::string_view reason) {
    const gn_disc_header reply = ask(header, body);
    EXPECT_EQ(reply.state, std::uint32_t{GN_DISC_REFUSED}) << reason;
    EXPECT_EQ(reply.protocol, std::uint32_t{GN_DISC_PROTOCOL});
    EXPECT_EQ(reply.id, header.id);
    EXPECT_TRUE(mentions(reason_, {reason}));
  }

  TempDir folder_;
  artifact::PeerProcess peer_{
      {kFakes + "/works/gn-disc-run"}, {"PATH=/usr/bin:/bin"}, folder_.path() / "messages"};
  std::string reason_;
};

TEST_F(DiscRunTest, NamesItsProtocolToAnotherOne) {
  gn_disc_header header = request(GN_DISC_HELLO);
  header.protocol = 2;
  expect_refusal(header, "", "gn-disc/1");
}

TEST_F(DiscRunTest, RefusesWhatIsNoHeaderOrTooLong) {
  gn_disc_header header = request(GN_DISC_HELLO);
  header.body_bytes = GN_DISC_MAX_BODY + 1;
  expect_refusal(header, "", "gn-disc/1");
}

TEST_F(DiscRunTest, RefusesAnotherOrderAndGoesOn) {
  expect_refusal(request(GN_DISC_RUN), "", "not in this order");
  expect_refusal(request(GN_DISC_LOAD), "", "not in this order");
  expect_refusal(request(static_cast<gn_disc_op>(9)), "", "op 9 is not known");
  EXPECT_EQ(ask(request(GN_DISC_HELLO)).state, std::uint32_t{GN_DISC_OK});
  expect_refusal(request(GN_DISC_HELLO), "", "not in this order");
}

TEST_F(DiscRunTest, RefusesALoadThatIsCutOffOrPointsElsewhere) {
  ASSERT_EQ(ask(request(GN_DISC_HELLO)).state, std::uint32_t{GN_DISC_OK});
  gn_disc_load load = {};
  load.num_arguments = 1;
  load.memory_bytes = 512;
  load.library_chars = 1000;
  gn_disc_tensor tensor = {};
  tensor.bytes = 512;
  const auto body = [&] {
    std::string bytes(reinterpret_cast<const char*>(&load), sizeof(load));
    return bytes.append(reinterpret_cast<const char*>(&tensor), sizeof(tensor));
  };
  expect_refusal(request(GN_DISC_LOAD), body().substr(0, 8), "too short");
  expect_refusal(request(GN_DISC_LOAD), body().substr(0, sizeof(load)), "too short");
  expect_refusal(request(GN_DISC_LOAD), body(), "too short");
  const auto elsewhere = [&](std::uint64_t offset, std::uint64_t bytes, std::uint8_t rank) {
    tensor.offset = offset;
    tensor.bytes = bytes;
    tensor.rank = rank;
    expect_refusal(request(GN_DISC_LOAD), body(), "outside of the shared file");
  };
  elsewhere(256, 512, 1);
  elsewhere(0, std::uint64_t{1} << 63, 1);
  elsewhere(~std::uint64_t{255}, 512, 1);
  elsewhere(128, 64, 1);
  elsewhere(0, 64, GN_DISC_MAX_RANK + 1);
}

/// What lies under the library's name when it is loaded must be what was compiled.
TEST(DiscRunner, ChecksDigestsBeforeItOpensALibrary) {
  const TempDir folder;
  const std::string written = artifact::sha256_hex("text");
  const std::string other = artifact::sha256_hex("what was compiled");
  LoadedFiles files = {folder.write("module.so", "text"), folder.write("module.so.pbtxt", "text"),
                       folder.path() / "tensors", written, written};
  const SharedMemory shared(files.memory, 4096);
  gn_disc_load load = {};
  load.memory_bytes = shared.size();
  const auto load_these = [&] {
    Runner runner({kFakes + "/works/gn-disc-run"}, {"PATH=/usr/bin:/bin"},
                  folder.path() / "messages", std::chrono::seconds(20));
    runner.load(load, {}, files);
  };
  EXPECT_EQ(end_of(load_these).message, "");
  files.library_sha256 = other;
  EXPECT_TRUE(mentions(end_of(load_these).message, {"module.so is not what was compiled"}));
  files.library_sha256 = written;
  files.metadata_sha256 = other;
  EXPECT_TRUE(mentions(end_of(load_these).message, {"pbtxt is not what was compiled"}));
  files.metadata_sha256 = written;
  load.memory_bytes = 2 * shared.size();
  EXPECT_TRUE(mentions(end_of(load_these).message, {"cannot map"}));
}

TEST(DiscPackage, ReadsWhatItHasWritten) {
  const Package package = package_of(3, 2, 3);
  const Package read = load(store(package, "maker"), "maker");
  EXPECT_EQ(read.library, package.library);
  EXPECT_EQ(read.metadata, package.metadata);
  EXPECT_EQ(read.memory_bytes, package.memory_bytes);
  ASSERT_EQ(read.arguments.size(), 2U);
  ASSERT_EQ(read.results.size(), 2U);
  EXPECT_EQ(read.results[0].index, 1U);
  EXPECT_EQ(read.results[0].tensor.offset, package.results[0].tensor.offset);
  EXPECT_EQ(read.arguments[1].tensor.kind, GN_DISC_WEIGHT);
}

TEST(DiscPackage, RefusesWhatIsNone) {
  std::string bytes = store(package_of(3, 2, 3), "maker");
  EXPECT_TRUE(mentions(end_of([&] { load(bytes, "another"); }).message, {"another compiler"}));
  EXPECT_TRUE(mentions(end_of([&] { load("text", "maker"); }).message, {"none of this version"}));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_TRUE(mentions(end_of([&] { load(bytes, "maker"); }).message, {"damaged"}));
}

}  // namespace executable_test
}  // namespace graphnet::bladedisc
