// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>
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
#include "vary/dtype_variant.h"
#include "verify/outcome_rule.h"
#include "writer/place_sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::DType;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// How often a statement that refuses its types is given float32 before the variant is given up.
constexpr int kMostRounds = 32;

/// What became of one variant.
struct Variant {
  DType dtype = DType::kFloat16;
  std::size_t num_arguments = 0;
  std::size_t num_casts = 0;
  std::size_t num_widened = 0;  ///< statements that got float32 because they refused the mix
  bool is_declared = false;     ///< by the sample's graph_net.json
  bool is_needed = true;        ///< false: the sample has no float32 products
  std::string problem;          ///< empty: it validates
  double relative_rms = 0;      ///< the largest of its outputs
  fs::path written;
};

struct Varied {
  sample::Sample sample;
  std::vector<Variant> variants;
};

Result<std::vector<DType>> read_dtypes(const SampleFlags& flags) {
  if (!flags.dtype) {
    return Status(Code::kUsage, "sample vary needs --dtype or --dims")
        .add_hint("graphnet sample vary DIR --dtype float16,bfloat16 --output variants");
  }
  std::vector<DType> dtypes;
  for (const std::string& word : base::split(*flags.dtype, ',')) {
    const auto dtype = base::dtype_from_name(word);
    if (dtype != DType::kFloat16 && dtype != DType::kBFloat16) {
      return Status(Code::kUsage, "--dtype: no type of variants: '" + word + "'")
          .add_hint("float16, bfloat16, or both with a comma between");
    }
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

bool declares(const Json& labels, DType dtype) {
  const Json passes = labels.value("data_type_generalization_passes", Json::array());
  const Json pass = std::string("dtype_generalization_pass_") + base::dtype_name(dtype);
  return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

std::string labels_of_variant(Json labels, DType dtype) {
  labels["dtype_generalization_target_dtype"] = base::dtype_name(dtype);
  labels["dtype_generalization_precision"] = base::dtype_name(dtype);
  labels["dtype_generalization_generated"] = true;
  return writer::labels_text(labels);
}

/// The statement of the written variant that "model.py:LINE:COLUMN" of a message names.
std::optional<std::size_t> statement_named(const std::string& message,
                                           const graph::Program& written) {
  const std::size_t at = message.find("model.py:");
  if (at == std::string::npos) return std::nullopt;
  int line = 0;
  int column = 0;
  if (std::sscanf(message.c_str() + at, "model.py:%d:%d", &line, &column) != 2) return std::nullopt;
  for (std::size_t i = 0; i < written.statements.size(); ++i) {
    const graph::Position& position = written.statements[i].position;
    if (position.line == line && position.column == column) return i;
  }
  return std::nullopt;
}

/// Makes variants of one sample.
class Variation {
 public:
  Variation(supervise::AnsweringWorker& worker, const SampleFlags& flags, const fs::path& folder,
            fs::path scratch)
      : worker_(worker), flags_(flags), folder_(folder), scratch_(std::move(scratch)) {}

  Result<Varied> run(const std::vector<DType>& dtypes) {
    Varied varied;
    GN_ASSIGN_OR_RETURN(varied.sample, sample::load_sample(folder_));
    GN_ASSIGN_OR_RETURN(labels_, writer::read_labels(folder_));
    GN_ASSIGN_OR_RETURN(const Json answer,
                        worker_.ask("plan_statements", {{"sample", folder_.string()}}));
    GN_ASSIGN_OR_RETURN(facts_, vary::read_facts(answer));
    for (const DType dtype : dtypes) {
      GN_ASSIGN_OR_RETURN(Variant variant, make(varied.sample, dtype));
      varied.variants.push_back(std::move(variant));
    }
    return varied;
  }

 private:
  /// Whether the written form runs; else the statement of the sample that refuses its types.
  struct Trial {
    Status status;
    std::optional<std::size_t> culprit;
    Json outputs;
  };

  Result<Variant> make(const sample::Sample& sample, DType dtype) {
    std::set<std::size_t> wide;
    Variant variant;
    variant.dtype = dtype;
    variant.is_declared = declares(labels_, dtype);
    for (int round = 0; round < kMostRounds; ++round) {
      const vary::DTypeVariant form = vary::with_dtype(sample, facts_, dtype, wide);
      variant.num_arguments = form.num_arguments;
      variant.num_casts = form.num_casts;
      variant.num_widened = wide.size();
      if (form.num_arguments + form.num_casts == 0) {
        variant.is_needed = false;
        return variant;
      }
      GN_ASSIGN_OR_RETURN(const Trial trial, try_form(form, dtype));
      if (trial.status.is_ok()) {
        variant.problem.clear();
        judge(trial.outputs, variant);
        if (variant.problem.empty()) GN_RETURN_IF_ERROR(keep(sample, variant));
        return variant;
      }
      variant.problem = trial.status.message();
      if (!trial.culprit || !vary::widen(sample.program, *trial.culprit, wide)) return variant;
    }
    return variant;
  }

  Result<Trial> try_form(const vary::DTypeVariant& form, DType dtype) {
    const fs::path place = form_folder();
    std::error_code ignored;
    fs::remove_all(place, ignored);
    GN_RETURN_IF_ERROR(
        writer::write_new_sample(form.sample, writer::TextStyle::kTraced, place,
                                 {{"graph_net.json", labels_of_variant(labels_, dtype)}}));
    GN_ASSIGN_OR_RETURN(const sample::Sample written, sample::load_sample(place));
    Trial trial;
    Result<Json> answer = worker_.ask("plan_statements", {{"sample", place.string()}});
    // What cannot be planned may still run.
    if (answer.is_ok() || answer.status().code() == Code::kUnsupported) {
      answer = worker_.ask("try_form", {{"form", place.string()}, {"sample", folder_.string()}});
    }
    if (answer.is_ok()) {
      trial.outputs = (*answer)["outputs"];
      return trial;
    }
    trial.status = answer.status();
    const auto statement = statement_named(trial.status.message(), written.program);
    if (statement && *statement < form.origins.size()) trial.culprit = form.origins[*statement];
    return trial;
  }

  /// A variant may be as far off as eager itself where its error is still a measure.
  static void judge(const Json& outputs, Variant& variant) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Json& output = outputs[i];
      const std::string which = "output " + std::to_string(i);
      if (!output["same_shape"].get<bool>()) variant.problem = which + " has another shape";
      if (output["not_finite"].get<std::int64_t>() > 0) {
        variant.problem = which + " is not finite where the sample's is";
      }
      if (!output["floating"].get<bool>() || !output["relative_rms"].is_number()) continue;
      variant.relative_rms = std::max(variant.relative_rms, output["relative_rms"].get<double>());
    }
    if (!variant.problem.empty()) return;
    if (!(variant.relative_rms <= verify::eager_error_limit(variant.dtype))) {
      variant.problem = "outputs differ by " + base::python_float(variant.relative_rms);
    }
  }

  Status keep(const sample::Sample& sample, Variant& variant) {
    if (!flags_.output || flags_.dry_run) return Status::ok();
    variant.written =
        fs::path(*flags_.output) / base::dtype_name(variant.dtype) / "samples" / sample.name;
    GN_ASSIGN_OR_RETURN(const sample::Sample written, sample::load_sample(form_folder()));
    return writer::write_new_sample(written, writer::TextStyle::kTraced, variant.written);
  }

  fs::path form_folder() const { return scratch_ / "form"; }

  supervise::AnsweringWorker& worker_;
  const SampleFlags& flags_;
  fs::path folder_;
  fs::path scratch_;
  Json labels_;
  std::vector<vary::StatementFacts> facts_;
};

Json variant_json(const Variant& variant) {
  return {{"dtype", base::dtype_name(variant.dtype)},
          {"needed", variant.is_needed},
          {"validates", variant.is_needed && variant.problem.empty()},
          {"problem", variant.problem.empty() ? Json() : Json(variant.problem)},
          {"declared", variant.is_declared},
          {"arguments", variant.num_arguments},
          {"casts", variant.num_casts},
          {"widened", variant.num_widened},
          {"relative_rms", base::json_number(variant.relative_rms)},
          {"written", variant.written.empty() ? Json() : Json(variant.written.string())}};
}

std::string variant_text(const Varied& varied, const Variant& variant) {
  if (!variant.is_needed) {
    return varied.sample.folder.string() + ": " + base::dtype_name(variant.dtype) +
           ", no float32 product to convert\n";
  }
  std::string text = varied.sample.folder.string() + ": " + base::dtype_name(variant.dtype) + ", " +
                     base::counted(variant.num_arguments, "argument") + " and " +
                     base::counted(variant.num_casts, "cast");
  if (!variant.problem.empty()) return text + ", fails: " + variant.problem + "\n";
  return text + ", outputs within " + base::python_float(variant.relative_rms) + "\n";
}

/// How many variants validate, by type.
struct Tally {
  std::map<DType, std::size_t> valid;
  std::size_t num_failed = 0;

  void add(const Varied& varied) {
    for (const Variant& variant : varied.variants) {
      if (!variant.is_needed) continue;
      const bool is_valid = variant.problem.empty();
      valid[variant.dtype] += is_valid ? 1 : 0;
      num_failed += is_valid ? 0 : 1;
    }
  }
  std::string text(std::size_t num_samples) const {
    std::string line;
    for (const auto& [dtype, count] : valid) {
      line += std::string(base::dtype_name(dtype)) + ": " + std::to_string(count) + " of " +
              base::counted(num_samples, "sample") + " validate\n";
    }
    return line;
  }
};

}  // namespace

