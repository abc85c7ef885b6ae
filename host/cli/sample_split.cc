// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/sample_actions.h"
#include "cli/sample_progress.h"
#include "report/terminal_text.h"
#include "sample/lexer.h"
#include "sample/sample.h"
#include "split/operators.h"
#include "split/pieces.h"
#include "split/ranges.h"
#include "split/typical.h"
#include "validate/subgraph_sources.h"
#include "writer/place_sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using split::Range;

namespace {

/// Recorded inputs are text: a tensor with more elements would make files that nobody reads.
constexpr std::int64_t kMostRecorded = std::int64_t{1} << 20;

/// How the samples are cut; one of these is given.
struct CutChoice {
  std::optional<Json> file;
  std::vector<std::size_t> cuts;
  std::optional<Range> sizes;  ///< fewest and most operators
  bool single = false;
  std::map<fs::path, std::vector<Range>> typical;  ///< by the sample's folder
};

Status needs_selection() {
  return Status(Code::kUsage,
                "sample split needs one of --at, --ops, --ranges, --single-op and --typical")
      .add_hint("graphnet sample split DIR --ops 4-64 --output pieces");
}

Result<std::vector<std::size_t>> read_numbers(const char* flag, const std::string& text,
                                              char separator) {
  std::vector<std::size_t> numbers;
  for (const std::string& word : base::split(text, separator)) {
    const bool is_number = !word.empty() && word.size() < 10 &&
                           word.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number) {
      return Status(Code::kUsage, std::string(flag) + ": '" + word + "' is no number");
    }
    numbers.push_back(std::stoul(word));
  }
  return numbers;
}

Result<CutChoice> read_selection(const SampleFlags& flags) {
  const int num_given = static_cast<int>(flags.at.has_value()) +
                        static_cast<int>(flags.ops.has_value()) +
                        static_cast<int>(flags.ranges.has_value()) +
                        static_cast<int>(flags.single_op) + static_cast<int>(flags.typical);
  if (num_given != 1) return needs_selection();
  CutChoice selection;
  selection.single = flags.single_op;
  if (flags.at) {
    GN_ASSIGN_OR_RETURN(selection.cuts, read_numbers("--at", *flags.at, ','));
  }
  if (flags.ops) {
    GN_ASSIGN_OR_RETURN(const auto sizes, read_numbers("--ops", *flags.ops, '-'));
    if (sizes.size() != 2 || sizes[0] < 1 || sizes[0] > sizes[1]) {
      return Status(Code::kUsage, "--ops needs the fewest and the most operators of a piece")
          .add_hint("--ops 4-64");
    }
    selection.sizes = Range{sizes[0], sizes[1]};
  }
  if (flags.ranges) {
    GN_ASSIGN_OR_RETURN(const std::string text,
                        base::read_file(*flags.ranges, sample::kMaxSourceBytes));
    GN_ASSIGN_OR_RETURN(selection.file, base::parse_json(text, *flags.ranges));
  }
  return selection;
}

Result<bool> keeps_tensors(const SampleFlags& flags) {
  const std::string word = flags.inputs.value_or("measured");
  if (word != "measured" && word != "recorded") {
    return Status(Code::kUsage, "--inputs: unknown word '" + word + "'")
        .add_hint("measured or recorded");
  }
  return word == "recorded";
}

/// Upstream's path of a sample.
std::string relative_path(const sample::Sample& sample) {
  return "samples/" + sample.name;
}

std::string last_part(const std::string& name) {
  return name.substr(name.rfind('/') + 1);
}

/// One sample and its ranges.
struct Split {
  sample::Sample sample;
  std::vector<split::Operator> operators;
  std::vector<Range> ranges;
  std::vector<fs::path> written;
  std::size_t num_measured = 0;  ///< tensors that --inputs recorded is too much for
};

Result<std::vector<Range>> choose(const CutChoice& selection, const Split& split) {
  const auto& operators = split.operators;
  if (selection.file) {
    return split::read_ranges(*selection.file, relative_path(split.sample), operators.size());
  }
  if (selection.single) return split::single_operators(operators);
  const auto typical = selection.typical.find(split.sample.folder);
  if (typical != selection.typical.end()) return typical->second;
  if (selection.sizes) {
    return split::ranges_of_size(split.sample.program, operators, selection.sizes->first,
                                 selection.sizes->end);
  }
  return split::ranges_between(selection.cuts, operators.size());
}

