// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/path_list.h"
#include "cli/sample_actions.h"
#include "index/entry.h"
#include "report/terminal_text.h"
#include "sample/lexer.h"
#include "sample/sample.h"
#include "validate/check_sample.h"
#include "validate/findings.h"
#include "validate/program_hash.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Of one sample's eager run, which takes a second for most.
constexpr std::chrono::minutes kRunLimit{10};

struct HashRow {
  fs::path folder;
  std::string hash;
  std::string stored;     ///< graph_hash.txt; empty: not there
  std::string stored_is;  ///< word of its definition; empty: unknown
  Json upstream = Json::object();
};

Result<HashRow> hash_of(const fs::path& folder, const std::optional<std::string>& by) {
  HashRow row;
  row.folder = folder;
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(folder));
  GN_ASSIGN_OR_RETURN(const std::string model,
                      base::read_file(folder / "model.py", sample::kMaxSourceBytes));
  const Result<std::string> stored =
      base::read_file(folder / "graph_hash.txt", sample::kMaxSourceBytes);
  if (stored.is_ok()) row.stored = stored->substr(0, stored->find('\n'));
  row.hash = validate::program_hash(sample.program);
  for (const validate::DefinitionRow& definition : validate::kHashDefinitions) {
    const std::string hash = validate::upstream_hash(sample.program, model, definition.definition);
    if (row.stored_is.empty() && hash == row.stored) row.stored_is = definition.word;
    if (by == definition.word) row.hash = hash;
    row.upstream[definition.word] = hash;
  }
  return row;
}

Json hash_json(const HashRow& row) {
  return {{"path", row.folder.string()},
          {"name", sample::sample_name(row.folder)},
          {"hash", row.hash},
          {"stored", row.stored.empty() ? Json() : Json(row.stored)},
          {"stored_is", row.stored_is.empty() ? Json() : Json(row.stored_is)},
          {"upstream", row.upstream}};
}

std::string hash_line(const HashRow& row) {
  const std::string unknown = row.stored.empty() ? "-" : "unknown";
  return row.hash + "  " + report::pad_right(row.stored_is.empty() ? unknown : row.stored_is, 15) +
         "  " + report::printable(row.folder.string()) + "\n";
}

Status check_definition(const std::optional<std::string>& by) {
  std::vector<std::string> words;
  for (const auto& row : validate::kHashDefinitions) words.emplace_back(row.word);
  if (!by || std::find(words.begin(), words.end(), *by) != words.end()) return Status::ok();
  Status error(Code::kUsage, "--by: unknown definition '" + *by + "'");
  base::add_suggestion(error, *by, words);
  return error.add_hint("one of " + base::join(words, ", "));
}

Result<int> hash_samples(const Context& context, const SampleFlags& flags) {
  GN_RETURN_IF_ERROR(check_definition(flags.by));
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  Json samples = Json::array();
  int exit_code = kExitDone;
  for (const fs::path& folder : folders) {
    const Result<HashRow> row = hash_of(folder, flags.by);
    if (!row.is_ok()) {
      print_error(row.status(), context.error.color);
      exit_code = kExitInput;
    } else if (context.flags.json) {
      samples.push_back(hash_json(*row));
    } else {
      std::cout << hash_line(*row);
    }
  }
  if (context.flags.json) {
    const Json result = {{"schema", "graphnet.hashes/1"}, {"samples", samples}};
    std::cout << base::dump_json(result) << '\n';
  }
  return exit_code;
}

std::string validate_description() {
  std::string text =
      "What is wrong with samples: their files, whether these can be read, whether metadata and\n"
      "constraints fit the program, and, where there is a worker, whether an eager run succeeds "
      "and its\noutputs are finite. Exit code 1 if anything was found. --no-run does what needs no "
      "torch.\n--changed-since COMMIT: only samples with a file that differs from the merge base "
      "of HEAD and\nCOMMIT (git). Findings:";
  for (const validate::FindingRow& row : validate::kFindings) {
    text += "\n  " + report::pad_right(row.word, 14) + row.what;
  }
  return text;
}

