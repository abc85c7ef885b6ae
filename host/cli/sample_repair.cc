// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/sample_actions.h"
#include "report/terminal_text.h"
#include "sample/lexer.h"
#include "sample/sample.h"
#include "sample/value_bound.h"
#include "writer/meta_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using sample::ValueBound;

namespace {

// What a bound lets through may need another bound further on.
constexpr int kMostRounds = 8;

/// What was proposed for a sample.
struct Repair {
  Json before;  ///< answers of request first_nan
  Json after;
  std::vector<ValueBound> bounds;
  bool is_written = false;

  bool was_finite() const { return before["finite"].get<bool>(); }
  bool is_repaired() const { return !was_finite() && after["finite"].get<bool>(); }
  /// "finite", "repaired" or "unrepaired".
  const char* state() const {
    if (was_finite()) return "finite";
    return is_repaired() ? "repaired" : "unrepaired";
  }
};

Result<Json> ask(supervise::AnsweringWorker& worker, const fs::path& folder,
                 const std::vector<ValueBound>& bounds) {
  GN_ASSIGN_OR_RETURN(Json answer, worker.ask("first_nan", {{"sample", folder.string()},
                                                            {"bounds", sample::to_json(bounds)}}));
  if (!answer.contains("refused")) return answer;
  return Status(Code::kEnvironment, answer["refused"].get<std::string>());
}

/// Adds the bounds that a run shows to be missing; true if there are new ones.
Result<bool> add_bounds(const Json& answer, std::vector<ValueBound>& bounds) {
  Json proposed = Json::array();
  for (const Json& breach : answer["breaches"]) proposed.push_back(breach["bound"]);
  GN_ASSIGN_OR_RETURN(const std::vector<ValueBound> found, sample::bounds_from_json(proposed));
  bool has_new = false;
  for (const ValueBound& bound : found) {
    const bool is_known = std::any_of(bounds.begin(), bounds.end(), [&](const ValueBound& known) {
      return known.name == bound.name && known.key == bound.key && known.value == bound.value;
    });
    if (!is_known) bounds.push_back(bound);
    has_new = has_new || !is_known;
  }
  return has_new;
}

Result<Repair> propose(supervise::AnsweringWorker& worker, const fs::path& folder) {
  Repair repair;
  GN_ASSIGN_OR_RETURN(repair.before, ask(worker, folder, {}));
  repair.after = repair.before;
  for (int round = 0; round < kMostRounds && !repair.after["finite"].get<bool>(); ++round) {
    GN_ASSIGN_OR_RETURN(const bool has_new, add_bounds(repair.after, repair.bounds));
    if (!has_new) break;
    GN_ASSIGN_OR_RETURN(repair.after, ask(worker, folder, repair.bounds));
  }
  return repair;
}

/// Writes weight_meta.py anew, in the one of upstream's styles that it has.
Status write_bounds(const fs::path& folder, const std::vector<ValueBound>& bounds) {
  const fs::path file = folder / "weight_meta.py";
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, sample::kMaxSourceBytes));
  GN_ASSIGN_OR_RETURN(std::vector<sample::TensorMeta> metas,
                      sample::parse_tensor_meta(text, file.string()));
  const bool is_rewritten = writer::meta_text(metas, writer::TextStyle::kRewritten) == text;
  GN_RETURN_IF_ERROR(sample::set_bounds(bounds, metas));
  return base::write_file_atomic(
      file, writer::meta_text(
                metas, is_rewritten ? writer::TextStyle::kRewritten : writer::TextStyle::kTraced));
}

Json without_text(Json answer) {
  answer.erase("text");
  return answer;
}

Json repair_json(const fs::path& folder, const Repair& repair) {
  return {{"path", folder.string()},
          {"name", sample::sample_name(folder)},
          {"state", repair.state()},
          {"bounds", sample::to_json(repair.bounds)},
          {"written", repair.is_written},
          {"before", without_text(repair.before)},
          {"after", without_text(repair.after)}};
}

std::string outputs_text(const Json& answer) {
  const std::size_t bad = answer["non_finite_outputs"].size();
  const auto all = answer["outputs"].get<std::size_t>();
  if (bad == 0) return base::counted(all, "output") + " finite";
  return std::to_string(bad) + " of " + base::counted(all, "output") + " not finite";
}

std::string bound_line(const ValueBound& bound) {
  return "  " + bound.name + ": " + bound.key + " = " + base::python_float(bound.value) + "\n";
}

std::string indented(const std::string& text) {
  std::string result;
  for (const std::string& line : base::split(text, '\n')) {
    if (!line.empty()) result += "  " + line + "\n";
  }
  return result;
}

std::string repair_text(const fs::path& folder, const Repair& repair) {
  std::string text = folder.string() + ": " + outputs_text(repair.before);
  if (repair.was_finite()) return text + "\n";
  if (!repair.bounds.empty()) {
    text += "; with " + base::counted(repair.bounds.size(), "bound") + " in weight_meta.py " +
            outputs_text(repair.after);
  }
  if (repair.is_written) text += ", written";
  text += "\n";
  for (const ValueBound& bound : repair.bounds) text += bound_line(bound);
  if (repair.is_repaired()) return text;
  return text + "  no bound of an argument makes all outputs finite:\n" +
         indented(repair.after["text"].get<std::string>());
}

/// Counts what became of all samples.
struct Tally {
  std::size_t num_finite = 0;
  std::size_t num_repaired = 0;
  std::size_t num_written = 0;
  std::size_t num_unrepaired = 0;
  int error_code = kExitDone;  ///< of the first sample that could not be judged

  void add(const Repair& repair) {
    if (repair.was_finite()) {
      ++num_finite;
    } else {
      ++(repair.is_repaired() ? num_repaired : num_unrepaired);
    }
    if (repair.is_written) ++num_written;
  }
  int exit_code() const {
    if (error_code != kExitDone) return error_code;
    const bool is_done = num_unrepaired == 0 && num_written == num_repaired;
    return is_done ? kExitDone : kExitSampleFailed;
  }
  std::string text() const {
    std::string line = std::to_string(num_finite) + " finite, " + std::to_string(num_repaired) +
                       " repaired, " + std::to_string(num_unrepaired) + " unrepaired";
    const bool has_proposal = num_written < num_repaired;
    return line + (has_proposal ? "; nothing was written, --write does\n" : "\n");
  }
};

}  // namespace

Result<int> repair_samples(const Context& context, const SampleFlags& flags) {
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  GN_ASSIGN_OR_RETURN(auto worker, start_sample_worker(context, flags));
  Json samples = Json::array();
  Tally tally;
  for (const fs::path& folder : folders) {
    Result<Repair> repair = propose(worker, folder);
    if (!repair.is_ok()) {
      if (tally.error_code == kExitDone) tally.error_code = exit_code_of(repair.status().code());
      print_error(std::move(repair).status().add_context("sample " + folder.string()),
                  context.error.color);
      continue;
    }
    if (flags.write && repair->is_repaired()) {
      GN_RETURN_IF_ERROR(write_bounds(folder, repair->bounds));
      repair->is_written = true;
    }
    tally.add(*repair);
    if (context.flags.json) {
      samples.push_back(repair_json(folder, *repair));
    } else {
      std::cout << report::printable_lines(repair_text(folder, *repair)) << std::flush;
    }
  }
  if (context.flags.json) {
    const Json result = {{"schema", "graphnet.repair/1"}, {"samples", samples}};
    std::cout << base::dump_json(result) << '\n';
  } else {
    std::cout << tally.text();
  }
  return tally.exit_code();
}

}  // namespace graphnet::cli