Json sequences_json(const std::vector<split::TypicalSequence>& sequences,
                    const std::vector<sample::Sample>& samples) {
  Json rows = Json::array();
  for (const split::TypicalSequence& sequence : sequences) {
    Json places = Json::array();
    for (const split::Occurrence& place : sequence.occurrences) {
      places.push_back({{"sample", relative_path(samples[place.sample])},
                        {"range", Json::array({place.range.first, place.range.end})}});
    }
    rows.push_back({{"operators", sequence.names}, {"occurrences", std::move(places)}});
  }
  return {{"schema", "graphnet.sequences/1"}, {"sequences", std::move(rows)}};
}

/// Searches all samples that can be read; writes what it found below --output.
Status find_typical(const SampleFlags& flags, const std::vector<fs::path>& folders,
                    CutChoice& selection) {
  std::vector<sample::Sample> samples;
  std::vector<std::vector<split::Operator>> operators;
  for (const fs::path& folder : folders) {
    Result<sample::Sample> loaded = sample::load_sample(folder);
    if (!loaded.is_ok()) continue;  // reported when it is split
    operators.push_back(split::operators_of(loaded->program));
    samples.push_back(std::move(*loaded));
    selection.typical[folder] = {};
  }
  const auto sequences = split::typical_sequences(operators);
  for (const split::TypicalSequence& sequence : sequences) {
    for (const split::Occurrence& place : sequence.occurrences) {
      selection.typical[samples[place.sample].folder].push_back(place.range);
    }
  }
  for (auto& [folder, ranges] : selection.typical) std::sort(ranges.begin(), ranges.end());
  if (flags.dry_run) return Status::ok();
  std::error_code ignored;
  fs::create_directories(*flags.output, ignored);
  return base::write_file_atomic(fs::path(*flags.output) / "typical_sequences.json",
                                 base::dump_json(sequences_json(sequences, samples), 2) + "\n");
}

Status write_piece(const Split& split, const split::Piece& piece, const fs::path& place) {
  const validate::SubgraphSources sources = {{relative_path(split.sample),
                                              {{static_cast<std::int64_t>(piece.range.first),
                                                static_cast<std::int64_t>(piece.range.end)}}}};
  const writer::FileTexts files = {
      {validate::kSourcesFile, base::dump_json(validate::sources_json(sources), 4)},
      {"input_meta.py", ""},
      {"input_tensor_constraints.py", ""}};
  return writer::write_new_sample(piece.sample, writer::TextStyle::kTraced, place, files);
}

Status write_pieces(Split& split, const std::vector<split::Piece>& pieces, const fs::path& output) {
  const fs::path folder = output / relative_path(split.sample);
  const std::string model = last_part(split.sample.name);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Range& range = pieces[i].range;
    // A piece of sizes alone gives no tensor; the others have them as numbers.
    if (pieces[i].num_outputs == 0) continue;
    const fs::path place = folder / "_decomposed" /
                           (model + "_start" + std::to_string(range.first) + "_end" +
                            std::to_string(range.end) + "_" + std::to_string(i));
    GN_RETURN_IF_ERROR(write_piece(split, pieces[i], place));
    split.written.push_back(place);
  }
  return base::write_file_atomic(folder / "subgraph_ranges.json",
                                 split::ranges_text(model, split.ranges, split.operators.size()));
}

/// What all samples have in common.
struct Splitting {
  const Context& context;
  const SampleFlags& flags;
  CutChoice selection;
  bool keeps_tensors = false;
  std::optional<supervise::AnsweringWorker> worker;  ///< none in a dry run

  Result<Split> split(const fs::path& folder);
};

