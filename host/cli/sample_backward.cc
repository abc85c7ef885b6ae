// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backward/requires_grad.h"
#include "backward/training_samples.h"
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
#include "verify/outcome_rule.h"
#include "writer/place_sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Largest relative error of gradients beside finite differences in float64.
constexpr double kMostDifference = 1e-4;

/// A gradient that is 0 but for roundings is as far off as the roundings of others: it may be so
/// far off, as a part of what gradients may be and of the largest of them.
constexpr double kRoundings = 1e-2;

constexpr const char* kForward = "train_forward";
constexpr const char* kBackward = "train_backward";

/// A sample's passes and what became of them.
struct Differentiated {
  sample::Sample sample;
  std::vector<bool> requires_grad;
  backward::TrainingSamples passes;
  Json check;
  std::string problem;      ///< empty: they validate
  bool is_equal = false;    ///< outputs and gradients are libtorch's to the bit
  double relative_rms = 0;  ///< the largest of outputs and gradients
  std::vector<fs::path> written;
};

std::size_t num_operators(const graph::Program& program) {
  return static_cast<std::size_t>(std::count_if(
      program.statements.begin(), program.statements.end(),
      [](const auto& one) { return one.value.kind == graph::ExpressionKind::kCall; }));
}

/// Differentiates one sample.
class Differentiation {
 public:
  Differentiation(supervise::AnsweringWorker& worker, const SampleFlags& flags, fs::path folder,
                  fs::path scratch)
      : worker_(worker), flags_(flags), folder_(std::move(folder)), scratch_(std::move(scratch)) {}

  Result<Differentiated> run() {
    Differentiated made;
    GN_ASSIGN_OR_RETURN(made.sample, sample::load_sample(folder_));
    made.requires_grad = backward::requires_grad(made.sample);
    GN_ASSIGN_OR_RETURN(labels_, writer::read_labels(folder_));
    Json request = {{"sample", folder_.string()}, {"requires_grad", made.requires_grad}};
    GN_ASSIGN_OR_RETURN(const Json answer, worker_.ask("differentiate", request));
    GN_ASSIGN_OR_RETURN(made.passes, backward::training_samples(made.sample, answer));
    GN_RETURN_IF_ERROR(write_passes(made, scratch_));
    request["forward"] = (scratch_ / kForward).string();
    request["backward"] = (scratch_ / kBackward).string();
    GN_ASSIGN_OR_RETURN(made.check, worker_.ask("check_gradients", request));
    judge(made);
    if (made.problem.empty() && flags_.output && !flags_.dry_run) GN_RETURN_IF_ERROR(keep(made));
    return made;
  }

 private:
  Status write_pass(const sample::Sample& sample, const Differentiated& made, const char* pass,
                    const fs::path& place) const {
    const Json labels =
        backward::training_labels(labels_, made.sample, (std::string("_") + pass).c_str());
    const writer::FileTexts files = {{"graph_net.json", writer::labels_text(labels)},
                                     {"input_meta.py", ""},
                                     {"input_tensor_constraints.py", ""}};
    return writer::write_new_sample(sample, writer::TextStyle::kTraced, place, files);
  }

  Status write_passes(const Differentiated& made, const fs::path& root) const {
    std::error_code ignored;
    fs::remove_all(root, ignored);
    GN_RETURN_IF_ERROR(write_pass(made.passes.forward, made, kForward, root / kForward));
    return write_pass(made.passes.backward, made, kBackward, root / kBackward);
  }

  static double largest_rms(const Json& tensors) {
    double largest = 0;
    for (const Json& one : tensors) {
      if (one["rms"].is_number()) largest = std::max(largest, one["rms"].get<double>());
    }
    return largest;
  }

  static void judge_tensors(const Json& tensors, const char* what, Differentiated& made) {
    const double largest = largest_rms(tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Json& one = tensors[i];
      const std::string which = std::string(what) + " " + std::to_string(i);
      made.is_equal = made.is_equal && one["equal"].get<bool>();
      if (!one["same_shape"].get<bool>()) made.problem = which + " has another shape";
      if (one["not_finite"].get<std::int64_t>() > 0) {
        made.problem = which + " is not finite where libtorch's is";
      }
      const bool is_measured = one["floating"].get<bool>() && one["relative_rms"].is_number();
      if (!is_measured && !one["equal"].get<bool>()) made.problem = which + " is another one";
      if (!is_measured) continue;
      const auto dtype = base::dtype_from_name(one["dtype"].get<std::string>());
      if (!dtype) continue;
      double distance = one["relative_rms"].get<double>();
      const double error = distance * one["rms"].get<double>();
      const bool is_small = error > 0 && error <= kRoundings * verify::rms_limit(*dtype) * largest;
      if (is_small) distance = error / largest;
      made.relative_rms = std::max(made.relative_rms, distance);
      if (distance <= verify::rms_limit(*dtype)) continue;
      made.problem = which + " differs from libtorch's by " + base::python_float(distance);
    }
  }

  static void judge(Differentiated& made) {
    made.is_equal = true;
    judge_tensors(made.check["outputs"], "output", made);
    judge_tensors(made.check["gradients"], "gradient", made);
    const Json& error = made.check["differences"];
    if (error.is_number() && error.get<double>() > kMostDifference) {
      made.problem =
          "gradients differ from finite differences by " + base::python_float(error.get<double>());
    }
    const auto problem = made.check["run_problem"].get<std::string>();
    if (!problem.empty()) made.problem = "the backward pass does not run by itself: " + problem;
  }

