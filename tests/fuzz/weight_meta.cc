// SPDX-License-Identifier: MIT
// weight_meta.py and the generator behind it: whatever is accepted is consistent, and arguments of
// a few elements are generated from it.
#include <cstring>
#include <set>

#include "fuzz/promise.h"
#include "sample/arguments.h"
#include "sample/tensor_meta.h"
#include "writer/meta_text.h"

namespace graphnet::fuzz {
namespace {

constexpr const char* kFile = "weight_meta.py";
constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
constexpr std::int64_t kMaxGenerated = 1 << 12;

std::int64_t check_meta(const sample::TensorMeta& meta) {
  const auto count = base::num_elements(meta.shape);
  expect(count && *count >= 0 && *count <= kMaxElements, "the number of elements is in range");
  if (meta.data) {
    expect(static_cast<std::int64_t>(meta.data->size()) == *count, "a literal fills its tensor");
  }
  expect(!meta.name.empty() && !meta.class_name.empty(), "a tensor has its names");
  expect(meta.mean.has_value() <= meta.has_mean && meta.std.has_value() <= meta.has_std,
         "a value is an attribute");
  return *count;
}

void generate(const std::vector<sample::TensorMeta>& metas) {
  std::vector<graph::Parameter> parameters;
  for (const auto& meta : metas) {
    parameters.push_back({meta.name, graph::ParameterKind::kTensor, {1, 1}});
  }
  const auto arguments = sample::generate_arguments(metas, parameters, sample::kUpstreamSeed);
  if (!arguments.is_ok()) {
    expect_clear_failure(arguments.status(), kFile, "", false);
    return;
  }
  expect(arguments->size() == metas.size(), "each parameter has an argument");
  const auto again = sample::generate_arguments(metas, parameters, sample::kUpstreamSeed);
  expect(again.is_ok() && sample::arguments_digest(*again) == sample::arguments_digest(*arguments),
         "arguments are the same each time");
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  const std::string_view text = fuzz::as_text(data, size);
  const auto metas = sample::parse_tensor_meta(text, fuzz::kFile);
  if (!metas.is_ok()) {
    fuzz::expect(metas.status().code() == base::Code::kInput, "bad metadata is an input error");
    fuzz::expect_clear_failure(metas.status(), fuzz::kFile, text, /*needs_location=*/true);
    return 0;
  }
  std::set<std::string> names;
  std::int64_t num_elements = 0;
  for (const auto& meta : *metas) {
    num_elements = std::min(num_elements + fuzz::check_meta(meta), fuzz::kMaxElements);
    fuzz::expect(names.insert(meta.name).second, "names differ");
  }
  for (const auto style : {writer::TextStyle::kTraced, writer::TextStyle::kRewritten}) {
    const std::string written = writer::meta_text(*metas, style);
    const auto again = sample::parse_tensor_meta(written, fuzz::kFile);
    fuzz::expect(again.is_ok(), "written metadata parses: " + again.status().message());
    fuzz::expect(writer::meta_text(*again, style) == written, "it is written the same again");
  }
  if (num_elements <= fuzz::kMaxGenerated) fuzz::generate(*metas);
  return 0;
}