/// How many tensors are too large to be recorded.
std::size_t num_too_large(const std::vector<split::RecordedValue>& values) {
  std::size_t count = 0;
  for (const split::RecordedValue& value : values) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : value.meta.shape) elements *= extent;
    const bool is_tensor = value.kind == split::RecordedValue::Kind::kTensor;
    if (is_tensor && elements > kMostRecorded) ++count;
    count += num_too_large(value.items);
  }
  return count;
}

Result<Split> Splitting::split(const fs::path& folder) {
  Split split;
  GN_ASSIGN_OR_RETURN(split.sample, sample::load_sample(folder));
  split.operators = split::operators_of(split.sample.program);
  GN_ASSIGN_OR_RETURN(split.ranges, choose(selection, split));
  GN_ASSIGN_OR_RETURN(const split::Splitter splitter,
                      split::Splitter::create(split.sample, split.ranges, flags.pass_through));
  if (!worker) return split;
  Json request = {{"sample", folder.string()},
                  {"points", split::points_json(splitter.points())},
                  {"most_elements", keeps_tensors ? kMostRecorded : 0}};
  GN_ASSIGN_OR_RETURN(const Json answer, worker->ask("record_values", request));
  GN_ASSIGN_OR_RETURN(const split::Records records, split::read_records(answer));
  if (keeps_tensors) {
    for (const auto& values : records.values) split.num_measured += num_too_large(values);
  }
  GN_ASSIGN_OR_RETURN(const std::vector<split::Piece> pieces, splitter.make(records));
  GN_RETURN_IF_ERROR(write_pieces(split, pieces, *flags.output));
  return split;
}

Json split_json(const Split& split) {
  Json ranges = Json::array();
  for (const Range& range : split.ranges) ranges.push_back(Json::array({range.first, range.end}));
  Json written = Json::array();
  for (const fs::path& path : split.written) written.push_back(path.string());
  return {{"path", split.sample.folder.string()}, {"name", split.sample.name},
          {"operators", split.operators.size()},  {"ranges", std::move(ranges)},
          {"measured", split.num_measured},       {"written", std::move(written)}};
}

void print_split(const Split& split) {
  std::cout << report::printable(split.sample.folder.string()) << ": "
            << base::counted(split.operators.size(), "operator") << ", "
            << base::counted(split.ranges.size(), "piece");
  if (split.num_measured > 0) {
    std::cout << "; " << base::counted(split.num_measured, "tensor") << " of more than "
              << kMostRecorded << " elements: measured, not recorded";
  }
  std::cout << '\n';
}

}  // namespace

Result<int> split_samples(const Context& context, const SampleFlags& flags) {
  Splitting splitting{context, flags, {}, false, std::nullopt};
  GN_ASSIGN_OR_RETURN(splitting.selection, read_selection(flags));
  GN_ASSIGN_OR_RETURN(splitting.keeps_tensors, keeps_tensors(flags));
  if (!flags.output && !flags.dry_run) {
    return Status(Code::kUsage, "sample split needs --output DIR or --dry-run");
  }
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  if (flags.typical) GN_RETURN_IF_ERROR(find_typical(flags, folders, splitting.selection));
  if (!flags.dry_run) {
    GN_ASSIGN_OR_RETURN(auto worker, start_sample_worker(context, flags));
    splitting.worker.emplace(std::move(worker));
  }
  SampleProgress progress(context, folders.size());
  Json rows = Json::array();
  std::size_t num_pieces = 0;
  int exit_code = kExitDone;
  for (const fs::path& folder : folders) {
    progress.begin(folder);
    Result<Split> split = splitting.split(folder);
    if (!split.is_ok()) {
      print_error(std::move(split).status().add_context("sample " + folder.string()),
                  context.error.color);
      exit_code = kExitSampleFailed;
      continue;
    }
    num_pieces += flags.dry_run ? split->ranges.size() : split->written.size();
    rows.push_back(split_json(*split));
    if (!context.flags.json) print_split(*split);
  }
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", "graphnet.split/1"}, {"samples", rows}}) << '\n';
  } else {
    std::cout << base::counted(num_pieces, "piece") << " of "
              << base::counted(rows.size(), "sample")
              << (flags.dry_run ? " would be written\n" : " written\n");
  }
  return exit_code;
}

}  // namespace graphnet::cli