std::string hash_description() {
  std::string text =
      "SHA-256 of the program with numbered values: names, formatting and releases do not count, "
      "nor do\nshapes and dtypes, which are metadata. Behind it stands which of upstream's four "
      "definitions\ngraph_hash.txt fits; --by prints the hash of one:";
  for (const validate::DefinitionRow& row : validate::kHashDefinitions) {
    text += std::string("\n  ") + report::pad_right(row.word, 17) + row.what;
  }
  return text +
         "\nThe last two depend on TorchDynamo: for data-dependent sizes, item() and vmap they can "
         "differ\nfrom upstream's, and the stored hash is \"unknown\".";
}

std::string repair_description() {
  return "Runs samples and, where outputs have NaN or infinity, proposes bounds for generated "
         "values: min_val\nfor variances of batch norm, and the like for square roots, logarithms "
         "and their kin. It shows the\noutputs before and after. --write puts bounds that make all "
         "outputs finite into weight_meta.py.\nExit code 1 while a sample is not finite.";
}

std::string dedup_description() {
  return "Which samples have the program of another one, by their hash. With --write the first by "
         "name stays\nand gets the subgraph_sources.json of all, and the others are removed. "
         "Shapes "
         "and dtypes do not\ncount: to keep generalised variants (other shapes or dtypes), give "
         "each its own call.";
}

constexpr const char* kWritesSamples =
    "Whole samples are written to DIR/<name of the sample>, which must not be there, or with "
    "--write in\nplace, graph_hash.txt too; comments and line breaks of model.py are lost. Without "
    "either flag it\nonly says what would change.";

std::string rename_description() {
  return std::string(
             "Upstream's names: in_0, w_0, tmp_0, ...; the metadata keeps the names from before "
             "in original_name.\nThe text is that of upstream's ast_graph_variable_renamer.\n") +
         kWritesSamples;
}

std::string convert_description() {
  return std::string(
             "Private functions of torch (torch._C._nn.linear) in their public spelling, or back, "
             "by upstream's\ntable of 15. A run of each shows whether the bits are the same:\n"
             "  graphnet sample convert samples/ --apis stable -o stable/samples\n"
             "  graphnet run samples/ --config nope --digest -o before.jsonl\n"
             "  graphnet run stable/samples --config nope --digest -o after.jsonl\n"
             "  graphnet compare before.jsonl after.jsonl\n") +
         kWritesSamples;
}

std::string split_description() {
  return "Ranges of operators as samples, below DIR/samples/<name>/_decomposed, with upstream's "
         "names\n"
         "and files. Operators are counted from 0, names of parameters and releases left out; "
         "--dry-run\n"
         "says how many there are; upstream counts a trace, which leaves out sizes that it knows.\n"
         "A piece takes what it reads and returns what is read behind it, the last one what the "
         "sample\n"
         "returns; sizes and numbers from before stand in it. A run of the whole measures its "
         "inputs:\n"
         "mean, deviation and ends go into weight_meta.py, or with --inputs recorded the values\n"
         "themselves (up to 1,048,576 elements a tensor). One of these cuts:\n"
         "  --at N,M      before operators N and M; the pieces cover the sample\n"
         "  --ops 4-64    pieces of so many operators, where the fewest values live\n"
         "  --ranges FILE upstream's subgraph_ranges or split_positions\n"
         "  --single-op   a piece for each operator that gives a tensor\n"
         "  --typical     sequences of 4 to 63 operators that occur more than once in all samples "
         "given;\n"
         "                typical_sequences.json says which\n"
         "subgraph_ranges.json keeps the ranges. Exit code 1 if a sample could not be split.";
}

std::string compose_description() {
  return "Runs the pieces of samples one after the other, on the arguments of the whole, and "
         "compares\n"
         "the results with those of the sample. Says how many operators sample and pieces have, "
         "whether\n"
         "they are the same in the same order, and how near each output is at upstream's 64 "
         "tolerances.\n"
         "--log writes upstream's log; nothing is timed for it: both sides have the time of the "
         "whole,\n"
         "so that ES(t) is 1 wherever outputs agree. Pieces are found below DIR by their\n"
         "subgraph_sources.json, else by the folder above _decomposed and the number at the end "
         "of\n"
         "their names. Exit code 1 unless all samples of --against are equal to the bit.";
}

