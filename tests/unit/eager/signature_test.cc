// SPDX-License-Identifier: MIT
// Argument signatures that occur in the dataset but in none of its 150 shared samples, and operand
// mixes that few samples have. signature_cases.jsonl holds programs with the results that PyTorch
// 2.11.0 gives for them.
#include <fstream>

#include "base/json.h"
#include "support/folders.h"
#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace signature_test {

/// One line of the file; printed by its name alone.
struct SignatureCase {
  base::Json json;
  std::string name() const { return json["name"].get<std::string>(); }
};

void PrintTo(const SignatureCase& tested, std::ostream* out) {
  *out << tested.name();
}

std::vector<SignatureCase> load_cases() {
  std::vector<SignatureCase> cases;
  std::ifstream lines(tests::source_dir() + "/tests/unit/eager/signature_cases.jsonl");
  std::string line;
  while (std::getline(lines, line)) {
    auto parsed = base::parse_json(line, "signature_cases.jsonl");
    if (parsed.is_ok()) cases.push_back({std::move(parsed).value()});
  }
  return cases;
}

class Signature : public ::testing::TestWithParam<SignatureCase> {};

TEST_P(Signature, GivesPytorchsResult) {
  const base::Json& wanted = GetParam().json;
  std::vector<TestArgument> arguments;
  for (const base::Json& argument : wanted["arguments"]) {
    arguments.push_back({*base::dtype_from_name(argument["dtype"].get<std::string>()),
                         argument["shape"].get<std::vector<std::int64_t>>(),
                         argument["values"].get<std::vector<double>>()});
  }
  EagerProgram program(arguments, wanted["body"].get<std::string>());
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
    ASSERT_EQ(program.outputs.size(), 1U);
    const EngineOutput& output = program.engine->outputs()[0];
    EXPECT_EQ(base::dtype_name(output.dtype), wanted["dtype"].get<std::string>());
    EXPECT_EQ(output.shape, wanted["shape"].get<std::vector<std::int64_t>>());
    const auto values = wanted["values"].get<std::vector<double>>();
    ASSERT_EQ(program.outputs[0].size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Sums may differ in the last bits between processors; a wrong overload differs by far more.
      EXPECT_NEAR(program.outputs[0][i], values[i], 1e-6 * (1 + std::abs(values[i]))) << i;
    }
    program.run();
  }
}

TEST(SignatureCases, AreAllThere) {
  EXPECT_EQ(load_cases().size(), 77U);
}

INSTANTIATE_TEST_SUITE_P(Dataset, Signature, ::testing::ValuesIn(load_cases()),
                         [](const auto& tested) { return tested.param.name(); });

}  // namespace signature_test
}  // namespace graphnet::eager
