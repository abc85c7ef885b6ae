// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/sample_actions.h"
#include "cli/sample_progress.h"
#include "cli/work_folder.h"
#include "report/terminal_text.h"
#include "sample/lexer.h"
#include "sample/sample.h"
#include "validate/constraints.h"
#include "vary/dim_variants.h"
#include "writer/place_sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Of one call. A variant above one of these is planned and not run: it would take a core minutes.
constexpr double kMostFlop = 50e9;
constexpr double kMostArgumentBytes = 1e9;

/// What became of one variant.
struct DimVariant {
  vary::SymbolValues values;
  std::size_t num_changed = 0;  ///< integers of model.py
  bool is_planned = false;
  std::string run;          ///< "finite", "not-finite", "failed" or "not-run"
  std::string problem;      ///< empty: it is written
  std::string why_not_run;  ///< of one that is planned; no problem, and no validation
  fs::path written;

  bool validates() const { return run == "finite"; }
};

struct VariedDims {
  sample::Sample sample;
  std::string why_none;          ///< no variants; empty: there are
  std::size_t num_declared = 0;  ///< passes in graph_net.json
  std::vector<DimVariant> variants;
};

Result<std::vector<validate::ShapeConstraint>> read_constraints(const fs::path& folder) {
  const fs::path file = folder / "input_tensor_constraints.py";
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, sample::kMaxSourceBytes));
  return validate::parse_constraints(text, file.string());
}

Result<std::size_t> count_declared(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const Json labels, writer::read_labels(folder));
  return labels.value("dimension_generalization_passes", Json::array()).size();
}

/// Makes the variants of one sample.
class DimVariation {
 public:
  DimVariation(supervise::AnsweringWorker& worker, const SampleFlags& flags, fs::path folder,
               fs::path scratch)
      : worker_(worker), flags_(flags), folder_(std::move(folder)), scratch_(std::move(scratch)) {}

  Result<VariedDims> run() {
    VariedDims varied;
    GN_ASSIGN_OR_RETURN(varied.sample, sample::load_sample(folder_));
    GN_ASSIGN_OR_RETURN(varied.num_declared, count_declared(folder_));
    GN_ASSIGN_OR_RETURN(const auto constraints, read_constraints(folder_));
    const auto variants = vary::dim_variants(constraints);
    if (!variants.is_ok()) {
      varied.why_none = variants.status().message();
      return varied;
    }
    for (std::size_t i = 0; i < variants->size(); ++i) {
      const vary::SymbolValues& values = (*variants)[i];
      GN_ASSIGN_OR_RETURN(DimVariant variant,
                          make(varied.sample, values, vary::shapes_of(constraints, values), i));
      varied.variants.push_back(std::move(variant));
    }
    return varied;
  }

 private:
  using Shapes = std::map<std::string, std::vector<std::int64_t>>;

  Result<DimVariant> make(const sample::Sample& sample, const vary::SymbolValues& values,
                          const Shapes& shapes, std::size_t number) {
    DimVariant variant;
    variant.values = values;
    const Result<Json> answer =
        worker_.ask("resize", {{"sample", folder_.string()}, {"shapes", shapes}});
    if (!answer.is_ok()) {
      variant.run = "not-run";
      variant.problem = answer.status().message();
      return variant;
    }
    variant.is_planned = true;
    variant.num_changed = (*answer)["changed"].get<std::size_t>();
    sample::Sample form = sample;
    GN_RETURN_IF_ERROR(vary::set_integers(*answer, form.program));
    vary::resize_arguments(shapes, form.metas);
    const fs::path place = scratch_ / "form";
    std::error_code ignored;
    fs::remove_all(place, ignored);
    const writer::FileTexts files = {{"input_tensor_constraints.py", ""}};
    GN_RETURN_IF_ERROR(writer::write_new_sample(form, writer::TextStyle::kTraced, place, files));
    const bool is_costly = (*answer)["flop"].get<double>() > kMostFlop ||
                           (*answer)["argument_bytes"].get<double>() > kMostArgumentBytes;
    if (is_costly) {
      variant.run = "not-run";
      variant.why_not_run = "above 50 GFLOP or 1 GB of arguments";
    } else {
      try_form(place, variant);
    }
    if (!variant.problem.empty() || flags_.dry_run) return variant;
    variant.written = fs::path(*flags_.output) / std::to_string(number) / "samples" / sample.name;
    GN_RETURN_IF_ERROR(
        writer::write_new_sample(form, writer::TextStyle::kTraced, variant.written, files));
    return variant;
  }

