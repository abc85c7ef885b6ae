// SPDX-License-Identifier: MIT
#include "report/proof_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <sstream>

#include "base/field_reader.h"
#include "base/text.h"
#include "report/grid.h"
#include "report/summary.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

using base::Json;
using record::Phase;
using record::ProofModule;
using record::ProofVerdict;
using record::Record;

constexpr const char* kIndent = "  ";
constexpr std::size_t kFewNames = 3;  // of what stands in one cell of a page

/// Whatever counts a file holds.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

std::string count_text(std::int64_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string count_text(const std::optional<std::int64_t>& count, const char* word) {
  return count_text(count.value_or(0), word);
}

std::string duration_text(const std::optional<double>& ns) {
  return base::format_duration(ns.value_or(0));
}

std::string module_text(const std::string& module) {
  return module == "anonymous" ? "JIT memory" : module;
}

bool is_plugins(const ProofModule& module) {
  return module.kind == "expect";
}

bool has_proof(const Record& record) {
  return !record::is_empty(record.proof);
}

/// Operators as the dispatcher counted them, most frequent first.
record::NamedCounts operators_of(const Record& record) {
  record::NamedCounts operators = record.proof.dispatcher.called;
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return operators;
}

std::int64_t plugin_windows(const Record& record) {
  std::int64_t windows = 0;
  for (const ProofModule& module : record.proof.modules) {
    if (is_plugins(module)) windows = sum(windows, module.windows.value_or(0));
  }
  return windows;
}

std::string why_no_evidence(const Record& record) {
  if (has_proof(record)) return "";
  if (record.phase == Phase::kProof) return "the plugin ended while it was traced";
  // The last phases of a sample that is complete without a proof.
  const bool is_complete = record.phase == Phase::kCompare || record.phase == Phase::kRobustness;
  if (!record.is_ok() && !is_complete) {
    return record.outcome.text() +
           (record.phase.empty() ? "" : " in phase " + record.phase.text()) +
           ", before any call was traced";
  }
  return "no call was traced: --proof none, or a record of a version without proof";
}

std::string why_proven(const Record& record) {
  return "no operator of libtorch in " + count_text(record.proof.calls, "traced call") + ", " +
         count_text(plugin_windows(record), "window") + " of the plugin's code, outputs " +
         record.proof.outputs;
}

std::string why_eager(const Record& record) {
  const auto operators = operators_of(record);
  if (operators.empty()) return "";
  std::int64_t calls = 0;
  for (const auto& [name, times] : operators) calls = sum(calls, times);
  return "libtorch ran the whole program: " +
         count_text(static_cast<std::int64_t>(operators.size()), "operator") + ", " +
         count_text(calls, "call") + " of them";
}

std::string why_empty(const Record& record) {
  for (const record::Word<record::Flag>& flag : record.flags) {
    if (record::facts_of(flag.value()).proof != record::ProofEffect::kEmpty) continue;
    return "the timed calls are flagged " + flag.text();
  }
  return plugin_windows(record) > 0 ? "outputs did not follow the inputs"
                                    : "no code of the plugin was entered";
}

/// Records by verdict and backend.
struct Matrix {
  std::vector<std::string> backends;  ///< as they come
  std::vector<std::string> verdicts;
  std::map<std::string, std::map<std::string, int>> counts;  ///< verdict, backend
};

Matrix count_verdicts(const std::vector<Record>& records) {
  Matrix matrix;
  for (const Record& record : records) {
    const std::string& backend = record.backend_name();
    auto& backends = matrix.backends;
    if (std::find(backends.begin(), backends.end(), backend) == backends.end()) {
      backends.push_back(backend);
    }
    ++matrix.counts[verdict_kind(record.verdict)][backend];
  }
  for (const record::ProofVerdictFacts& kind : table(ProofVerdict())) {
    if (matrix.counts.count(kind.name) > 0) matrix.verdicts.emplace_back(kind.name);
  }
  for (const auto& [verdict, counts] : matrix.counts) {
    const bool is_listed =
        std::find(matrix.verdicts.begin(), matrix.verdicts.end(), verdict) != matrix.verdicts.end();
    if (!is_listed) matrix.verdicts.push_back(verdict);
  }
  return matrix;
}

std::string matrix_text(const std::vector<Record>& records, int width) {
  Matrix matrix = count_verdicts(records);
  Grid grid;
  grid.columns = {"verdict"};
  grid.columns.insert(grid.columns.end(), matrix.backends.begin(), matrix.backends.end());
  for (const std::string& verdict : matrix.verdicts) {
    std::vector<Json> row = {verdict};
    for (const std::string& backend : matrix.backends) {
      row.emplace_back(matrix.counts[verdict][backend]);
    }
    grid.rows.push_back(std::move(row));
  }
  return grid_text(grid, width);
}

/// One line of a record's section: a name, and what there is to say.
std::string line(const std::string& name, const std::string& text, int width) {
  const std::string whole = kIndent + pad_right(name, 11) + kIndent + printable(text);
  return (width > 0 ? cut_to_width(whole, width) : whole) + "\n";
}

std::string indented(const std::string& block) {
  std::string text;
  std::istringstream lines(block);
  for (std::string one; std::getline(lines, one);) text += kIndent + one + "\n";
  return text;
}

std::string table_text(const Grid& grid, int width) {
  if (grid.rows.empty()) return "";
  return indented(grid_text(grid, width > 2 ? width - 2 : width));
}

std::string tracer_text(const Record& record) {
  const record::Proof& proof = record.proof;
  std::string text = proof.tracer;
  if (!proof.unavailable.empty()) text += " (" + proof.unavailable + ")";
  text += ", " + count_text(proof.calls, "traced call");
  if (proof.unavailable.empty()) {
    text += ", " + count_text(proof.hits, "trap") + " on " +
            count_text(proof.hit_threads, "thread") + ", arming " + duration_text(proof.arm_ns) +
            " a call";
  }
  return text + ", call " + duration_text(proof.traced_call_ns) + " (" +
         duration_text(proof.call_ns) + " untraced), " + duration_text(proof.extra_ns) + " extra";
}

std::string entered_text(const Record& record, int width) {
  Grid grid;
  grid.columns = {"class", "since", "module", "text", "windows hit", "first symbol"};
  for (const ProofModule& module : record.proof.modules) {
    const auto bytes =
        static_cast<unsigned long long>(std::max(std::int64_t{0}, module.text_bytes.value_or(0)));
    grid.rows.push_back({module.kind, module.epoch, module_text(module.module),
                         base::format_bytes(bytes), module.windows.value_or(0),
                         module.symbols.empty() ? Json() : Json(module.symbols.front())});
  }
  return table_text(grid, width);
}

/// Denied functions that somebody other than libtorch called.
std::string denied_text(const Record& record, int width) {
  Grid grid;
  grid.columns = {"called from", "libtorch's function"};
  for (const record::ProofFinding& finding : record.proof.denied) {
    if (finding.entry == true) grid.rows.push_back({finding.caller, finding.symbol});
  }
  return table_text(grid, width);
}

std::string operators_text(const Record& record) {
  constexpr std::size_t kMostOperators = 12;
  const auto operators = operators_of(record);
  if (operators.empty()) return "no operator";
  std::vector<std::string> parts;
  for (const auto& [name, times] : operators) {
    if (parts.size() == kMostOperators) break;
    parts.push_back(name + " " + std::to_string(times));
  }
  const std::size_t more = operators.size() - parts.size();
  const record::ProofDispatcher& dispatcher = record.proof.dispatcher;
  return base::join(parts, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "") +
         "; " + count_text(dispatcher.nested, "nested call") + ", " +
         count_text(dispatcher.threads, "thread");
}

std::string samples_text(const Record& record, int width) {
  const record::ProofSamples& samples = record.proof.samples;
  if (record::is_empty(samples)) return "";
  if (!samples.unavailable.empty()) return line("samples", "none: " + samples.unavailable, width);
  Grid grid;
  grid.columns = {"share %", "class", "since", "module"};
  for (const ProofModule& module : samples.shares) {
    // A tenth of a percent is more than a thousand samples can say.
    const double tenths = std::round(1000 * module.share.value_or(0));
    grid.rows.push_back({tenths / 10, module.kind, module.epoch, module_text(module.module)});
  }
  return line("samples",
              count_text(samples.count, "sample") + ", " +
                  std::to_string(samples.waiting.value_or(0)) + " of them waiting and left out",
              width) +
         table_text(grid, width);
}

/// What the proof's time went into, most of it first.
std::string steps_text(const Record& record, int width) {
  std::map<std::string, double> totals;
  for (const auto& [name, ns] : record.proof.steps) totals[name] += ns;
  std::vector<std::pair<std::string, double>> steps(totals.begin(), totals.end());
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [name, ns] : steps) parts.push_back(name + " " + base::format_duration(ns));
  return parts.empty() ? "" : line("took", base::join(parts, ", "), width);
}

