// SPDX-License-Identifier: MIT
#include "cli/repro_folder.h"

#include <algorithm>
#include <optional>

#include "base/field_reader.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/repro_text.h"
#include "config/config_text.h"
#include "config/manifest.h"
#include "journal/journal_file.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::FieldReader;
using base::Json;
using base::Result;
using base::Status;
using record::Record;

namespace {

// What makes a sample (sample/sample.h), then what the dataset has beside it.
constexpr const char* kSampleFiles[] = {"model.py",       "weight_meta.py",
                                        "graph_net.json", "input_meta.py",
                                        "graph_hash.txt", "input_tensor_constraints.py"};
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20U;

bool is_same_kind(const Json& a, const Json& b) {
  return (a.is_number() && b.is_number()) || (a.is_boolean() && b.is_boolean()) ||
         (a.is_string() && b.is_string());
}

/// How a config names the plugin: by its file if that is here and no search would find it, else by
/// its name, looked for first in the folder where it was.
void choose_plugin(const Record& record, config::RunConfig& config) {
  const fs::path library = record.plugin_library;
  const fs::path folder = library.parent_path();
  for (const fs::path& one : {folder, folder.parent_path()}) {
    if (one.empty() || one.filename() != record.plugin) continue;
    config.plugin_search_paths = {one.parent_path()};
  }
  std::error_code ignored;
  if (config.plugin_search_paths.empty() && fs::exists(library, ignored)) {
    config.backend.library = library;
  } else {
    config.backend.name = record.plugin;
  }
}

void read_limits(const Json& settings, config::RunConfig& config) {
  using Kind = config::MemoryLimit::Kind;
  std::optional<double> memory;
  std::optional<double> flop;
  FieldReader fields(settings);
  const Json* timeouts =
      fields.read("memory_bytes", memory).read("flop", flop).object("timeouts_ms");
  config.limits.memory = {memory ? Kind::kBytes : Kind::kNone,
                          static_cast<std::uint64_t>(std::clamp(
                              memory.value_or(0), double{config::kMinMemoryBytes}, 1e15))};
  config.limits.flop = std::max(0.0, flop.value_or(0));
  for (const char* phase : config::kPhases) {
    std::optional<double> limit;
    if (timeouts != nullptr) FieldReader(*timeouts).read(phase, limit);
    config.timeouts[phase] = std::nullopt;
    constexpr double kLongest = 30.0 * 24 * 3600 * 1000;
    if (limit) {
      config.timeouts[phase] =
          std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(*limit, 1.0, kLongest)));
    }
  }
}

Status make_empty(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return Status(Code::kUsage, "'" + folder.string() + "' is not empty")
        .add_hint("name another folder with --out");
  }
  fs::create_directories(folder, error);
  if (!error) return Status::ok();
  return Status(Code::kEnvironment, "cannot create '" + folder.string() + "': " + error.message());
}

/// Copies what there is of a sample; a file that is missing was so for the run too.
Status copy_sample(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  for (const char* name : kSampleFiles) {
    if (!fs::exists(from / name, error)) continue;
    GN_ASSIGN_OR_RETURN(const std::string content, base::read_file(from / name, kMaxFileBytes));
    GN_RETURN_IF_ERROR(base::write_file_atomic(to / name, content));
  }
  return Status::ok();
}

Status write_record(const fs::path& file, const Record& record) {
  const Json header = {{"run_id", record.run_id},
                       {"graphnet", record.graphnet},
                       {"host", part_to_json(record.environment)}};
  GN_ASSIGN_OR_RETURN(journal::JournalFile journal, journal::JournalFile::open(file, header));
  GN_RETURN_IF_ERROR(journal.append(record));
  return journal.sync();
}

}  // namespace

config::Protocol recorded_protocol(const Record& record,
                                   const std::vector<fs::path>& config_folders) {
  config::Protocol protocol;
  if (record.protocol_settings.empty()) {
    const Result<config::Protocol> known = config::find_protocol(record.protocol, config_folders);
    if (known.is_ok()) protocol = *known;
    if (!known.is_ok()) protocol.method = "upstream";
  }
  protocol.name = record.protocol;
  protocol.warmup = std::max(0, record.warmup);
  protocol.trials = std::max(1, record.trials);
  for (auto& [key, value] : protocol.paired.items()) {
    const auto recorded = record.protocol_settings.find(key);
    const bool is_known = recorded != record.protocol_settings.end();
    if (is_known && is_same_kind(*recorded, value)) value = *recorded;
  }
  return protocol;
}

config::RunConfig recorded_config(const Record& record) {
  config::RunConfig config;
  choose_plugin(record, config);
  config.device = record.device;
  config.threads = std::max(0, record.threads);
  config.weights = record.weights;
  config.math = record.math;
  if (record.settings.empty()) return config;
  FieldReader(record.settings)
      .read("proof", config.proof)
      .read("compile_threads", config.compile_threads)
      .read("second_weights", config.second_weights);
  config.compile_threads = std::max(0, config.compile_threads);
  read_limits(record.settings, config);
  return config;
}

Status write_repro_folder(const fs::path& folder, const ReproSource& source) {
  GN_RETURN_IF_ERROR(make_empty(folder));
  const Record& record = source.record;
  GN_RETURN_IF_ERROR(copy_sample(source.sample, folder / repro_sample_path(record)));
  GN_RETURN_IF_ERROR(write_record(folder / kRecordedResult, record));
  const std::pair<const char*, std::string> files[] = {
      {"protocol.yaml", config::protocol_text(source.protocol)},
      {"config.yaml", repro_config_head(record) + config::run_config_text(recorded_config(record),
                                                                          record.plugin_options,
                                                                          "./protocol.yaml")},
      {"README.md", repro_readme(record, source.warnings)},
      {"run.sh", repro_script(record, source.program)}};
  for (const auto& [name, content] : files) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(folder / name, content));
  }
  std::error_code error;
  fs::permissions(folder / "run.sh",
                  fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (!error) return Status::ok();
  return Status(Code::kEnvironment, "cannot make run.sh executable: " + error.message());
}

}  // namespace graphnet::cli
