// SPDX-License-Identifier: MIT
#include "conformance/case_file.h"

#include <gtest/gtest.h>

#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::conformance {
namespace case_file_test {

using tests::mentions;

constexpr const char* kTwoCases = R"(# what this is about
# fill %1 uniform 0.5 2
# tolerance 1e-3 1e-2: sums of many
graph "family/op/f32/first"
%0: f32[2] = input "x"
%1: f32[2] = weight "w"
%2: f32[2] = aten::mul.Tensor(self=%0, other=%1)
return %2

graph "family/op/i64/second"
%0: i64[] = input "x"
return %0
)";

std::string failure(const std::string& text) {
  const auto cases = parse_cases(text, "x.gir");
  return cases.is_ok() ? "" : cases.status().message();
}

std::string graph_with(const std::string& comment) {
  return comment + "\ngraph \"family/op/f32/x\"\n%0: f32[2] = input \"x\"\nreturn %0\n";
}

TEST(CaseFile, ReadsEachGraphWithItsComments) {
  const auto cases = parse_cases(kTwoCases, "x.gir");
  ASSERT_TRUE(cases.is_ok()) << cases.status().message();
  ASSERT_EQ(cases->size(), 2U);
  const Case& first = (*cases)[0];
  EXPECT_EQ(first.name, "family/op/f32/first");
  EXPECT_EQ(family_of(first.name), "family");
  ASSERT_EQ(first.fills.size(), 2U);
  EXPECT_EQ(first.fills[0].kind, Fill::Kind::kNormal);
  EXPECT_EQ(first.fills[1].kind, Fill::Kind::kUniform);
  EXPECT_EQ(first.fills[1].high, 2);
  ASSERT_TRUE(first.bound.has_value());
  EXPECT_EQ(first.bound->relative, 1e-3);
  EXPECT_EQ(first.bound->absolute, 1e-2);
  EXPECT_EQ((*cases)[1].fills[0].kind, Fill::Kind::kIntegers);
  EXPECT_FALSE((*cases)[1].bound.has_value());
}

TEST(CaseFile, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(failure(graph_with("# fill %1 normal")), "x.gir:1: %1 is no parameter");
  EXPECT_TRUE(mentions(failure(graph_with("# fill %0 random")), {"x.gir:1:", "kind 'random'"}));
  EXPECT_EQ(failure(graph_with("\n# tolerance 1e-3 1e-2")),
            "x.gir:2: expected '# tolerance RELATIVE ABSOLUTE: why'");
  EXPECT_EQ(failure(graph_with("# tolerance 1e-3 1e-2: ")),
            "x.gir:1: expected '# tolerance RELATIVE ABSOLUTE: why'");
  EXPECT_NE(failure("\ngraph \"a/b/c\"\n%0: f32[2] = guess\nreturn %0\n")
                .find("x.gir (case at line 2):2:14: expected input"),
            std::string::npos);
}

TEST(CaseFile, HoldsEachCaseInTheFileOfItsName) {
  const tests::TempDir folder;
  folder.write("family/op.gir", kTwoCases);
  ASSERT_TRUE(read_cases(folder.path()).is_ok());
  folder.write("family/other.gir", kTwoCases);
  EXPECT_NE(read_cases(folder.path()).status().message().find("belongs elsewhere"),
            std::string::npos);
}

TEST(CaseFile, RefusesANameThatOccursTwice) {
  const tests::TempDir folder;
  folder.write("family/op.gir", std::string(kTwoCases) + "\n" + kTwoCases);
  EXPECT_NE(read_cases(folder.path()).status().message().find("is here twice"), std::string::npos);
}

TEST(CaseFile, RefusesAFolderWithoutCases) {
  const tests::TempDir folder;
  EXPECT_FALSE(read_cases(folder.path()).is_ok());
  EXPECT_FALSE(read_cases(folder.path() / "absent").is_ok());
}

}  // namespace case_file_test
}  // namespace graphnet::conformance
