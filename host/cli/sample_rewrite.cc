// SPDX-License-Identifier: MIT
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/sample_actions.h"
#include "report/terminal_text.h"
#include "rewrite/rename.h"
#include "rewrite/stable_names.h"
#include "sample/lexer.h"
#include "sample/sample.h"
#include "writer/model_text.h"
#include "writer/place_sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using writer::TextStyle;

namespace {

/// A sample that is not written yet.
struct Rewritten {
  sample::Sample sample;
  TextStyle style = TextStyle::kTraced;
  bool is_changed = true;
  Json changes;       ///< in --json
  std::string words;  ///< of the changes, for people
};

/// An action that writes samples.
struct Action {
  const char* schema;
  const char* done;  ///< "renamed"
  std::function<Result<Rewritten>(const fs::path&)> rewrite;
};

/// Where a sample goes; empty: nowhere.
fs::path place_of(const SampleFlags& flags, const Rewritten& rewritten) {
  if (flags.output) return fs::path(*flags.output) / rewritten.sample.name;
  return flags.write && rewritten.is_changed ? rewritten.sample.folder : fs::path();
}

Status put(const SampleFlags& flags, const Rewritten& rewritten, const fs::path& place) {
  if (place.empty()) return Status::ok();
  if (flags.output) return writer::write_new_sample(rewritten.sample, rewritten.style, place);
  return writer::replace_sample(rewritten.sample, rewritten.style)
      .add_hint("write a copy with --output DIR");
}

/// Rewrites one sample; its row of --json, or nothing if it was printed.
Result<Json> rewrite_sample(const Context& context, const SampleFlags& flags, const Action& action,
                            const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const Rewritten rewritten, action.rewrite(folder));
  const fs::path place = place_of(flags, rewritten);
  GN_RETURN_IF_ERROR(put(flags, rewritten, place));
  if (!context.flags.json) {
    std::cout << report::printable(folder.string()) << ": " << rewritten.words;
    if (flags.output) std::cout << " -> " << report::printable(place.string());
    std::cout << '\n';
  }
  Json row = {{"path", folder.string()},
              {"name", rewritten.sample.name},
              {"written", place.empty() ? Json() : Json(place.string())}};
  row.update(rewritten.changes);
  return row;
}

Result<int> rewrite_samples(const Context& context, const SampleFlags& flags,
                            const Action& action) {
  if (flags.write && flags.output) {
    return Status(Code::kUsage, "--write and --output exclude each other");
  }
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  Json rows = Json::array();
  int exit_code = kExitDone;
  for (const fs::path& folder : folders) {
    Result<Json> row = rewrite_sample(context, flags, action, folder);
    if (row.is_ok()) {
      rows.push_back(std::move(*row));
    } else {
      print_error(row.status(), context.error.color);
      exit_code = exit_code_of(row.status().code());
    }
  }
  const bool writes = flags.write || flags.output;
  if (context.flags.json) {
    const Json result = {{"schema", action.schema}, {"samples", std::move(rows)}};
    std::cout << base::dump_json(result) << '\n';
  } else {
    std::cout << base::counted(rows.size(), "sample") << (writes ? " " : " would be ")
              << action.done << (writes ? "\n" : "; --write or --output DIR does it\n");
  }
  return exit_code;
}

/// Upstream renames the metadata of input_meta.py too, which it writes empty.
Status check_no_input_metas(const fs::path& folder) {
  const fs::path file = folder / "input_meta.py";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return Status::ok();
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, sample::kMaxSourceBytes));
  GN_ASSIGN_OR_RETURN(const auto metas, sample::parse_tensor_meta(text, file.string()));
  if (metas.empty()) return Status::ok();
  return Status(Code::kInput, file.string() + " is not empty")
      .add_hint("move its classes to weight_meta.py, from which arguments are read");
}

Result<Rewritten> renamed(const fs::path& folder) {
  Rewritten rewritten;
  rewritten.style = TextStyle::kRewritten;
  GN_ASSIGN_OR_RETURN(rewritten.sample, sample::load_sample(folder));
  GN_RETURN_IF_ERROR(check_no_input_metas(folder));
  Result<rewrite::Renaming> names = rewrite::rename_sample(rewritten.sample);
  if (!names.is_ok()) return std::move(names).status().add_context(folder.string());
  const auto count = [](int number) { return static_cast<std::size_t>(number); };
  rewritten.changes = {
      {"inputs", names->inputs}, {"weights", names->weights}, {"values", names->values}};
  rewritten.words = base::counted(count(names->inputs), "input") + ", " +
                    base::counted(count(names->weights), "weight") + ", " +
                    base::counted(count(names->values), "value");
  return rewritten;
}

/// What a model.py is written in; torch.fx's style if it is in neither.
TextStyle style_of(const sample::Sample& sample, std::string_view model_py) {
  const std::string text = writer::model_text(sample.program, TextStyle::kRewritten);
  return text == model_py ? TextStyle::kRewritten : TextStyle::kTraced;
}

Result<Rewritten> converted(const fs::path& folder, rewrite::Apis apis) {
  Rewritten rewritten;
  GN_ASSIGN_OR_RETURN(rewritten.sample, sample::load_sample(folder));
  GN_ASSIGN_OR_RETURN(const std::string model,
                      base::read_file(folder / "model.py", sample::kMaxSourceBytes));
  rewritten.style = style_of(rewritten.sample, model);
  const std::map<std::string, int> calls = rewrite::respell_calls(rewritten.sample.program, apis);
  rewritten.is_changed = !calls.empty();
  Json counts = Json::object();
  std::vector<std::string> words;
  for (const auto& [spelling, count] : calls) {
    counts[spelling] = count;
    words.push_back(report::printable(spelling) + " " + std::to_string(count));
  }
  rewritten.changes = {{"calls", std::move(counts)}};
  rewritten.words = calls.empty() ? "no call to convert" : base::join(words, ", ");
  return rewritten;
}

struct ApisRow {
  const char* word;
  rewrite::Apis apis;
};
constexpr ApisRow kApis[] = {{"stable", rewrite::Apis::kStable},
                             {"unstable", rewrite::Apis::kUnstable}};

Result<rewrite::Apis> apis_of(const SampleFlags& flags) {
  std::vector<std::string> words;
  for (const ApisRow& row : kApis) {
    if (flags.apis == row.word) return row.apis;
    words.emplace_back(row.word);
  }
  if (!flags.apis) {
    return Status(Code::kUsage, "sample convert needs --apis stable or --apis unstable")
        .add_hint("graphnet sample convert DIR --apis stable --output stable/samples");
  }
  Status error(Code::kUsage, "--apis: unknown word '" + *flags.apis + "'");
  base::add_suggestion(error, *flags.apis, words);
  return error.add_hint("one of " + base::join(words, ", "));
}

}  // namespace

Result<int> rename_samples(const Context& context, const SampleFlags& flags) {
  return rewrite_samples(context, flags, {"graphnet.renaming/1", "renamed", renamed});
}

Result<int> convert_samples(const Context& context, const SampleFlags& flags) {
  GN_ASSIGN_OR_RETURN(const rewrite::Apis apis, apis_of(flags));
  const auto rewrite = [apis](const fs::path& folder) { return converted(folder, apis); };
  return rewrite_samples(context, flags, {"graphnet.conversion/1", "converted", rewrite});
}

}  // namespace graphnet::cli
