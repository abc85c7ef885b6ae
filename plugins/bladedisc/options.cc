// SPDX-License-Identifier: MIT
#include "bladedisc/options.h"

#include <set>
#include <sstream>
#include <string_view>

#include "graphnet/failure.h"
#include "graphnet/program_places.h"

extern char** environ;  // NOLINT

namespace graphnet::bladedisc {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' " + reason);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Where an option of each type goes.
struct TextRow {
  std::string_view name;
  std::string Options::*to;
};
constexpr TextRow kTexts[] = {
    {"compiler", &Options::compiler},
    {"runner", &Options::runner},
    {"share_folder", &Options::share_folder},
    {"cache_folder", &Options::cache_folder},
};
struct SecondsRow {
  std::string_view name;
  std::chrono::seconds Options::*to;
};
constexpr SecondsRow kSeconds[] = {
    {"compile_timeout_s", &Options::compile_timeout},
    {"answer_timeout_s", &Options::answer_timeout},
};

void read_option(const gn_option& option, Options& read) {
  const std::string name(from_gn(option.name));
  if (name == "multi_cc") {
    if (option.type != GN_OPTION_BOOL) refuse(name, "must be true or false");
    read.multi_cc = option.integer != 0;
    return;
  }
  for (const SecondsRow& row : kSeconds) {
    if (name != row.name) continue;
    if (option.type != GN_OPTION_INT || option.integer < 0) refuse(name, "must be a number");
    read.*row.to = std::chrono::seconds(option.integer);
    return;
  }
  if (option.type != GN_OPTION_STRING) refuse(name, "must be text");
  const std::string value(from_gn(option.text));
  if (name == "launcher") {
    read.launcher = words_of(value);
    return;
  }
  for (const TextRow& row : kTexts) {
    if (name != row.name) continue;
    read.*row.to = value;
    return;
  }
  refuse(name, "is not known");
}

// The host says so first, with the commands that set it up (`starts` in plugin.yaml).
[[noreturn]] void say_unconfigured(const std::string& what) {
  throw Failure(GN_STATUS_UNAVAILABLE, "bladedisc is not configured: " + what +
                                           "; plugins/bladedisc/README.md has the three commands");
}

/// One program and where it is looked for.
struct Search {
  const char* name;
  const char* option;
  const char* variable;
};

std::string find(const Search& search, const std::string& given, bool is_launched) {
  const ProgramPlace place = find_program(search.name, search.variable, given);
  if (is_launched) {
    if (place.is_named) return place.file;
    say_unconfigured(std::string("with a launcher, option ") + search.option + " must say where " +
                     search.name + " is");
  }
  if (place.is_there) return place.file;
  if (!place.is_named) {
    say_unconfigured(std::string("there is no ") + search.name + " (option " + search.option +
                     ", variable " + search.variable + ", PATH)");
  }
  say_unconfigured(
      (place.named_by.empty() ? std::string("option ") + search.option : place.named_by) +
      " names '" + place.file + "', which is no program");
}

}  // namespace

Options read_options(const gn_option* options, std::uint64_t num_options) {
  Options read;
  for (std::uint64_t i = 0; i < num_options; ++i) read_option(options[i], read);
  if (!read.launcher.empty() && read.share_folder.empty()) {
    refuse("share_folder", "must name a folder that both sides of the launcher see");
  }
  return read;
}

Programs find_programs(const Options& options) {
  const bool is_launched = !options.launcher.empty();
  return {find({"disc_compiler_main", "compiler", "GRAPHNET_DISC_COMPILER"}, options.compiler,
               is_launched),
          find({"gn-disc-run", "runner", "GRAPHNET_DISC_RUNNER"}, options.runner, is_launched)};
}

std::vector<std::string> pinned_variables(MathPolicy math) {
  return {"TAO_MLIR_ENABLE_AMP=false",
          std::string("DISC_CPU_FAST_MATH_LEVEL=") + (math.allows_fast_math ? "4" : "0"),
          std::string("NVIDIA_TF32_OVERRIDE=") + (math.allows_tf32 ? "1" : "0")};
}

std::vector<std::string> program_environment(const std::vector<std::string>& pinned) {
  static const std::set<std::string_view> kPassed = {
      "PATH",           "HOME", "USER", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
      "OMP_NUM_THREADS"};
  std::vector<std::string> variables = pinned;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const std::string_view name = entry.substr(0, entry.find('='));
    const auto is_pinned = [name](const std::string& own) {
      return std::string_view(own).substr(0, own.find('=')) == name;
    };
    bool passes =
        kPassed.count(name) != 0 || name.substr(0, 5) == "DISC_" || name.substr(0, 4) == "TAO_";
    for (const std::string& own : pinned) passes = passes && !is_pinned(own);
    if (passes) variables.emplace_back(entry);
  }
  return variables;
}

std::vector<std::string> command_of(const std::vector<std::string>& launcher,
                                    const std::vector<std::string>& pinned,
                                    const std::string& program) {
  std::vector<std::string> words = launcher;
  if (!launcher.empty()) {
    words.emplace_back("env");
    words.insert(words.end(), pinned.begin(), pinned.end());
  }
  words.push_back(program);
  return words;
}

}  // namespace graphnet::bladedisc