std::string vary_description() {
  return "--dtype: samples in another floating type, below DIR/<type>/samples/<name>. As torch's\n"
         "autocast does, products, convolutions and attention take their operands in the type, "
         "and\n"
         "exponentials, norms and sums take float32; the operators of a planned run decide, not "
         "names.\n"
         "An argument that only products read is stored in the type. A statement that refuses a "
         "mix of\n"
         "types gets float32. A variant is written if it runs, has the shapes of the sample, is "
         "finite\n"
         "where the sample is, and differs from it by at most 10 % (float16) or 16 % (bfloat16) of "
         "each\n"
         "output's RMS.\n"
         "--dims: nine variants of other batches, lengths or image sizes, below\n"
         "DIR/<0 to 8>/samples/<name>: the symbols of input_tensor_constraints.py take upstream's "
         "values,\n"
         "and the sizes that model.py names follow from planned runs of both shapes. A variant is "
         "written\n"
         "if it can be planned, and runs with finite outputs where it fits into memory and takes "
         "at most\n"
         "50 GFLOP and 1 GB of arguments.\n"
         "Exit code 1 if a variant fails.";
}

std::string backward_description() {
  return "Forward and backward pass as libtorch's autograd runs them, as samples of the operators "
         "below\n"
         "autograd: DIR/train_forward/samples/<name> returns the outputs and what the backward "
         "pass "
         "reads,\n"
         "DIR/train_backward/samples/<name> takes these and the gradients of the outputs "
         "(tangents_1, ...:\n"
         "ones) and returns the gradients; DIR/eval_forward/samples/<name> is the sample. Every "
         "floating\n"
         "parameter has a gradient unless its name says running_mean, running_var, "
         "num_batches_tracked, mask,\n"
         "indices, position_ids or anchor, as upstream has it. They are written if forward and "
         "backward, run\n"
         "one behind the other, give the outputs and gradients of autograd for other gradients of "
         "the outputs;\n"
         "where a call has at most 200 MFLOP, derivatives along three directions are also compared "
         "with finite\n"
         "differences, all in float64. Exit code 1 if a sample fails.";
}

std::string index_description() {
  return "A SQLite database with upstream's tables: samples, their operators and arguments, where "
         "pieces\n"
         "come from, buckets (the same operators, extents of like size) and groups by upstream's "
         "policies.\n"
         "Names of operators are those of model.py. Upstream's four types: the name of DIR or of "
         "the\n"
         "folder below it, else --type, else sole_op_graph for pieces of one operator, "
         "typical_graph for\n"
         "other pieces and full_graph. Full graphs are in no bucket and no group, as upstream's. "
         "Give the\n"
         "folders of pieces and of their full graphs together. FILE must not be there, and is "
         "written at\n"
         "the end, whole. Exit code 1 if a sample could not be read: it is named and left out.";
}

std::string select_description() {
  return "Upstream's evaluation subset, as a list that graphnet run takes: one by one the sample "
         "that\n"
         "brings most new pairs of operators (one right behind the other), rare pairs counting up "
         "to twice.\n"
         "The same samples give the same list, and fewer are the beginning of more. DIR is a "
         "folder of\n"
         "samples or an index of them (graphnet sample index), upstream's too. With --groups N "
         "sequences\n"
         "of operators are selected, each with its largest group of samples. Without --output the "
         "list is\n"
         "printed. Exit code 1 if a sample could not be read or is gone: it is named and left "
         "out.";
}

struct ActionRow {
  const char* word;
  const char* flags;  ///< that it has besides those of every command
  const char* summary;
  std::string (*description)();
  Result<int> (*execute)(const Context&, const SampleFlags&);
};
constexpr ActionRow kActions[] = {
    {"validate", "--against --no-redundancy --changed-since --run --no-run --junit --timeout",
     "what is wrong with samples: files, metadata, an eager run", validate_description,
     validate_samples},
    {"hash", "--by", "the hash of the program, and which of upstream's is stored", hash_description,
     hash_samples},
    {"repair", "--write --timeout", "bounds for generated values where outputs are not finite",
     repair_description, repair_samples},
    {"dedup", "--write", "samples whose program another one has", dedup_description, dedup_samples},
    {"rename", "--write --output", "upstream's names: in_0, w_0, tmp_0, ...", rename_description,
     rename_samples},
    {"convert", "--apis --write --output", "private functions of torch to public ones, or back",
     convert_description, convert_samples},
    {"split",
     "--at --ops --ranges --single-op --typical --inputs --pass-through --output --dry-run "
     "--timeout",
     "ranges of operators as samples", split_description, split_samples},
    {"compose", "--against --log --dry-run --timeout",
     "run pieces one after the other and compare them with the whole", compose_description,
     compose_samples},
    {"vary", "--dtype --dims --output --dry-run --timeout", "samples in other types",
     vary_description, vary_samples},
    {"backward", "--output --dry-run --timeout", "forward and backward pass as samples",
     backward_description, differentiate_samples},
    {"index", "--type --output --dry-run", "a database of samples with upstream's tables",
     index_description, index_samples},
    {"select", "--count --groups --type --output --dry-run",
     "a subset with most pairs of operators, as a list to run", select_description, select_subset},
};