  /// As it is, comments of model.py included.
  Status copy_sample(const fs::path& place) const {
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (!fs::create_directory(place, error)) {
      return Status(Code::kUsage, place.string() + " is there, or cannot be made");
    }
    fs::copy(folder_, place, error);
    if (error) return Status(Code::kEnvironment, place.string() + ": " + error.message());
    return Status::ok();
  }

  Status keep(Differentiated& made) const {
    const fs::path place = fs::path("samples") / made.sample.name;
    const fs::path output = *flags_.output;
    GN_RETURN_IF_ERROR(copy_sample(output / "eval_forward" / place));
    GN_RETURN_IF_ERROR(write_pass(made.passes.forward, made, kForward, output / kForward / place));
    GN_RETURN_IF_ERROR(
        write_pass(made.passes.backward, made, kBackward, output / kBackward / place));
    for (const char* pass : {"eval_forward", kForward, kBackward}) {
      made.written.push_back(output / pass / place);
    }
    return Status::ok();
  }

  supervise::AnsweringWorker& worker_;
  const SampleFlags& flags_;
  fs::path folder_;
  fs::path scratch_;
  Json labels_;
};

/// The parameters that should have a gradient and that nothing depends on.
std::vector<std::string> without_gradient(const Differentiated& made) {
  std::vector<std::string> names;
  const auto& found = made.passes.gradients;
  for (std::size_t i = 0; i < made.requires_grad.size(); ++i) {
    if (!made.requires_grad[i]) continue;
    if (std::find(found.begin(), found.end(), i) != found.end()) continue;
    names.push_back(made.sample.program.parameters[i].name);
  }
  return names;
}

Json differentiated_json(const Differentiated& made) {
  Json written = Json::array();
  for (const fs::path& path : made.written) written.push_back(path.string());
  const Json& reason = made.check["no_differences"];
  return {{"path", made.sample.folder.string()},
          {"name", made.sample.name},
          {"validates", made.problem.empty()},
          {"problem", made.problem.empty() ? Json() : Json(made.problem)},
          {"forward_operators", num_operators(made.passes.forward.program)},
          {"backward_operators", num_operators(made.passes.backward.program)},
          {"saved", made.passes.num_saved},
          {"gradients", made.passes.gradients.size()},
          {"without_gradient", without_gradient(made)},
          {"bit_equal", made.is_equal},
          {"relative_rms", base::json_number(made.relative_rms)},
          {"differences", made.check["differences"]},
          {"no_differences", reason == "" ? Json() : reason},
          {"finite", made.check["finite"]},
          {"written", std::move(written)}};
}

std::string differentiated_text(const Differentiated& made) {
  const std::size_t num_without = without_gradient(made).size();
  std::string text = made.sample.folder.string() + ": " +
                     base::counted(num_operators(made.passes.forward.program), "operator") +
                     " forward, " + std::to_string(num_operators(made.passes.backward.program)) +
                     " backward, " + base::counted(made.passes.gradients.size(), "gradient");
  if (num_without > 0) text += " (" + std::to_string(num_without) + " without)";
  if (!made.problem.empty()) return text + ", fails: " + made.problem + "\n";
  text += made.is_equal ? ", libtorch's to the bit"
                        : ", within " + base::python_float(made.relative_rms) + " of libtorch's";
  const Json& error = made.check["differences"];
  if (error.is_number()) {
    text += ", within " + base::python_float(error.get<double>()) + " of finite differences";
  } else {
    text += "; no finite differences: " + made.check["no_differences"].get<std::string>();
  }
  if (!made.check["finite"].get<bool>()) text += "; not finite on arguments of its own";
  return text + "\n";
}

}  // namespace

Result<int> differentiate_samples(const Context& context, const SampleFlags& flags) {
  if (!flags.output && !flags.dry_run) {
    return Status(Code::kUsage, "sample backward needs --output DIR or --dry-run")
        .add_hint("graphnet sample backward DIR --output training");
  }
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  GN_ASSIGN_OR_RETURN(auto worker, start_sample_worker(context, flags));
  GN_ASSIGN_OR_RETURN(const WorkFolder scratch, WorkFolder::make("--output", std::nullopt));
  SampleProgress progress(context, folders.size());
  Json rows = Json::array();
  std::size_t num_valid = 0;
  for (const fs::path& folder : folders) {
    progress.begin(folder);
    const Result<Differentiated> made =
        Differentiation(worker, flags, folder, scratch.path() / "passes").run();
    if (!made.is_ok()) {
      print_error(Status(made.status()).add_context("sample " + folder.string()),
                  context.error.color);
      rows.push_back({{"path", folder.string()},
                      {"name", sample::sample_name(folder)},
                      {"validates", false},
                      {"problem", made.status().message()}});
      continue;
    }
    num_valid += made->problem.empty() ? 1 : 0;
    rows.push_back(differentiated_json(*made));
    if (context.flags.json) continue;
    std::cout << report::printable_lines(differentiated_text(*made)) << std::flush;
  }
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", "graphnet.backward/1"}, {"samples", rows}}) << '\n';
  } else {
    std::cout << num_valid << " of " << base::counted(folders.size(), "sample") << " validate\n";
  }
  return num_valid == folders.size() ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