/// The kernels, copies and sets that lie there.
std::string outside_rows_text(const base::Json& rows, int width) {
  std::string text;
  for (const base::Json& row : rows.is_array() ? rows : base::Json::array()) {
    int outside = 0;
    int count = 0;
    std::string name;
    base::FieldReader(row).read("outside", outside).read("count", count).read("name", name);
    if (outside == 0) continue;
    text += line("", std::to_string(outside) + " of " + std::to_string(count) + " " + name, width);
  }
  return text;
}

/// Work whose times cannot be right, or that nobody waited for.
std::string outside_text(const record::ProofDevice& device, int width) {
  const record::WorkOutside& outside = device.outside_span;
  const std::int64_t count = sum(outside.early.value_or(0), outside.late.value_or(0));
  if (count == 0) return "";
  const double most_ns =
      std::max(outside.most_early_ns.value_or(0), outside.most_late_ns.value_or(0));
  return line("",
              count_text(count, "piece") + " of work outside the span of the call, by up to " +
                  base::format_duration(most_ns),
              width) +
         outside_rows_text(device.rest["kernels"], width);
}

/// How long the device was busy in a call of either side, which is no time of the timed calls.
std::string device_text(const Record& record, int width) {
  const record::ProofDevice& device = record.proof.device;
  if (device.calls.value_or(0) == 0) return "";
  std::string text = "busy " + duration_text(device.busy_ns) + " in a call of the plugin";
  if (!record::is_empty(device.replays)) {
    text += ", " + duration_text(device.replays.busy_ns) + " in a replay of it";
  }
  if (!record::is_empty(device.eager_calls)) {
    text += ", " + duration_text(device.eager_calls.busy_ns) + " in one of eager";
  }
  return line("device", text, width) + outside_text(device, width);
}

