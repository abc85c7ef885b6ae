// SPDX-License-Identifier: MIT
#include "score/upstream_log_row.h"

#include <cmath>
#include <filesystem>
#include <utility>

#include "base/device_name.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "record/left_out.h"
#include "score/evidence.h"
#include "score/record_row.h"
#include "score/schedule.h"

namespace graphnet::score {

namespace {

namespace fs = std::filesystem;
using record::LeftOut;

const std::vector<double>* values_of(const LogSample& sample, const std::string& key) {
  const auto found = sample.correctness.find(key);
  return found == sample.correctness.end() ? nullptr : &found->second;
}

/// Whether the line `key` accepts output `index`; no if the line is missing or too short.
bool accepts(const LogSample& sample, const std::string& key, std::size_t index) {
  const auto* values = values_of(sample, key);
  return values != nullptr && index < values->size() && (*values)[index] != 0;
}

void judge_levels(const LogSample& sample, bool compat, Row& row) {
  const auto* equal = values_of(sample, "equal");
  const std::size_t num_outputs = equal == nullptr ? 0 : equal->size();
  // Upstream calls a sample without outputs correct; one that should have had some is not.
  row.correct.fill(compat || num_outputs == sample.eager_types.size());
  const auto& levels = base::tolerance_levels();
  for (std::size_t output = 0; output < num_outputs; ++output) {
    const std::string& type =
        output < sample.eager_types.size() ? sample.eager_types[output] : std::string();
    const auto schedule = schedule_of(type, compat);
    for (std::size_t level = 0; level < kNumLevels; ++level) {
      const std::string key = schedule ? levels[(*schedule)[level]].label : std::string("equal");
      row.correct[level] = row.correct[level] && accepts(sample, key, output);
    }
  }
}

Failure compat_failure(const LogSample::Seen& seen) {
  // Tolerance lines are taken as proof that both sides ran.
  if (!seen.eager_types && !seen.all_close) return Failure::kReference;
  if (!seen.compiled_types && !seen.all_close) return Failure::kCompile;
  if (!seen.shapes_match && !seen.all_close) return Failure::kShapeMismatch;
  if (!seen.types_match) return Failure::kTypeMismatch;
  return seen.error ? Failure::kRuntime : Failure::kNone;
}

Failure failure_by_progress(int num_profiles) {
  if (num_profiles == 0) return Failure::kReference;
  return num_profiles == 1 ? Failure::kCompile : Failure::kRuntime;
}

/// Our test-compiler writes the outcome in front of the message.
Failure failure_of_compiled(const LogSample& sample) {
  const record::Word<record::Outcome> outcome(
      sample.failure_message.substr(0, sample.failure_message.find(':')));
  const Failure named = record::facts_of(outcome.value()).failure;
  if (named != Failure::kNone) return named;
  return sample.num_profiles < 2 ? Failure::kCompile : Failure::kRuntime;
}

Failure failure_of(const LogSample& sample) {
  if (sample.failed_side == "eager") return Failure::kReference;
  if (sample.failed_side == "compiled") return failure_of_compiled(sample);
  const bool has_run = sample.seen.all_close || (sample.seen.eager_types && sample.types_match);
  if (!has_run) return failure_by_progress(sample.num_profiles);
  if (sample.eager_types.size() != sample.compiled_types.size()) return Failure::kShapeMismatch;
  if (sample.types_match == false) return Failure::kTypeMismatch;
  return sample.shapes_match == false ? Failure::kShapeMismatch : Failure::kNone;
}

/// Why there is nothing to count; empty: there is.
std::string reason_not_to_count(const LogSample& sample) {
  if (sample.never_began) return name_of(LeftOut::kNotBegun);
  if (sample.is_cut_off) return name_of(LeftOut::kCutOff);
  if (sample.is_mixed_up) return name_of(LeftOut::kMixedUp);
  if (sample.is_garbled) return name_of(LeftOut::kGarbled);
  return sample.has_fluctuated ? name_of(LeftOut::kNoisy) : "";
}

bool is_wide(const LogSample::Spread& spread) {
  return is_spread_too_wide(spread.iqr, spread.median);
}

Backend backend_of(const LogSample& sample) {
  static constexpr std::pair<const char*, const char*> kFacets[] = {
      {"device", "device"},
      {"hardware", "hardware"},
      {"compile_framework_version", "version"},
  };
  Backend backend;
  const auto compiler = sample.config.find("compiler");
  backend.name = compiler == sample.config.end() ? "unknown" : compiler->second;
  backend.facets["source"] = "log";
  for (const auto& [key, facet] : kFacets) {
    const auto found = sample.config.find(key);
    if (found != sample.config.end()) backend.facets[facet] = found->second;
  }
  const auto device = backend.facets.find("device");
  if (device != backend.facets.end()) device->second = base::device_kind(device->second);
  return backend;
}

bool is_subgraph(const std::string& name) {
  constexpr const char* kPrefix = "subgraph";
  if (name.rfind(kPrefix, 0) != 0) return false;
  const std::string rest = name.substr(std::string(kPrefix).size());
  return rest.empty() || (rest.size() > 1 && rest[0] == '_' &&
                          rest.find_first_not_of("0123456789", 1) == std::string::npos);
}

bool is_samples_folder(const std::string& name) {
  constexpr std::size_t kLength = 8;  // of "_samples"
  return name == "samples" ||
         (name.size() > kLength && name.compare(name.size() - kLength, kLength, "_samples") == 0);
}

}  // namespace

Row row_of(const LogSample& sample, bool compat) {
  Row row;
  row.sample = sample_of_path(sample.path);
  row.family = row.sample.substr(0, row.sample.find('/'));
  row.backend = backend_of(sample);
  if (sample.speedup && std::isfinite(*sample.speedup) && *sample.speedup > 0) {
    row.speedup = sample.speedup;
  }
  row.left_out = compat ? "" : reason_not_to_count(sample);
  row.can_be_kept = row.left_out.empty();
  if (row.can_be_kept) {
    row.failure = compat ? compat_failure(sample.seen) : failure_of(sample);
    if (row.failure == Failure::kNone) judge_levels(sample, compat, row);
  }
  const bool is_correct = row.correct[level_index(0)];
  if (!row.can_be_kept) {
    row.outcome = record::Word<record::Outcome>(row.left_out);
    row.counting = record::Counting::kNotCounted;
  } else if (row.failure != Failure::kNone) {
    row.outcome = record::Word<record::Outcome>(failure_name(row.failure));
    row.counting = record::Counting::kFailed;
  } else {
    row.outcome = is_correct ? record::Outcome::kOk : record::Outcome::kAccuracyMismatch;
    row.counting = record::facts_of(row.outcome.value()).counting;
  }
  const bool is_noisy = is_wide(sample.eager_spread) || is_wide(sample.compiled_spread);
  if (row.can_be_kept && row.failure == Failure::kNone && is_noisy) {
    row.left_out = name_of(LeftOut::kNoisy);
  }
  return row;
}

std::string sample_of_path(const std::string& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::path(path).lexically_normal()) {
    if (part.has_relative_path() && part != ".") parts.push_back(part.string());
  }
  const std::size_t count = parts.size();
  const std::size_t wanted = count > 0 && is_subgraph(parts.back()) ? 3 : 2;
  std::size_t first = count > wanted ? count - wanted : 0;
  for (std::size_t i = count; i-- > 1;) {
    if (!is_samples_folder(parts[i - 1])) continue;
    first = i;
    break;
  }
  return base::join({parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end()}, "/");
}

}  // namespace graphnet::score
