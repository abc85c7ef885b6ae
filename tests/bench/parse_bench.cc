// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "sample/lexer.h"
#include "sample/parser.h"
#include "sample/sample.h"
#include "sample/tensor_meta.h"
#include "support/folders.h"

namespace graphnet::sample {
namespace {

namespace fs = std::filesystem;

/// Text of the largest file of that name below GRAPHNET_SAMPLES, else below the bundled samples.
std::string largest(const char* name) {
  const char* chosen = std::getenv("GRAPHNET_SAMPLES");
  const auto samples = discover(chosen != nullptr ? chosen : tests::source_dir() + "/samples");
  if (!samples.is_ok()) return "";
  fs::path best;
  std::uintmax_t best_bytes = 0;
  for (const fs::path& sample : *samples) {
    std::error_code ignored;
    const auto bytes = fs::file_size(sample / name, ignored);
    if (ignored || bytes <= best_bytes) continue;
    best = sample / name;
    best_bytes = bytes;
  }
  const auto text = base::read_file(best, kMaxSourceBytes);
  return text.is_ok() ? text.value() : "";
}

template <typename Parse>
void parse_largest(benchmark::State& state, const char* name, Parse parse) {
  const std::string text = largest(name);
  for (auto _ : state) {
    const auto parsed = parse(text, name);
    if (!parsed.is_ok()) state.SkipWithError(parsed.status().message().c_str());
    benchmark::DoNotOptimize(parsed.is_ok());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.counters["file_bytes"] = static_cast<double>(text.size());
}

void ParseModel(benchmark::State& state) {
  parse_largest(state, "model.py", parse_model);
}
BENCHMARK(ParseModel)->Unit(benchmark::kMillisecond);

void ParseWeightMeta(benchmark::State& state) {
  parse_largest(state, "weight_meta.py", parse_tensor_meta);
}
BENCHMARK(ParseWeightMeta)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace graphnet::sample