std::vector<std::string> action_words() {
  std::vector<std::string> words;
  for (const ActionRow& row : kActions) words.emplace_back(row.word);
  return words;
}

/// Whether the action has all flags that are given.
Status check_flags(const ActionRow& action, const SampleFlags& flags) {
  const std::pair<const char*, bool> given[] = {
      {"--against", flags.against.has_value()},
      {"--no-redundancy", flags.no_redundancy},
      {"--changed-since", flags.changed_since.has_value()},
      {"--run", flags.run},
      {"--no-run", flags.no_run},
      {"--junit", flags.junit.has_value()},
      {"--timeout", flags.timeout.has_value()},
      {"--by", flags.by.has_value()},
      {"--apis", flags.apis.has_value()},
      {"--output", flags.output.has_value()},
      {"--write", flags.write},
      {"--at", flags.at.has_value()},
      {"--ops", flags.ops.has_value()},
      {"--ranges", flags.ranges.has_value()},
      {"--single-op", flags.single_op},
      {"--typical", flags.typical},
      {"--inputs", flags.inputs.has_value()},
      {"--pass-through", flags.pass_through},
      {"--log", flags.log.has_value()},
      {"--dtype", flags.dtype.has_value()},
      {"--dims", flags.dims},
      {"--type", flags.type.has_value()},
      {"--count", flags.count.has_value()},
      {"--groups", flags.groups},
      {"--dry-run", flags.dry_run},
  };
  const std::vector<std::string> known = base::split(action.flags, ' ');
  for (const auto& [flag, is_given] : given) {
    if (!is_given || std::find(known.begin(), known.end(), flag) != known.end()) continue;
    return Status(Code::kUsage, "sample " + std::string(action.word) + " has no flag " + flag)
        .add_hint("its flags: " + base::join(known, ", "));
  }
  return Status::ok();
}

Result<int> execute(const Context& context, const SampleFlags& flags) {
  const std::vector<std::string> words = action_words();
  if (flags.arguments.empty()) {
    return Status(Code::kUsage, "sample needs an action: " + base::join(words, ", "))
        .add_hint("graphnet sample validate DIR");
  }
  const std::string& action = flags.arguments[0];
  for (const ActionRow& row : kActions) {
    if (action != row.word) continue;
    GN_RETURN_IF_ERROR(check_flags(row, flags));
    if (flags.arguments.size() > 1) return row.execute(context, flags);
    return Status(Code::kUsage, "sample " + action + " needs a sample's folder")
        .add_hint("graphnet sample " + action + " samples/");
  }
  Status error(Code::kUsage, "unknown action '" + action + "'");
  base::add_suggestion(error, action, words);
  return error.add_hint("one of " + base::join(words, ", "));
}

std::vector<Action> actions() {
  std::vector<Action> actions;
  for (const ActionRow& row : kActions) {
    actions.push_back({row.word, row.summary, row.description(), base::split(row.flags, ' ')});
  }
  return actions;
}

}  // namespace

Result<std::vector<fs::path>> sample_folders(const SampleFlags& flags) {
  std::vector<fs::path> folders;
  std::set<fs::path> known;
  for (std::size_t i = 1; i < flags.arguments.size(); ++i) {
    std::error_code ignored;
    Result<std::vector<fs::path>> found = validate::find_folders(flags.arguments[i]);
    if (!found.is_ok() && !fs::exists(flags.arguments[i], ignored)) {
      Status error = std::move(found).status();
      suggest_beside(error, fs::path(flags.arguments[i]).lexically_normal());
      return error;
    }
    GN_RETURN_IF_ERROR(found.status());
    for (const fs::path& folder : *found) {
      if (known.insert(fs::weakly_canonical(folder, ignored)).second) folders.push_back(folder);
    }
  }
  return folders;
}

