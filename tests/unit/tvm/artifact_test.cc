// SPDX-License-Identifier: MIT
#include "tvm_plugin/artifact.h"

#include <gtest/gtest.h>

#include <set>

#include "artifact/file_digest.h"
#include "artifact/wire_format.h"
#include "graphnet/failure.h"
#include "support/mentions.h"
#include "unit/tvm/one_input.h"

namespace graphnet::tvm {
namespace artifact_test {

using tests::mentions;

const Origin kHere = {"apache-tvm==1", "schedule=rules", "processor"};

/// An input, a weight, a constant and a result that is an output twice.
Artifact sample() {
  Artifact artifact;
  artifact.code = std::string(
      "\x7f"
      "ELF\0code",
      9);
  CallPlan& plan = artifact.plan;
  plan.values = {{true, ArgumentSource::kInput, 2, Type::kF32, {}, {1}},
                 {true, ArgumentSource::kWeight, 7, Type::kBF16, {4, 0, 3}, {4, 0, 3}},
                 {true, ArgumentSource::kConstant, 0, Type::kI64, {2}, {2}},
                 {false, ArgumentSource::kInput, 0, Type::kF64, {3}, {}}};
  plan.constants = {lowering::SharedBytes(std::string(16, '\x05'))};
  plan.main = {{0, 2}, {3}};
  plan.bind = {{1}, {}};
  plan.outputs = {3, 3};
  plan.kernels_by_rule = {{"product", 2}, {"rows", 1}};
  plan.num_main_kernels = 5;
  plan.num_bind_kernels = 6;
  return artifact;
}

std::string refusal(std::string_view bytes, const Origin& here = kHere) {
  try {
    read_artifact(bytes, here);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
    return failure.what();
  }
  return "taken";
}

/// Bytes whose hash is right, whatever they say.
std::string sealed(const std::string& message) {
  return "graphnet tvm program 1\n" + artifact::sha256_hex(message) + message;
}

TEST(Artifact, RoundTrip) {
  const Artifact given = sample();
  const Artifact read = read_artifact(write_artifact(given, kHere), kHere);
  EXPECT_EQ(read.code, given.code);
  const CallPlan& plan = read.plan;
  ASSERT_EQ(plan.values.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const StoredValue& value = plan.values[i];
    const StoredValue& wanted = given.plan.values[i];
    EXPECT_EQ(value.is_argument, wanted.is_argument);
    EXPECT_EQ(value.source, wanted.source);
    EXPECT_EQ(value.index, wanted.index);
    EXPECT_EQ(value.type, wanted.type);
    EXPECT_EQ(value.shape, wanted.shape);
    EXPECT_EQ(value.storage, wanted.storage);
  }
  EXPECT_EQ(plan.constants, given.plan.constants);
  EXPECT_EQ(plan.main.parameters, given.plan.main.parameters);
  EXPECT_EQ(plan.main.results, given.plan.main.results);
  EXPECT_EQ(plan.bind.parameters, given.plan.bind.parameters);
  EXPECT_EQ(plan.bind.results, given.plan.bind.results);
  EXPECT_EQ(plan.outputs, given.plan.outputs);
  EXPECT_EQ(plan.kernels_by_rule, given.plan.kernels_by_rule);
  EXPECT_EQ(plan.num_main_kernels, 5);
  EXPECT_EQ(plan.num_bind_kernels, 6);
}

TEST(Artifact, RefusesWhatIsCutOffOrDamaged) {
  const std::string bytes = write_artifact(sample(), kHere);
  EXPECT_TRUE(mentions(refusal(""), {"version"}));
  EXPECT_TRUE(mentions(refusal("no such thing"), {"version"}));
  for (std::size_t size = 23; size < bytes.size(); ++size) {
    EXPECT_TRUE(mentions(refusal(bytes.substr(0, size)), {"damaged"})) << size;
  }
  for (std::size_t i = 23; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] ^= 1;
    EXPECT_TRUE(mentions(refusal(flipped), {"damaged"})) << i;
  }
}

TEST(Artifact, RefusesThatOfAnotherTvmOptionOrProcessor) {
  const std::string bytes = write_artifact(sample(), kHere);
  EXPECT_TRUE(mentions(refusal(bytes, {"apache-tvm==2", kHere.options, kHere.processor}),
                       {"apache-tvm==1", "apache-tvm==2"}));
  EXPECT_TRUE(mentions(refusal(bytes, {kHere.tvm, "schedule=none", kHere.processor}),
                       {"'schedule=rules'", "'schedule=none'"}));
  EXPECT_TRUE(mentions(refusal(bytes, {kHere.tvm, kHere.options, "another"}), {"processor"}));
}

TEST(Artifact, RefusesPlansThatLeadOutOfMemory) {
  const auto with = [](auto change) {
    Artifact artifact = sample();
    change(artifact.plan);
    return refusal(write_artifact(artifact, kHere));
  };
  EXPECT_TRUE(
      mentions(with([](CallPlan& plan) { plan.main.parameters = {4}; }), {"value", "missing"}));
  EXPECT_TRUE(mentions(with([](CallPlan& plan) { plan.outputs = {-1}; }), {"value", "missing"}));
  EXPECT_TRUE(
      mentions(with([](CallPlan& plan) { plan.values[2].index = 1; }), {"constant", "missing"}));
  EXPECT_TRUE(mentions(with([](CallPlan& plan) {
                         plan.constants[0] = lowering::SharedBytes(std::string(17, '\x05'));
                       }),
                       {"constant", "size"}));
  EXPECT_TRUE(
      mentions(with([](CallPlan& plan) { plan.values[1].storage = {5}; }), {"buffer", "size"}));
  EXPECT_TRUE(
      mentions(with([](CallPlan& plan) { plan.values[0].source = static_cast<ArgumentSource>(9); }),
               {"argument"}));
  EXPECT_TRUE(mentions(with([](CallPlan& plan) { plan.values[3].type = static_cast<Type>(200); }),
                       {"element type"}));
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  for (const Shape& shape : {Shape{-1}, Shape{kHuge, kHuge}, Shape{3, INT64_MAX}, Shape(65, 1)}) {
    EXPECT_TRUE(mentions(with([&](CallPlan& plan) { plan.values[3].shape = shape; }), {"shape"}));
  }
}

TEST(Artifact, RefusesFieldsThatCannotBeRead) {
  EXPECT_TRUE(mentions(refusal(sealed("\x0A\x05ok")), {"field", "cannot be read"}));
  artifact::WireWriter out;
  out.add_bytes(5, "\x08");
  EXPECT_TRUE(mentions(refusal(sealed(out.bytes())), {"value", "cannot be read"}));
  artifact::WireWriter many;
  for (std::size_t i = 0; i <= (std::size_t{1} << 20U); ++i) many.add_varint(9, 0);
  EXPECT_TRUE(mentions(refusal(sealed(many.bytes())), {"entries"}));
}

}  // namespace artifact_test
}  // namespace graphnet::tvm
