// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/tolerance.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "cli/sample_actions.h"
#include "cli/sample_progress.h"
#include "record/record.h"
#include "report/graphnet_log.h"
#include "report/terminal_text.h"
#include "sample/sample.h"
#include "split/piece_folders.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using split::PlacedPiece;

namespace {

/// The pieces of a sample, and what running them gave.
struct Composition {
  sample::Sample sample;
  std::size_t num_pieces = 0;
  split::PieceCheck check;
  Json answer;  ///< of the request compose; null in a dry run

  bool is_equal() const {
    return check.patterns_equal && (answer.is_null() || answer["bit_equal"].get<bool>());
  }
};

/// Whether pieces that say what they are cover the operators of the whole, each once.
Status check_cover(const sample::Sample& whole, const std::vector<PlacedPiece>& pieces) {
  std::size_t next = 0;
  for (const PlacedPiece& piece : pieces) {
    if (!piece.range) return Status::ok();
    if (piece.range->first != next) {
      return Status(Code::kInput, "no piece begins at operator " + std::to_string(next) +
                                      ", the next is '" + piece.folder.string() + "'")
          .add_hint("split the sample with --at or --ops, whose pieces cover it");
    }
    next = piece.range->end;
  }
  const std::size_t num_operators = split::operators_of(whole.program).size();
  if (next == num_operators) return Status::ok();
  return Status(Code::kInput, "the pieces end at operator " + std::to_string(next) + " of " +
                                  std::to_string(num_operators));
}

Result<Composition> compose(supervise::AnsweringWorker* worker, const fs::path& folder,
                            const std::map<std::string, std::vector<PlacedPiece>>& all) {
  Composition composition;
  GN_ASSIGN_OR_RETURN(composition.sample, sample::load_sample(folder));
  const auto found = all.find("samples/" + composition.sample.name);
  if (found == all.end()) {
    return Status(Code::kInput, "no pieces of samples/" + composition.sample.name)
        .add_hint("graphnet sample split " + folder.string() + " --ops 4-64 --output DIR");
  }
  composition.num_pieces = found->second.size();
  GN_RETURN_IF_ERROR(check_cover(composition.sample, found->second));
  GN_ASSIGN_OR_RETURN(composition.check, split::check_pieces(composition.sample, found->second));
  if (worker == nullptr) return composition;
  std::vector<std::string> folders;
  for (const PlacedPiece& piece : found->second) folders.push_back(piece.folder.string());
  GN_ASSIGN_OR_RETURN(composition.answer,
                      worker->ask("compose", {{"sample", folder.string()}, {"pieces", folders}}));
  return composition;
}

Json composition_json(const Composition& composition) {
  const split::PieceCheck& check = composition.check;
  Json json = {{"path", composition.sample.folder.string()},
               {"name", composition.sample.name},
               {"pieces", composition.num_pieces},
               {"operators", check.num_operators},
               {"operators_of_pieces", check.num_in_pieces},
               {"patterns_equal", check.patterns_equal},
               {"difference", check.difference.empty() ? Json() : Json(check.difference)}};
  if (composition.answer.is_null()) return json;
  for (const char* key : {"outcome", "message", "bit_equal", "outputs"}) {
    json[key] = composition.answer[key];
  }
  return json;
}

std::string composition_text(const Composition& composition) {
  const split::PieceCheck& check = composition.check;
  std::string text = composition.sample.folder.string() + ": " +
                     base::counted(composition.num_pieces, "piece") + ", " +
                     base::counted(check.num_in_pieces, "operator");
  if (!check.patterns_equal) text += "; " + check.difference;
  if (composition.answer.is_null()) return text + "\n";
  const std::size_t num_outputs = composition.answer["outputs"].size();
  if (composition.answer["bit_equal"].get<bool>()) {
    return text + ", " + base::counted(num_outputs, "output") + " equal to the bit\n";
  }
  text += ", not equal: " + composition.answer["outcome"].get<std::string>() + " " +
          composition.answer["message"].get<std::string>() + "\n";
  for (std::size_t i = 0; i < num_outputs; ++i) {
    const Json& output = composition.answer["outputs"][i];
    if (output["bit_equal"].get<bool>()) continue;
    const Json& levels = output["all_close"];
    const auto close = std::count(levels.begin(), levels.end(), Json(true));
    text += "  output " + std::to_string(i) + ": " + output["dtype"].get<std::string>() + " " +
            base::dump_json(output["shape"]) + ", largest difference " +
            base::dump_json(output["max_diff"]) + ", within " + std::to_string(close) + " of " +
            std::to_string(levels.size()) + " tolerances\n";
  }
  return text;
}

/// The comparison as a record: both sides have the time of the sample's one run, which makes a
/// speedup of 1, so that ES(t) says how the outputs compare and nothing else.
record::Record record_of(const Composition& composition) {
  record::Record record;
  record.sample_path = "samples/" + composition.sample.name;
  record.model_name = composition.sample.model_name;
  record.plugin = "compose";
  record.warmup = 0;
  record.trials = 1;
  record.outcome = record::Word<record::Outcome>(composition.answer["outcome"].get<std::string>());
  record.message = composition.answer["message"].get<std::string>();
  record::Record::Side side;
  const double ns = composition.answer["whole_ns"].get<double>();
  side.trials_ns = {ns};
  side.median_ns = side.mean_ns = side.min_ns = side.max_ns = ns;
  side.iqr_ns = side.std_ns = 0;
  Json& correctness = record.correctness;
  for (const char* key : {"equal", "all_close", "max_diff", "mean_diff"}) {
    correctness[key] = Json::array();
  }
  for (const Json& output : composition.answer["outputs"]) {
    side.output_dtypes.push_back(output["dtype"].get<std::string>());
    std::string levels;
    for (const Json& level : output["all_close"]) levels += level.get<bool>() ? '1' : '0';
    correctness["equal"].push_back(output["bit_equal"].get<bool>() ? 1 : 0);
    correctness["all_close"].push_back(levels);
    for (const char* key : {"max_diff", "mean_diff"}) {
      correctness[key].push_back(output[key].is_null() ? Json("nan") : output[key]);
    }
  }
  record.eager = side;
  record.plugin_side = side;
  return record;
}

}  // namespace