Result<supervise::AnsweringWorker> start_sample_worker(const Context& context,
                                                       const SampleFlags& flags) {
  GN_ASSIGN_OR_RETURN(const auto limit, read_time_limit("--timeout", flags.timeout));
  supervise::AskSettings settings;
  settings.limit = limit.value_or(config::TimeLimit(kRunLimit));
  GN_ASSIGN_OR_RETURN(settings.executable, context.installation.worker_executable());
  GN_ASSIGN_OR_RETURN(auto worker, supervise::AnsweringWorker::start(std::move(settings)));
  GN_RETURN_IF_ERROR(worker.ask("describe", Json::object()).status());
  return worker;
}

Command sample_command() {
  const auto flags = std::make_shared<SampleFlags>();
  Command command;
  command.summary =
      "check, hash, repair, rename, convert, deduplicate, split, vary, differentiate, index and "
      "select samples";
  command.usage = "sample DIR... [options]";
  command.actions = actions();
  command.positionals = {"DIR", "samples or folders of them", &flags->arguments, action_words(),
                         "DIR"};
  command.flags = {
      {"--against", "DIR", "also find programs that a sample below DIR has", &flags->against},
      {"--no-redundancy", "", "samples may have the same program", &flags->no_redundancy},
      {"--changed-since", "COMMIT", "only samples that git says changed since",
       &flags->changed_since},
      {"--run", "", "fail if there is no worker to run samples in", &flags->run},
      {"--no-run", "", "only what needs no torch", &flags->no_run},
      {"--junit", "FILE", "also write JUnit XML, a test case for each sample", &flags->junit},
      {"--timeout", "S", "limit of a sample's run (default: 10m)", &flags->timeout},
      {"--by", "file|traced|retraced|retraced-stable", "as upstream's tools do", &flags->by},
      {"--apis", "stable|unstable", "public or private spellings", &flags->apis},
      {"-o,--output", "DIR|FILE", "where to write; no sample or file there is replaced",
       &flags->output},
      {"--write", "", "change the samples themselves", &flags->write},
      {"--at", "N,...", "cut before these operators", &flags->at},
      {"--ops", "MIN-MAX", "pieces of so many operators", &flags->ops},
      {"--ranges", "FILE", "ranges or positions, as upstream's tools write them", &flags->ranges},
      {"--single-op", "", "a piece for each operator", &flags->single_op},
      {"--typical", "", "pieces whose operators occur more than once", &flags->typical},
      {"--inputs", "measured|recorded", "of pieces: statistics or the values", &flags->inputs},
      {"--pass-through", "", "pieces take and return all that is still read", &flags->pass_through},
      {"--dtype", "float16|bfloat16,...", "types of variants", &flags->dtype},
      {"--dims", "", "nine variants of other shapes", &flags->dims},
      {"--type", base::join(index::type_names(), "|"),
       "the type of samples whose folders do not say it; of those to select", &flags->type},
      {"-k,--count", "N", "how many to select", &flags->count},
      {"--groups", "", "select groups of pieces, not single samples", &flags->groups},
      {"--log", "FILE", "also write upstream's log of the comparison", &flags->log},
      {"--dry-run", "", "only say what would be done", &flags->dry_run}};
  command.examples = {
      {"graphnet sample validate new/ --against samples/", "what a contributor's CI asks"},
      {"graphnet sample validate samples/ --changed-since origin/main --against samples/",
       "the samples of a pull request"},
      {"graphnet sample hash samples/ --json", "all hashes of each sample"},
      {"graphnet sample repair samples/ --write", "bounds where outputs are not finite"},
      {"graphnet sample rename subgraphs/ -o renamed/samples", "upstream's names"},
      {"graphnet sample dedup renamed/samples --write", "one sample a program"},
      {"graphnet sample convert samples/ --apis stable -o stable/samples",
       "public spellings of private functions"},
      {"graphnet sample split samples/timm --ops 4-64 -o pieces", "subgraphs of a family"},
      {"graphnet sample compose pieces --against samples/timm", "are they the whole, to the bit?"},
      {"graphnet sample vary samples/timm --dtype float16,bfloat16 -o variants", "other types"},
      {"graphnet sample vary samples/timm --dims -o variants", "other batches and sizes"},
      {"graphnet sample backward samples/timm -o training", "backward passes of a family"},
      {"graphnet sample index samples/ pieces/ -o index.sqlite", "samples and their pieces"},
      {"graphnet sample select samples/ -k 20 -o subset.txt", "then: graphnet run subset.txt"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
