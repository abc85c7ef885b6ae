// SPDX-License-Identifier: MIT
#include "sample/beginning.h"

#include <gtest/gtest.h>

#include "model_text.h"
#include "sample/parser.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::sample {
namespace beginning_test {

// Statements: 0 alias, 1 size, 2 linear, 3 release, 4 in place, 5 add, 6 relu, 7 mul.
const std::string kBody =
    "        l_w = w\n"
    "        n = x.size(0)\n"
    "        a = torch._C._nn.linear(x, l_w)\n"
    "        l_w = None\n"
    "        a += 1\n"
    "        b = a.add(n)\n"
    "        c = torch.relu(b)\n"
    "        d = c * w\n"
    "        return (d, a)\n";

graph::Program program() {
  base::Result<graph::Program> parsed = parse_model(model_text(kBody), "model.py");
  EXPECT_TRUE(parsed.is_ok()) << parsed.status().to_string();
  return parsed.is_ok() ? std::move(parsed).value() : graph::Program();
}

std::vector<std::string> live_names(std::size_t num_statements) {
  const graph::Program whole = program();
  std::vector<std::string> names;
  for (const graph::VariableId variable : live_tensors(whole, num_statements)) {
    names.push_back(whole.variables[static_cast<std::size_t>(variable)]);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Beginning, LivesWhatTheRestReadsOfTensorsThatWereMade) {
  EXPECT_EQ(live_names(2), Names()) << "a parameter's other name and a size are no results";
  EXPECT_EQ(live_names(4), Names{"a"});
  EXPECT_EQ(live_names(6), (Names{"a", "b"})) << "a is a result";
  EXPECT_EQ(live_names(8), (Names{"a", "d"}));
}

TEST(Beginning, RangesHoldAsManyComputingStatements) {
  const graph::Program whole = program();
  EXPECT_EQ(choose_cuts(whole, 1), std::vector<std::size_t>{8});
  EXPECT_EQ(choose_cuts(whole, 5), (std::vector<std::size_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(choose_cuts(whole, 100), choose_cuts(whole, 5)) << "no more ranges than statements";
  graph::Program empty = whole;
  empty.statements.clear();
  EXPECT_EQ(choose_cuts(empty, 4), std::vector<std::size_t>{0});
}

TEST(Beginning, KnowsLinesAndCalls) {
  const graph::Program whole = program();
  EXPECT_EQ(last_line(whole, 4), 14);  // the body starts in line 11
  EXPECT_EQ(last_line(whole, 8), 18);
  const std::map<std::string, int> calls = count_calls(whole, 2, 8);
  EXPECT_EQ(calls, (std::map<std::string, int>{
                       {"linear", 1}, {"+=", 1}, {"add", 1}, {"relu", 1}, {"*", 1}}));
}

TEST(Beginning, IsASampleOfItsOwn) {
  const tests::TempDir temp;
  temp.write("s/model.py", model_text(kBody));
  temp.write("s/graph_net.json", "{}");
  temp.write("s/weight_meta.py", "");
  Sample sample;
  sample.folder = temp.path() / "s";
  sample.program = program();
  ASSERT_TRUE(write_beginning(sample, 6, temp.path() / "cut").is_ok());
  EXPECT_TRUE(is_sample(temp.path() / "cut"));
  const std::string text = tests::read_text(temp.path() / "cut/model.py");
  EXPECT_NE(text.find("        b = a.add(n)\n        return (a, b, )\n"), std::string::npos)
      << text;
  const auto parsed = parse_model(text, "model.py");
  ASSERT_TRUE(parsed.is_ok()) << parsed.status().to_string();
  EXPECT_EQ(parsed->statements.size(), 6u);
  ASSERT_TRUE(write_beginning(sample, 8, temp.path() / "whole").is_ok());
  EXPECT_EQ(tests::read_text(temp.path() / "whole/model.py"), model_text(kBody));
  EXPECT_EQ(write_beginning(sample, 6, "/proc/none").code(), base::Code::kEnvironment);
}

}  // namespace beginning_test
}  // namespace graphnet::sample
