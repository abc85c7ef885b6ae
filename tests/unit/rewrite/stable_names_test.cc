// SPDX-License-Identifier: MIT
#include "rewrite/stable_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "sample/parser.h"
#include "support/same_program.h"
#include "support/stable_spellings.h"

namespace graphnet::rewrite {
namespace stable_names_test {

graph::Program parse(const std::string& body) {
  std::string text =
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self, a, b, c):\n";
  std::size_t begin = 0;
  while (begin < body.size()) {
    const std::size_t end = std::min(body.find('\n', begin), body.size());
    text += "        " + body.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  auto program = sample::parse_model(text, "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string() << text;
  return program.is_ok() ? std::move(*program) : graph::Program();
}

TEST(StableNames, AreUpstreams15) {
  ASSERT_EQ(std::size(kStableNames), std::size(tests::kStableSpellings));
  for (std::size_t i = 0; i < std::size(kStableNames); ++i) {
    EXPECT_EQ(kStableNames[i].unstable, tests::kStableSpellings[i].unstable);
    EXPECT_EQ(kStableNames[i].stable, tests::kStableSpellings[i].stable);
  }
}

TEST(RespellCalls, ConvertsEachBothWays) {
  std::set<std::string> stable_names;
  for (const tests::StableSpelling& spelling : tests::kStableSpellings) {
    SCOPED_TRACE(spelling.unstable);
    const graph::Program unstable = parse(tests::body_of(spelling, spelling.unstable));
    const graph::Program stable = parse(tests::body_of(spelling, spelling.stable));
    graph::Program program = unstable;
    EXPECT_EQ(respell_calls(program, Apis::kStable)[spelling.unstable], 1);
    EXPECT_TRUE(respell_calls(program, Apis::kStable).empty());
    EXPECT_EQ(respell_calls(program, Apis::kUnstable)[spelling.stable], 1);
    // One public function has two private ones, of which the first comes back.
    const bool is_first = stable_names.insert(spelling.stable).second;
    EXPECT_EQ(tests::is_same(program, unstable), is_first);
    program = stable;
    respell_calls(program, Apis::kUnstable);
    respell_calls(program, Apis::kStable);
    graph::Program all_stable = stable;
    respell_calls(all_stable, Apis::kStable);
    EXPECT_TRUE(tests::is_same(program, all_stable));
  }
}

TEST(RespellCalls, ConvertsInsideVmapRegionsAndArguments) {
  const std::string before =
      "z = torch._functorch.predispatch._vmap_increment_nesting(2, \"error\")\n"
      "d = torch._functorch.predispatch._add_batch_dim(a, 0, 1)\n"
      "e = torch._C._nn.gelu(torch._C._nn.linear(d, c) + 1)\n"
      "f = torch._functorch.predispatch._remove_batch_dim(e, 1, 2, 0)\n"
      "f[torch._C._nn.one_hot(b)] = 0\nreturn (f,)";
  const std::string after =
      "z = torch._functorch.predispatch._vmap_increment_nesting(2, \"error\")\n"
      "d = torch._functorch.predispatch._add_batch_dim(a, 0, 1)\n"
      "e = torch.nn.functional.gelu(torch.nn.functional.linear(d, c) + 1)\n"
      "f = torch._functorch.predispatch._remove_batch_dim(e, 1, 2, 0)\n"
      "f[torch.nn.functional.one_hot(b)] = 0\nreturn (f,)";
  graph::Program program = parse(before);
  const std::map<std::string, int> counts = {
      {"torch._C._nn.gelu", 1}, {"torch._C._nn.linear", 1}, {"torch._C._nn.one_hot", 1}};
  EXPECT_EQ(respell_calls(program, Apis::kStable), counts);
  EXPECT_TRUE(tests::is_same(program, parse(after)));
}

}  // namespace stable_names_test
}  // namespace graphnet::rewrite
