// SPDX-License-Identifier: MIT
#include "report/proof_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>

#include "base/text.h"
#include "report/grid.h"
#include "report/summary.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

using base::Json;
using journal::Record;

constexpr const char* kIndent = "  ";
constexpr std::size_t kFewNames = 3;  // of what stands in one cell of a page

// Members of the ledger, whatever a file holds in their place.

double number_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const Json& member(const Json& object, const char* key) {
  static const Json kNone;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() ? *found : kNone;
}

std::int64_t whole(double number) {
  constexpr double kLargest = 9e15;
  return static_cast<std::int64_t>(std::clamp(number, 0.0, kLargest));
}

std::string count_text(double count, const char* word) {
  return std::to_string(whole(count)) + " " + word + (count == 1 ? "" : "s");
}

std::string module_text(const Json& entry) {
  const std::string module = text_in(entry, "module");
  return module == "anonymous" ? "JIT memory" : module;
}

std::string backend_of(const Record& record) {
  return record.plugin_variant.empty() ? record.plugin : record.plugin_variant;
}

/// Operators as the dispatcher counted them, most frequent first.
std::vector<std::pair<std::string, double>> operators_of(const Record& record) {
  std::vector<std::pair<std::string, double>> operators;
  const Json called = member(member(record.proof, "dispatcher"), "called");
  for (const auto& [name, times] : called.items()) {
    operators.emplace_back(name, times.is_number() ? times.get<double>() : 0);
  }
  std::stable_sort(operators.begin(), operators.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return operators;
}

double plugin_windows(const Record& record) {
  double windows = 0;
  for (const Json& entry : member(record.proof, "modules")) {
    if (text_in(entry, "class") == "expect") windows += number_in(entry, "windows");
  }
  return windows;
}

std::string why_no_evidence(const Record& record) {
  if (!record.proof.empty()) return "";
  if (record.phase == "proof") return "the plugin ended while it was watched";
  // The last phases of a sample that is complete without a proof.
  const bool is_complete = record.phase == "compare" || record.phase == "robustness";
  if (record.outcome != "ok" && !is_complete) {
    return record.outcome + (record.phase.empty() ? "" : " in phase " + record.phase) +
           ", before any call was watched";
  }
  return "no call was watched: --proof none, or a record from before there was a proof";
}

std::string why_proven(const Record& record) {
  return "no operator of libtorch in " +
         count_text(number_in(record.proof, "calls"), "watched call") + ", " +
         count_text(plugin_windows(record), "window") + " of the plugin's code, outputs " +
         text_in(record.proof, "outputs");
}

std::string why_eager(const Record& record) {
  const auto operators = operators_of(record);
  if (operators.empty()) return "";
  double calls = 0;
  for (const auto& [name, times] : operators) calls += times;
  return "libtorch ran the whole program: " +
         count_text(static_cast<double>(operators.size()), "operator") + ", " +
         count_text(calls, "call") + " of them";
}

std::string why_empty(const Record& record) {
  for (const char* flag : {"stale_output", "late_output", "unwritten_output"}) {
    const auto found = std::find(record.flags.begin(), record.flags.end(), flag);
    if (found != record.flags.end()) return std::string("the timed calls are flagged ") + flag;
  }
  return plugin_windows(record) > 0 ? "outputs did not follow the inputs"
                                    : "no code of the plugin was entered";
}

struct VerdictKind {
  const char* name;
  std::string (*reason)(const Record&);  ///< null: in the brackets
};

/// In the order of the matrix; see proof/verdict.h.
constexpr VerdictKind kVerdicts[] = {
    {"proven", why_proven}, {"mixed", nullptr},    {"eager", why_eager},
    {"empty", why_empty},   {"reported", nullptr}, {"unknown", nullptr},
};

/// Records by verdict and backend.
struct Matrix {
  std::vector<std::string> backends;  ///< as they come
  std::vector<std::string> verdicts;
  std::map<std::string, std::map<std::string, int>> counts;  ///< verdict, backend
};

Matrix count_verdicts(const std::vector<Record>& records) {
  Matrix matrix;
  for (const Record& record : records) {
    const std::string backend = backend_of(record);
    auto& backends = matrix.backends;
    if (std::find(backends.begin(), backends.end(), backend) == backends.end()) {
      backends.push_back(backend);
    }
    ++matrix.counts[verdict_kind(record.verdict)][backend];
  }
  for (const VerdictKind& kind : kVerdicts) {
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

std::string witness_text(const Record& record) {
  const Json& ledger = record.proof;
  const std::string unavailable = text_in(ledger, "unavailable");
  std::string text = text_in(ledger, "witness");
  if (!unavailable.empty()) text += " (" + unavailable + ")";
  text += ", " + count_text(number_in(ledger, "calls"), "watched call");
  if (unavailable.empty()) {
    text += ", " + count_text(number_in(ledger, "hits"), "trap") + " on " +
            count_text(number_in(ledger, "hit_threads"), "thread") + ", arming " +
            base::format_duration(number_in(ledger, "arm_ns")) + " a call";
  }
  text += ", call " + base::format_duration(number_in(ledger, "traced_call_ns")) + " (" +
          base::format_duration(number_in(ledger, "call_ns")) + " unwatched), " +
          base::format_duration(number_in(ledger, "extra_ns")) + " extra";
  return text;
}

std::string entered_text(const Record& record, int width) {
  Grid grid;
  grid.columns = {"class", "since", "module", "text", "windows hit", "first symbol"};
  for (const Json& entry : member(record.proof, "modules")) {
    const Json symbols = member(entry, "symbols");
    const bool has_symbol = symbols.is_array() && !symbols.empty() && symbols[0].is_string();
    const auto bytes = static_cast<unsigned long long>(whole(number_in(entry, "text_bytes")));
    grid.rows.push_back({text_in(entry, "class"), text_in(entry, "epoch"), module_text(entry),
                         base::format_bytes(bytes), whole(number_in(entry, "windows")),
                         has_symbol ? symbols[0] : Json()});
  }
  return table_text(grid, width);
}

/// Denied functions that somebody other than libtorch called.
std::string denied_text(const Record& record, int width) {
  Grid grid;
  grid.columns = {"called from", "libtorch's function"};
  for (const Json& finding : member(record.proof, "denied")) {
    if (member(finding, "entry") != true) continue;
    grid.rows.push_back({text_in(finding, "caller"), text_in(finding, "symbol")});
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
    parts.push_back(name + " " + std::to_string(whole(times)));
  }
  const std::size_t more = operators.size() - parts.size();
  const Json dispatcher = member(record.proof, "dispatcher");
  return base::join(parts, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "") +
         "; " + count_text(number_in(dispatcher, "nested"), "nested call") + ", " +
         count_text(number_in(dispatcher, "threads"), "thread");
}

std::string samples_text(const Record& record, int width) {
  const Json samples = member(record.proof, "samples");
  if (samples.is_null()) return "";
  const std::string unavailable = text_in(samples, "unavailable");
  if (!unavailable.empty()) return line("samples", "none: " + unavailable, width);
  Grid grid;
  grid.columns = {"share %", "class", "since", "module"};
  for (const Json& entry : member(samples, "shares")) {
    // A tenth of a percent is more than a thousand samples can say.
    const double tenths = std::round(1000 * number_in(entry, "share"));
    grid.rows.push_back(
        {tenths / 10, text_in(entry, "class"), text_in(entry, "epoch"), module_text(entry)});
  }
  return line("samples",
              count_text(number_in(samples, "count"), "sample") + ", " +
                  std::to_string(whole(number_in(samples, "waiting"))) +
                  " of them waiting and left out",
              width) +
         table_text(grid, width);
}

/// Functions of libtorch that somebody asked for by name.
std::string lookups_text(const Record& record, int width) {
  std::string text;
  for (const Json& entry : member(record.proof, "dlsym")) {
    std::vector<std::string> names;
    for (const Json& name : member(entry, "denied")) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
    if (names.empty()) continue;
    const bool is_cut = number_in(entry, "denied_count") > static_cast<double>(names.size());
    text += line("looked up",
                 base::join(names, ", ") + (is_cut ? ", ..." : "") + " by " + module_text(entry),
                 width);
  }
  return text;
}

/// What the proof's time went into, most of it first.
std::string steps_text(const Record& record, int width) {
  std::map<std::string, double> totals;
  for (const Json& step : member(record.proof, "steps")) {
    const bool is_step =
        step.is_array() && step.size() == 2 && step[0].is_string() && step[1].is_number();
    if (is_step) totals[step[0].get<std::string>()] += step[1].get<double>();
  }
  std::vector<std::pair<std::string, double>> steps(totals.begin(), totals.end());
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [name, ns] : steps) parts.push_back(name + " " + base::format_duration(ns));
  return parts.empty() ? "" : line("took", base::join(parts, ", "), width);
}

/// Work whose times cannot be right, or that nobody waited for.
std::string outside_text(const Json& device, int width) {
  const Json outside = member(device, "outside_span");
  const double count = number_in(outside, "early") + number_in(outside, "late");
  if (count == 0) return "";
  const double most_ns =
      std::max(number_in(outside, "most_early_ns"), number_in(outside, "most_late_ns"));
  return line("",
              count_text(count, "piece") + " of work outside the span of the call, by up to " +
                  base::format_duration(most_ns),
              width);
}

/// How long the device was busy in a call of either side, which is no time of the timed calls.
std::string device_text(const Record& record, int width) {
  const Json device = member(record.proof, "device");
  if (number_in(device, "calls") == 0) return "";
  const auto busy = [](const Json& calls) {
    return base::format_duration(number_in(calls, "busy_ns"));
  };
  std::string text = "busy " + busy(device) + " in a call of the plugin";
  const Json replays = member(device, "replays");
  if (!replays.is_null()) text += ", " + busy(replays) + " in a replay of it";
  const Json eager = member(device, "eager_calls");
  if (!eager.is_null()) text += ", " + busy(eager) + " in one of eager";
  return line("device", text, width) + outside_text(device, width);
}

std::string plugin_word(const Record& record, int width) {
  Grid grid;
  grid.columns = {"plugin says", "its own word, which nobody has checked"};
  for (const auto& [key, value] : record.plugin_info.items()) {
    grid.rows.push_back({key, value.is_string() ? value : Json(base::dump_json(value))});
  }
  return table_text(grid, width);
}

std::string record_text(const Record& record, int width) {
  const std::string heading = record.sample + kIndent + backend_of(record) + kIndent +
                              record.outcome + kIndent +
                              (record.verdict.empty() ? "no verdict" : record.verdict);
  std::string text =
      "\n" + (width > 0 ? cut_to_width(printable(heading), width) : printable(heading)) + "\n";
  const std::string reason = verdict_reason(record);
  if (!reason.empty()) text += line("because", reason, width);
  const std::string none = why_no_evidence(record);
  if (!none.empty()) return text + line("no evidence", none, width) + plugin_word(record, width);
  return text + line("witness", witness_text(record), width) + entered_text(record, width) +
         denied_text(record, width) + lookups_text(record, width) +
         line("dispatcher", operators_text(record), width) + samples_text(record, width) +
         device_text(record, width) + steps_text(record, width) + plugin_word(record, width);
}

}  // namespace

std::string verdict_reason(const Record& record) {
  const std::string& verdict = record.verdict;
  const std::size_t bracket = verdict.find('(');
  if (bracket != std::string::npos && verdict.back() == ')') {
    return verdict.substr(bracket + 1, verdict.size() - bracket - 2);
  }
  for (const VerdictKind& kind : kVerdicts) {
    const bool is_meant = verdict == kind.name && kind.reason != nullptr;
    if (is_meant && !record.proof.empty()) return kind.reason(record);
  }
  return "";
}

std::vector<TimeShare> time_shares(const Record& record) {
  std::vector<TimeShare> shares;
  for (const Json& entry : member(member(record.proof, "samples"), "shares")) {
    const double share = number_in(entry, "share");
    if (share >= 0.01) shares.push_back({module_text(entry), std::min(share, 1.0)});
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
  std::vector<std::pair<double, std::string>> modules;
  for (const Json& entry : member(record.proof, "modules")) {
    const double windows = number_in(entry, "windows");
    const bool is_plugins = text_in(entry, "class") == "expect";
    if (is_plugins && windows > 0) modules.emplace_back(-windows, module_text(entry));
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
                  {"backend", backend_of(record)},
                  {"outcome", record.outcome},
                  {"verdict", record.verdict},
                  {"reason", verdict_reason(record)},
                  {"evidence", record.proof.empty() ? Json() : record.proof},
                  {"plugin_says", record.plugin_info}};
    if (record.proof.empty()) entry["no_evidence"] = why_no_evidence(record);
    json["records"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace graphnet::report