Result<int> vary_samples(const Context& context, const SampleFlags& flags) {
  if (flags.dims && !flags.dtype) return vary_dims(context, flags);
  if (flags.dims) return Status(Code::kUsage, "--dims excludes --dtype");
  GN_ASSIGN_OR_RETURN(const std::vector<DType> dtypes, read_dtypes(flags));
  if (!flags.output && !flags.dry_run) {
    return Status(Code::kUsage, "sample vary needs --output DIR or --dry-run");
  }
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  GN_ASSIGN_OR_RETURN(auto worker, start_sample_worker(context, flags));
  GN_ASSIGN_OR_RETURN(const WorkFolder scratch, WorkFolder::make("--output", std::nullopt));
  SampleProgress progress(context, folders.size());
  Json rows = Json::array();
  Tally tally;
  for (const fs::path& folder : folders) {
    progress.begin(folder);
    const Result<Varied> varied = Variation(worker, flags, folder, scratch.path()).run(dtypes);
    if (!varied.is_ok()) {
      print_error(Status(varied.status()).add_context("sample " + folder.string()),
                  context.error.color);
      ++tally.num_failed;
      continue;
    }
    tally.add(*varied);
    Json variants = Json::array();
    for (const Variant& variant : varied->variants) {
      variants.push_back(variant_json(variant));
      if (context.flags.json) continue;
      std::cout << report::printable_lines(variant_text(*varied, variant)) << std::flush;
    }
    rows.push_back({{"path", folder.string()},
                    {"name", varied->sample.name},
                    {"variants", std::move(variants)}});
  }
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", "graphnet.variants/1"}, {"samples", rows}}) << '\n';
  } else {
    std::cout << tally.text(folders.size());
  }
  return tally.num_failed == 0 ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
