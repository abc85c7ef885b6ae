// SPDX-License-Identifier: MIT
#include "split/pieces.h"

#include <gtest/gtest.h>

#include "sample/parser.h"
#include "writer/model_text.h"

namespace graphnet::split {
namespace pieces_test {

sample::Sample parsed(const std::string& parameters, const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
          "):\n" + body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  sample::Sample sample;
  if (program.is_ok()) sample.program = std::move(*program);
  for (const graph::Parameter& parameter : sample.program.parameters) {
    sample::TensorMeta meta;
    meta.class_name = "Program_weight_tensor_meta_" + parameter.name;
    meta.name = parameter.name;
    meta.shape = {7};
    sample.metas.push_back(meta);
  }
  return sample;
}

RecordedValue tensor(std::vector<std::int64_t> shape) {
  RecordedValue value;
  value.kind = RecordedValue::Kind::kTensor;
  value.meta.shape = std::move(shape);
  return value;
}

RecordedValue number(std::int64_t integer) {
  RecordedValue value;
  value.kind = RecordedValue::Kind::kPlain;
  value.plain.kind = graph::ExpressionKind::kInteger;
  value.plain.integer = integer;
  return value;
}

/// What a run of the splitter's points would record, by the names of variables.
Records records_of(const sample::Sample& sample, const Splitter& splitter,
                   const std::map<std::string, RecordedValue>& values) {
  Records records;
  for (const RecordPoint& point : splitter.points()) {
    std::vector<RecordedValue> row;
    for (const auto& variables : {point.variables, point.if_written}) {
      for (const graph::VariableId id : variables) {
        const auto found = values.find(sample.program.variables[static_cast<std::size_t>(id)]);
        RecordedValue nothing;
        nothing.kind = RecordedValue::Kind::kNothing;
        row.push_back(found == values.end() ? nothing : found->second);
      }
    }
    records.values.push_back(std::move(row));
  }
  return records;
}

std::vector<Piece> pieces_of(const sample::Sample& sample, const std::vector<Range>& ranges,
                             const std::map<std::string, RecordedValue>& values,
                             bool passes_through = false) {
  const auto splitter = Splitter::create(sample, ranges, passes_through);
  EXPECT_TRUE(splitter.is_ok()) << splitter.status().to_string();
  if (!splitter.is_ok()) return {};
  auto pieces = splitter->make(records_of(sample, *splitter, values));
  EXPECT_TRUE(pieces.is_ok()) << pieces.status().to_string();
  return pieces.is_ok() ? std::move(*pieces) : std::vector<Piece>();
}

/// forward() without its indentation and class.
std::string code_of(const Piece& piece) {
  const std::string text = writer::model_text(piece.sample.program, writer::TextStyle::kRewritten);
  return text.substr(text.find("def forward"));
}

TEST(Pieces, TakeWhatTheyReadAndReturnWhatIsRead) {
  const sample::Sample sample = parsed(", L_x_, L_w_",
                                       "        l_x_ = L_x_\n        l_w_ = L_w_\n"
                                       "        n = l_x_.size(0)\n"
                                       "        y = torch.relu(l_x_)\n"
                                       "        z = y.view(n, -1);  y = None\n"
                                       "        w = z @ l_w_;  l_w_ = None\n"
                                       "        return (w, l_x_)\n");
  const auto pieces = pieces_of(sample, {{0, 2}, {2, 4}}, {{"n", number(7)}, {"y", tensor({7})}});
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(code_of(pieces[0]),
            "def forward(self, L_x_):\n        l_x_ = L_x_\n        n = l_x_.size(0)\n"
            "        y = torch.relu(l_x_)\n        return (y,)");
  EXPECT_EQ(code_of(pieces[1]),
            "def forward(self, L_w_, L_x_, y: torch.Tensor):\n        l_x_ = L_x_\n"
            "        l_w_ = L_w_\n        n = 7\n        z = y.view(n, -1)\n        y = None\n"
            "        w = z @ l_w_\n        l_w_ = None\n        return (w, l_x_)");
  ASSERT_EQ(pieces[1].sample.metas.size(), 3U);
  EXPECT_EQ(pieces[1].sample.metas[2].name, "y");
  EXPECT_EQ(pieces[1].sample.metas[2].class_name, "Program_weight_tensor_meta_y");
  EXPECT_EQ(pieces[0].num_outputs, 1U);
}

TEST(Pieces, ReturnWhatTheyChangeInPlace) {
  const sample::Sample sample = parsed(", x",
                                       "        y = torch.relu(x)\n"
                                       "        v = y.view(-1)\n"
                                       "        v += 1\n"
                                       "        z = torch.sin(y)\n        return (z,)\n");
  const auto splitter = Splitter::create(sample, {{2, 3}}, false);
  ASSERT_TRUE(splitter.is_ok());
  // y is not read there, but v is a view of it.
  ASSERT_EQ(splitter->points()[0].if_written.size(), 1U);
  Records records = records_of(sample, *splitter, {{"v", tensor({7})}, {"y", tensor({7})}});
  const auto pieces = splitter->make(records);
  ASSERT_TRUE(pieces.is_ok());
  EXPECT_EQ(code_of((*pieces)[0]),
            "def forward(self, v: torch.Tensor, y: torch.Tensor):\n        v += 1\n"
            "        return (y,)");
  // Nothing was written to.
  const auto untouched = pieces_of(sample, {{2, 3}}, {{"v", tensor({7})}});
  ASSERT_EQ(untouched.size(), 1U);
  EXPECT_EQ(untouched[0].num_outputs, 0U);
}

TEST(Pieces, TakeTuplesItemByItem) {
  const sample::Sample sample = parsed(", x",
                                       "        c = x.chunk(2)\n        a = c[0]\n"
                                       "        b = c[1];  c = None\n        return (a, b)\n");
  RecordedValue tuple;
  tuple.kind = RecordedValue::Kind::kSequence;
  tuple.items = {tensor({4}), tensor({3})};
  const auto pieces = pieces_of(sample, {{0, 2}, {2, 3}}, {{"c", tuple}, {"a", tensor({4})}});
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(
      code_of(pieces[0]),
      "def forward(self, x):\n        c = x.chunk(2)\n        a = c[0]\n        return (a, c)");
  EXPECT_EQ(code_of(pieces[1]),
            "def forward(self, a: torch.Tensor, c_item0: torch.Tensor, c_item1: torch.Tensor):\n"
            "        c = (c_item0, c_item1)\n        b = c[1]\n        c = None\n"
            "        return (a, b)");
  EXPECT_EQ(pieces[1].sample.metas[1].shape, (std::vector<std::int64_t>{4}));
}

TEST(Pieces, PassThroughIfAsked) {
  const sample::Sample sample = parsed(", L_w_, x",
                                       "        l_w_ = L_w_\n        y = torch.relu(x)\n"
                                       "        z = torch.sin(y)\n        u = z @ l_w_\n"
                                       "        return (u,)\n");
  const auto pieces =
      pieces_of(sample, {{0, 1}, {1, 2}}, {{"y", tensor({7})}, {"z", tensor({7})}}, true);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(code_of(pieces[1]),
            "def forward(self, L_w_, y: torch.Tensor):\n        l_w_ = L_w_\n"
            "        z = torch.sin(y)\n        return (l_w_, z)");
}

}  // namespace pieces_test
}  // namespace graphnet::split
