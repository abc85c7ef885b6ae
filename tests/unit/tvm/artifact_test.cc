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
                 {false, ArgumentSource::kInput, 0, Type::kF64, {3}, {1, 3}},
                 {false, ArgumentSource::kInput, 0, Type::kF64, {3}, {3}}};
  plan.constants = {lowering::SharedBytes(std::string(16, '\x05'))};
  plan.bind = {{"aten_mul", false, {1}, {}, {4}}};
  plan.main = {{"graphnet.sort", true, {0, 4}, {-1, 7}, {3}}};
  plan.outputs = {3, 3};
  plan.kernels_by_rule = {{"product", 2}, {"rows", 1}};
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
  return "graphnet tvm program 2\n" + artifact::sha256_hex(message) + message;
}

void expect_equal(const KernelCall& read, const KernelCall& given) {
  EXPECT_EQ(read.function, given.function);
  EXPECT_EQ(read.is_extern, given.is_extern);
  EXPECT_EQ(read.inputs, given.inputs);
  EXPECT_EQ(read.attributes, given.attributes);
  EXPECT_EQ(read.results, given.results);
}

TEST(Artifact, RoundTrip) {
  const Artifact given = sample();
  const Artifact read = read_artifact(write_artifact(given, kHere), kHere);
  EXPECT_EQ(read.code, given.code);
  const CallPlan& plan = read.plan;
  ASSERT_EQ(plan.values.size(), given.plan.values.size());
  for (std::size_t i = 0; i < plan.values.size(); ++i) {
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
  ASSERT_EQ(plan.bind.size(), 1U);
  ASSERT_EQ(plan.main.size(), 1U);
  expect_equal(plan.bind[0], given.plan.bind[0]);
  expect_equal(plan.main[0], given.plan.main[0]);
  EXPECT_EQ(plan.outputs, given.plan.outputs);
  EXPECT_EQ(plan.kernels_by_rule, given.plan.kernels_by_rule);
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
  EXPECT_EQ(with([](CallPlan&) {}), "taken");
  EXPECT_TRUE(
      mentions(with([](CallPlan& plan) { plan.main[0].inputs = {5}; }), {"value", "missing"}));
  EXPECT_TRUE(mentions(with([](CallPlan& plan) { plan.bind[0].inputs = {0}; }), {"missing"}))
      << "an input, which bind has not";
  EXPECT_TRUE(mentions(with([](CallPlan& plan) { plan.bind.clear(); }), {"missing"}));
  EXPECT_TRUE(mentions(with([](CallPlan& plan) { plan.main[0].results = {3, 3}; }), {"twice"}));
  EXPECT_TRUE(mentions(with([](CallPlan& plan) {
                         plan.main[0].results = {3, 0};
                       }),
                       {"twice"}))
      << "an argument";
  EXPECT_TRUE(mentions(with([](CallPlan& plan) { plan.bind[0].results = {4, 0}; }), {"argument"}));
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
      mentions(with([](CallPlan& plan) { plan.values[3].storage = {2}; }), {"buffer", "size"}));
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