  /// Runs it unless it does not fit.
  void try_form(const fs::path& place, DimVariant& variant) {
    const Result<Json> answer = worker_.ask("first_nan", {{"sample", place.string()}});
    if (!answer.is_ok()) {
      variant.run = "failed";
      variant.problem = answer.status().message();
    } else if (answer->contains("refused")) {
      variant.run = "not-run";
      variant.why_not_run = (*answer)["refused"].get<std::string>();
    } else {
      const bool is_finite = (*answer)["finite"].get<bool>();
      variant.run = is_finite ? "finite" : "not-finite";
      if (!is_finite) variant.problem = "an output is not finite";
    }
  }

  supervise::AnsweringWorker& worker_;
  const SampleFlags& flags_;
  fs::path folder_;
  fs::path scratch_;
};

Json dims_json(const VariedDims& varied) {
  Json variants = Json::array();
  for (const DimVariant& variant : varied.variants) {
    variants.push_back(
        {{"symbols", variant.values},
         {"validates", variant.validates()},
         {"planned", variant.is_planned},
         {"run", variant.run},
         {"changed", variant.num_changed},
         {"problem", variant.problem.empty() ? Json() : Json(variant.problem)},
         {"not_run_because", variant.why_not_run.empty() ? Json() : Json(variant.why_not_run)},
         {"written", variant.written.empty() ? Json() : Json(variant.written.string())}});
  }
  return {{"path", varied.sample.folder.string()},
          {"name", varied.sample.name},
          {"declared_passes", varied.num_declared},
          {"no_variants_because", varied.why_none.empty() ? Json() : Json(varied.why_none)},
          {"variants", std::move(variants)}};
}

std::string dims_text(const VariedDims& varied) {
  const std::string folder = varied.sample.folder.string();
  if (!varied.why_none.empty()) return folder + ": no variants: " + varied.why_none + "\n";
  std::string text;
  for (const DimVariant& variant : varied.variants) {
    std::vector<std::string> symbols;
    for (const auto& [symbol, value] : variant.values) {
      symbols.push_back(symbol + " = " + std::to_string(value));
    }
    text += folder + ": " + base::join(symbols, ", ") + ", " +
            base::counted(variant.num_changed, "number") + " changed, " + variant.run;
    const std::string& why = variant.problem.empty() ? variant.why_not_run : variant.problem;
    text += why.empty() ? "\n" : ": " + why + "\n";
  }
  return text;
}

/// What became of all variants.
struct DimTally {
  std::size_t num_all = 0;
  std::size_t num_valid = 0;
  std::size_t num_not_run = 0;  ///< planned only

  void add(const VariedDims& varied) {
    for (const DimVariant& variant : varied.variants) {
      ++num_all;
      if (variant.validates()) ++num_valid;
      if (!variant.why_not_run.empty()) ++num_not_run;
    }
  }
  bool has_failed() const { return num_valid + num_not_run < num_all; }
  std::string text() const {
    std::string text =
        std::to_string(num_valid) + " of " + base::counted(num_all, "variant") + " validate";
    if (num_not_run > 0) text += ", " + std::to_string(num_not_run) + " are planned and not run";
    return text + "\n";
  }
};

}  // namespace

Result<int> vary_dims(const Context& context, const SampleFlags& flags) {
  if (!flags.output && !flags.dry_run) {
    return Status(Code::kUsage, "sample vary needs --output DIR or --dry-run");
  }
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  GN_ASSIGN_OR_RETURN(auto worker, start_sample_worker(context, flags));
  GN_ASSIGN_OR_RETURN(const WorkFolder scratch, WorkFolder::make("--output", std::nullopt));
  SampleProgress progress(context, folders.size());
  Json rows = Json::array();
  DimTally tally;
  std::size_t num_failed = 0;
  for (const fs::path& folder : folders) {
    progress.begin(folder);
    const Result<VariedDims> varied = DimVariation(worker, flags, folder, scratch.path()).run();
    if (!varied.is_ok()) {
      print_error(Status(varied.status()).add_context("sample " + folder.string()),
                  context.error.color);
      ++num_failed;
      continue;
    }
    tally.add(*varied);
    rows.push_back(dims_json(*varied));
    if (context.flags.json) continue;
    std::cout << report::printable_lines(dims_text(*varied)) << std::flush;
  }
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", "graphnet.variants/1"}, {"samples", rows}}) << '\n';
  } else {
    std::cout << tally.text();
  }
  return num_failed == 0 && !tally.has_failed() ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