std::string plugin_word(const Record& record, int width) {
  Grid grid;
  grid.columns = {"plugin says", "as reported by the plugin (unverified)"};
  for (const auto& [key, value] : record.plugin_info.items()) {
    grid.rows.push_back({key, base::text_of(value)});
  }
  return table_text(grid, width);
}

std::string record_text(const Record& record, int width) {
  const std::string heading = record.sample + kIndent + record.backend_name() + kIndent +
                              record.outcome.text() + kIndent +
                              (record.verdict.empty() ? "no verdict" : record.verdict.text());
  std::string text =
      "\n" + (width > 0 ? cut_to_width(printable(heading), width) : printable(heading)) + "\n";
  const std::string reason = verdict_reason(record);
  if (!reason.empty()) text += line("because", reason, width);
  const std::string none = why_no_evidence(record);
  if (!none.empty()) return text + line("no evidence", none, width) + plugin_word(record, width);
  return text + line("tracer", tracer_text(record), width) + entered_text(record, width) +
         denied_text(record, width) + line("dispatcher", operators_text(record), width) +
         samples_text(record, width) + device_text(record, width) + steps_text(record, width) +
         plugin_word(record, width);
}

}  // namespace

std::string verdict_reason(const Record& record) {
  if (record.verdict.detail) return *record.verdict.detail;
  if (!has_proof(record)) return "";
  switch (record.verdict.kind.value()) {
    case ProofVerdict::kProven:
      return why_proven(record);
    case ProofVerdict::kEager:
      return why_eager(record);
    case ProofVerdict::kEmpty:
      return why_empty(record);
    case ProofVerdict::kNone:
    case ProofVerdict::kMixed:
    case ProofVerdict::kReported:
    case ProofVerdict::kUnknown:
    case ProofVerdict::kOther:
      break;
  }
  return "";
}

std::vector<TimeShare> time_shares(const Record& record) {
  std::vector<TimeShare> shares;
  for (const ProofModule& module : record.proof.samples.shares) {
    const double share = module.share.value_or(0);
    if (share >= 0.01) shares.push_back({module_text(module.module), std::min(share, 1.0)});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const TimeShare& a, const TimeShare& b) { return a.share > b.share; });
  shares.resize(std::min(shares.size(), kFewNames));
  return shares;
}

std::string operators_word(const Record& record) {
  const auto operators = operators_of(record);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(operators.size(), kFewNames); ++i) {
    names.push_back(operators[i].first);
  }
  if (operators.size() > kFewNames) {
    names.push_back(std::to_string(operators.size() - kFewNames) + " more");
  }
  return base::join(names, ", ");
}

std::string entered_word(const Record& record) {
  std::vector<std::pair<std::int64_t, std::string>> modules;
  for (const ProofModule& module : record.proof.modules) {
    const std::int64_t windows = module.windows.value_or(0);
    if (is_plugins(module) && windows > 0) {
      modules.emplace_back(-windows, module_text(module.module));
    }
  }
  std::stable_sort(modules.begin(), modules.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(modules.size(), kFewNames); ++i) {
    names.push_back(modules[i].second);
  }
  return base::join(names, ", ");
}

std::string proof_text(const std::vector<Record>& records, int width) {
  if (records.empty()) return "no records\n";
  std::string text = matrix_text(records, width);
  for (const Record& record : records) text += record_text(record, width);
  return text;
}

Json proof_json(const std::vector<Record>& records) {
  Matrix matrix = count_verdicts(records);
  Json json = {{"schema", "graphnet.kernels/1"},
               {"backends", matrix.backends},
               {"verdicts", Json::array()},
               {"records", Json::array()}};
  for (const std::string& verdict : matrix.verdicts) {
    Json counts = Json::array();
    for (const std::string& backend : matrix.backends) {
      counts.push_back(matrix.counts[verdict][backend]);
    }
    json["verdicts"].push_back({{"verdict", verdict}, {"counts", counts}});
  }
  for (const Record& record : records) {
    Json entry = {{"sample", record.sample},
                  {"backend", record.backend_name()},
                  {"outcome", record.outcome.text()},
                  {"verdict", record.verdict.text()},
                  {"reason", verdict_reason(record)},
                  {"evidence", has_proof(record) ? part_to_json(record.proof) : Json()},
                  {"plugin_says", record.plugin_info}};
    if (!has_proof(record)) entry["no_evidence"] = why_no_evidence(record);
    json["records"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace graphnet::report