Result<int> compose_samples(const Context& context, const SampleFlags& flags) {
  if (!flags.against) {
    return Status(Code::kUsage, "sample compose needs --against, the samples that were split")
        .add_hint("graphnet sample compose pieces --against samples/timm/resnet10t.c3_in1k");
  }
  if (flags.arguments.size() != 2) {
    return Status(Code::kUsage, "sample compose takes one folder of pieces");
  }
  if (flags.log) GN_RETURN_IF_ERROR(check_output_file("--log", *flags.log));
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample::discover(*flags.against));
  GN_ASSIGN_OR_RETURN(const auto pieces, split::find_pieces(flags.arguments[1]));
  std::optional<supervise::AnsweringWorker> worker;
  if (!flags.dry_run) {
    GN_ASSIGN_OR_RETURN(auto started, start_sample_worker(context, flags));
    worker.emplace(std::move(started));
  }
  SampleProgress progress(context, folders.size());
  Json rows = Json::array();
  std::string log;
  std::size_t num_equal = 0;
  for (const fs::path& folder : folders) {
    progress.begin(folder);
    const Result<Composition> composition = compose(worker ? &*worker : nullptr, folder, pieces);
    if (!composition.is_ok()) {
      print_error(Status(composition.status()).add_context("sample " + folder.string()),
                  context.error.color);
      continue;
    }
    if (composition->is_equal()) ++num_equal;
    rows.push_back(composition_json(*composition));
    if (!flags.dry_run) log += report::graphnet_log(record_of(*composition), {});
    if (!context.flags.json) {
      std::cout << report::printable_lines(composition_text(*composition)) << std::flush;
    }
  }
  if (flags.log) GN_RETURN_IF_ERROR(base::write_file_atomic(*flags.log, log));
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", "graphnet.composition/1"}, {"samples", rows}}) << '\n';
  } else {
    std::cout << num_equal << " of " << base::counted(folders.size(), "sample")
              << (flags.dry_run ? " would be composed\n" : " equal their pieces\n");
  }
  return num_equal == folders.size() ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
