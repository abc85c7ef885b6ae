// SPDX-License-Identifier: MIT
// What --resume reads, and what appending costs without the disk.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "journal/checked_line.h"
#include "journal/finished_tasks.h"
#include "journal/journal_file.h"
#include "support/folders.h"

namespace graphnet {
namespace {

const std::string kGolden = tests::source_dir() + "/tests/golden/journal/v2.jsonl";

/// A journal of `count` records as a run writes them, each of a task of its own.
std::filesystem::path make_journal(int count) {
  const auto path = std::filesystem::temp_directory_path() / "graphnet_journal_bench.jsonl";
  auto golden = journal::read_journal(kGolden);
  if (!golden.is_ok()) return {};
  record::Record record = golden->records.back();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << journal::with_check("{\"schema\":\"graphnet.journal/2\"}") << '\n';
  for (int i = 0; i < count; ++i) {
    char key[33];
    std::snprintf(key, sizeof key, "%032x", static_cast<unsigned>(i));
    record.task_key = key;
    file << journal::with_check(base::dump_json(record::to_json(record))) << '\n';
  }
  return path;
}

void BM_Resume(benchmark::State& state) {
  const auto path = make_journal(static_cast<int>(state.range(0)));
  std::size_t num_found = 0;
  for (auto _ : state) {
    const auto tasks = journal::read_finished_tasks(path);
    num_found = tasks.is_ok() ? tasks->by_key.size() : 0;
  }
  if (num_found != static_cast<std::size_t>(state.range(0))) state.SkipWithError("records lost");
  std::error_code ignored;
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(path, ignored)));
  std::filesystem::remove(path, ignored);
}
BENCHMARK(BM_Resume)->Arg(100'000)->Unit(benchmark::kMillisecond);

void BM_RecordToLine(benchmark::State& state) {
  const auto golden = journal::read_journal(kGolden);
  if (!golden.is_ok()) return state.SkipWithError("no golden journal");
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        journal::with_check(base::dump_json(record::to_json(golden->records.back()))));
  }
}
BENCHMARK(BM_RecordToLine)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace graphnet
