// SPDX-License-Identifier: MIT
#include "cli/plugin_check.h"

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/elf_file.h"
#include "base/file.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/control_runs.h"
#include "cli/work_folder.h"
#include "config/manifest.h"
#include "config/preflight.h"
#include "journal/journal_file.h"
#include "measure/environment.h"
#include "record/record.h"
#include "report/junit.h"
#include "supervise/worker_program.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using record::Outcome;
using record::Record;
using State = PluginFinding::State;

namespace {

constexpr std::uint64_t kMaxOutput = std::uint64_t{64} << 20U;
constexpr std::size_t kMostNamed = 5;

/// MiB beyond what the process has that a call into a plugin may take, and the cases for that.
constexpr const char* kLittleMemory[] = {"0", "16", "128"};
constexpr const char* kMemoryCases = "product/linear/f32/*";

/// Names that a library defines for others.
Result<std::set<std::string>> exports_of(const fs::path& library) {
  GN_ASSIGN_OR_RETURN(base::CheckedBytes bytes, base::CheckedBytes::open(library));
  GN_ASSIGN_OR_RETURN(base::ElfFile file, base::ElfFile::read(std::move(bytes)));
  GN_ASSIGN_OR_RETURN(base::ElfDynamic dynamic, base::ElfDynamic::read(file));
  GN_ASSIGN_OR_RETURN(const std::vector<Elf64_Sym> symbols, dynamic.symbols());
  std::set<std::string> names;
  for (const Elf64_Sym& symbol : symbols) {
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || binding == STB_LOCAL) continue;
    GN_ASSIGN_OR_RETURN(std::string name, dynamic.text(symbol.st_name));
    names.insert(std::move(name));
  }
  return names;
}

std::string named(const std::vector<std::string>& items) {
  const auto last = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), kMostNamed));
  std::string text = base::join({items.begin(), last}, "\n");
  if (items.size() > kMostNamed) {
    text += "\nand " + std::to_string(items.size() - kMostNamed) + " more";
  }
  return text;
}

/// One plugin on its way through the levels.
class Check {
 public:
  Check(const Context& context, fs::path manifest, fs::path folder, const PluginCheckScope& scope)
      : context_(context),
        scope_(scope),
        manifest_file_(std::move(manifest)),
        folder_(std::move(folder)) {}

  Result<std::vector<PluginFinding>> run() {
    using Level = Status (Check::*)();
    constexpr std::pair<Level, const char*> kLevels[] = {{&Check::look_at_files, "files"},
                                                         {&Check::compile_one, "compile"},
                                                         {&Check::run_cases, "conformance"},
                                                         {&Check::run_samples, "samples"}};
    for (level_ = 0; level_ <= scope_.last_level; ++level_) {
      if (has_failed()) {
        add(kLevels[level_].second, State::kSkipped, "an earlier level failed");
        continue;
      }
      // Named first: GCC 12's undefined sanitizer reads a wrong index where it is in the call.
      const Level level = kLevels[level_].first;
      GN_RETURN_IF_ERROR((this->*level)());
    }
    return std::move(findings_);
  }

 private:
  void add(const std::string& check, State state, std::string message) {
    findings_.push_back({level_, check, state, std::move(message)});
  }
  void pass(const std::string& check, std::string message) {
    add(check, State::kPassed, std::move(message));
  }
  void fail(const std::string& check, std::string message) {
    add(check, State::kFailed, std::move(message));
  }
  bool has_failed() const {
    return std::any_of(findings_.begin(), findings_.end(),
                       [](const PluginFinding& each) { return each.state == State::kFailed; });
  }

  Status look_at_files() {
    Result<config::Manifest> manifest = config::read_manifest(manifest_file_);
    if (!manifest.is_ok()) {
      fail("manifest", manifest.status().message());
      return Status::ok();
    }
    pass("manifest", manifest->name + " " + manifest->version);
    library_ = manifest->library;
    options_ = manifest->options;
    const Result<std::set<std::string>> exports = exports_of(library_);
    if (!exports.is_ok()) {
      fail("exports", exports.status().message());
      return Status::ok();
    }
    const std::set<std::string> wanted = {"gn_backend_compile", "gn_backend_run",
                                          "gn_plugin_query"};
    std::vector<std::string> missing;
    std::vector<std::string> extra;
    std::set_difference(wanted.begin(), wanted.end(), exports->begin(), exports->end(),
                        std::back_inserter(missing));
    std::set_difference(exports->begin(), exports->end(), wanted.begin(), wanted.end(),
                        std::back_inserter(extra));
    if (!missing.empty()) {
      fail("exports", "does not export " + base::join(missing, ", "));
    } else if (!extra.empty()) {
      add("exports", State::kWarned,
          "exports more than the three functions of the ABI, which may clash with other "
          "libraries (graphnet_add_plugin() hides them):\n" +
              named(extra));
    } else {
      pass("exports", "the three functions of the ABI");
    }
    const Result<fs::path> worker = context_.installation.worker_executable();
    const Status loadable = config::preflight(*manifest, worker.is_ok() ? *worker : fs::path());
    if (loadable.is_ok()) {
      pass("needs", "every library and symbol that it needs is here");
    } else {
      fail("needs", loadable.message());
    }
    return Status::ok();
  }

  /// A run of one small sample.
  Result<Record> run_one(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"transformers-auto-model/sadhaklal_mlp-iris", "--set=proof=none"});
    GN_ASSIGN_OR_RETURN(std::vector<Record> records, records_of(std::move(arguments)));
    if (records.empty()) return Status(Code::kPlugin, "the run left no result");
    return std::move(records.front());
  }

  /// What is wrong with it; empty if it runs, or is refused with reasons.
  static std::string problem_of(const Result<Record>& run) {
    if (!run.is_ok()) return "error: " + run.status().message();
    const bool is_right = run->is_ok() || run->outcome == Outcome::kUnsupported;
    return is_right ? "" : run->outcome.text() + ": " + run->message;
  }

  /// Loading, compile, one result; then the same with other options.
  Status compile_one() {
    const Result<Record> run = run_one({});
    const std::string problem = problem_of(run);
    if (!problem.empty()) {
      fail("compile", problem);
      return Status::ok();
    }
    pass("compile", run->is_ok() ? "loads, compiles and runs a graph"
                                 : "loads; refuses a graph with reasons: " + run->message);
    if (run->environment.output_bytes) {
      const auto num_bytes = static_cast<std::uint64_t>(*run->environment.output_bytes);
      fail("output", "wrote " + base::format_bytes(num_bytes) +
                         " to standard output and error for one small graph, most of which the "
                         "host drops\ntry: write nothing, or a few lines by the host's `log`");
      return Status::ok();
    }
    try_options();
    return Status::ok();
  }

  /// Each value that the manifest declares is one that the plugin takes.
  void try_options() {
    std::vector<std::string> refused;
    std::size_t num_values = 0;
    for (const config::OptionSpec& option : options_) {
      std::vector<std::string> values = option.choices;
      if (option.type == config::OptionSpec::Type::kBoolean) values = {"false", "true"};
      for (const std::string& value : values) {
        const std::string setting = option.name + "=" + value;
        const std::string problem = problem_of(run_one({"--set=backend.options." + setting}));
        ++num_values;
        if (!problem.empty()) refused.push_back(setting + ": " + problem);
      }
    }
    if (!refused.empty()) {
      fail("options", "values that plugin.yaml declares fail:\n" + named(refused));
    } else if (num_values > 0) {
      pass("options", std::to_string(num_values) + " values of its options are taken");
    }
  }

  Status run_cases() {
    const fs::path program = context_.installation.executable_folder / "conformance";
    std::error_code ignored;
    if (!fs::exists(program, ignored)) {
      add("conformance", State::kSkipped,
          "the program 'conformance' is not beside graphnet; the package graphnet-conformance has "
          "it, and tests/run of a source tree builds it");
      return Status::ok();
    }
    GN_RETURN_IF_ERROR(run_cases_with("conformance", {"--artifacts", "--only", scope_.cases}));
    for (const char* mib : kLittleMemory) {
      if (!has_failed()) {
        GN_RETURN_IF_ERROR(run_cases_with(std::string("memory ") + mib,
                                          {"--memory", mib, "--only", kMemoryCases}));
      }
    }
    return Status::ok();
  }

  Status run_cases_with(const std::string& check, const std::vector<std::string>& flags) {
    std::vector<std::string> command = {
        (context_.installation.executable_folder / "conformance").string(), "--plugin",
        folder_.string(), "--json"};
    command.insert(command.end(), flags.begin(), flags.end());
    GN_ASSIGN_OR_RETURN(const Output output, output_of(command));
    std::map<std::string, std::size_t> counts;
    std::size_t num_given_up = 0;
    std::vector<std::string> failures;
    for (const std::string& line : base::split(output.text, '\n')) {
      const Result<Json> row = base::parse_json(line, "conformance");
      if (!row.is_ok() || !row->is_object() || !row->contains("verdict")) continue;
      const auto verdict = row->value("verdict", std::string());
      const auto message = row->value("message", std::string());
      ++counts[verdict];
      num_given_up += verdict == "PASS" && !message.empty() ? 1 : 0;
      if (verdict == "PASS" || verdict == "UNSUPPORTED" || verdict == "XFAIL") continue;
      failures.push_back(row->value("case", std::string()) + ": " +
                         (verdict == "XPASS" ? "passes, though gaps.yaml lists it"
                                             : message.substr(0, message.find('\n'))));
    }
    std::string tally = std::to_string(counts["PASS"]) + " cases pass, " +
                        std::to_string(counts["UNSUPPORTED"]) + " are unsupported, " +
                        std::to_string(counts["XFAIL"]) + " are known gaps";
    if (num_given_up > 0) {
      tally += "; " + std::to_string(num_given_up) + " of those that pass end for want of memory";
    }
    if (counts.empty()) {
      fail(check, "the program gave no results:\n" + output.errors.substr(0, 2000));
    } else if (!failures.empty()) {
      fail(check,
           std::to_string(failures.size()) + " cases fail (" + tally + "):\n" + named(failures));
    } else {
      pass(check, tally);
    }
    return Status::ok();
  }

  Status run_samples() {
    GN_RETURN_IF_ERROR(run_controls());
    if (has_failed()) return Status::ok();
    GN_ASSIGN_OR_RETURN(const auto records, records_of(scope_.samples));
    std::map<std::string, std::size_t> counts;
    Judgement all;
    std::size_t num_proven = 0;
    for (const Record& record : records) {
      ++counts[record.outcome.text()];
      num_proven += record.verdict.kind == record::ProofVerdict::kProven ? 1 : 0;
      const Judgement judgement = judge(record);
      for (const std::string& each : judgement.failures) {
        all.failures.push_back(record.sample + ": " + each);
      }
      for (const std::string& each : judgement.warnings) {
        all.warnings.push_back(record.sample + ": " + each);
      }
    }
    const std::string tally = std::to_string(counts["ok"]) + " samples ok (" +
                              std::to_string(num_proven) + " proven), " +
                              std::to_string(counts["unsupported"]) + " unsupported";
    if (all.failures.empty() && counts["ok"] == 0) all.failures = {"no sample runs"};
    conclude("samples", tally, all);
    return Status::ok();
  }

  /// What tricks show on the small graph that the host knows best.
  Status run_controls() {
    std::size_t num_ok = 0;
    Judgement all;
    for (const ControlRun& run : control_runs(measure::affinity_cores(), scope_.settings)) {
      const auto sample = context_.installation.control_sample(run.sample);
      if (!sample) {
        add("control", State::kSkipped, std::string("no configs/") + run.sample + " is installed");
        return Status::ok();
      }
      GN_ASSIGN_OR_RETURN(const Record record, run_control(*sample, run.settings, all));
      if (!record.is_ok() && !run.may_refuse && judge(record).failures.empty()) {
        add("control", State::kSkipped,
            "refuses the control sample, on which tricks show: " + record.outcome.text() + ": " +
                record.message);
        return Status::ok();
      }
      num_ok += record.is_ok() ? 1 : 0;
      judge_control(run, record, all);
      if (!all.failures.empty()) break;
    }
    conclude("control", "the control sample in " + std::to_string(num_ok) + " runs", all);
    return Status::ok();
  }

  Result<Record> run_control_once(const fs::path& sample, const char* settings) {
    GN_ASSIGN_OR_RETURN(std::vector<Record> records, records_of({sample.string()}, settings));
    if (records.empty()) return Status(Code::kPlugin, "the control sample left no result");
    return std::move(records.front());
  }

  /// Runs again if times are unstable, which accuse nobody and acquit nobody, or if right results
  /// are doubted: a busy machine may look like a trick once, a trick is played every time.
  Result<Record> run_control(const fs::path& sample, const char* settings, Judgement& all) {
    std::vector<std::string> doubts;
    for (int i = 1;; ++i) {
      GN_ASSIGN_OR_RETURN(Record record, run_control_once(sample, settings));
      const std::vector<std::string> failures = judge(record).failures;
      const bool is_unstable = record.timing.verdict == record::TimingVerdict::kUnstable;
      const int most_runs = doubts.empty() ? 2 : 3;
      const bool is_settled = failures.empty() ? !is_unstable || i == most_runs : !doubts.empty();
      if (!record.is_ok() || is_settled) {
        if (!failures.empty()) return record;
        for (const std::string& each : doubts) {
          all.warnings.push_back("in one run of several: " + each);
        }
        return record;
      }
      doubts.insert(doubts.end(), failures.begin(), failures.end());
    }
  }

  static void judge_control(const ControlRun& run, const Record& record, Judgement& all) {
    const bool is_refused =
        record.outcome == Outcome::kPluginFailed && record.phase == record::Phase::kCompile;
    if (run.may_refuse && is_refused) {
      all.warnings.push_back(std::string("refuses to run ") + run.how + ": " + record.message);
      return;
    }
    const Judgement judgement = judge(record);
    for (const std::string& each : judgement.failures) {
      all.failures.push_back("the control sample " + std::string(run.how) + ": " + each);
    }
    std::vector<std::string> warnings = judgement.warnings;
    if (record.timing.verdict == record::TimingVerdict::kUnstable) {
      warnings.emplace_back(
          "times are unstable, so tricks by time may not show: run again on a quiet machine");
    }
    // One is as good as five.
    for (const std::string& each : warnings) {
      if (std::find(all.warnings.begin(), all.warnings.end(), each) == all.warnings.end()) {
        all.warnings.push_back(each);
      }
    }
  }

  void conclude(const std::string& check, const std::string& tally, const Judgement& judgement) {
    if (!judgement.failures.empty()) {
      fail(check, std::to_string(judgement.failures.size()) + " fail (" + tally + "):\n" +
                      named(judgement.failures));
    } else if (!judgement.warnings.empty()) {
      add(check, State::kWarned, tally + "\n" + named(judgement.warnings));
    } else {
      pass(check, tally);
    }
  }

  /// Records of `graphnet run` with this plugin: of the bundled samples, or of those that
  /// `arguments` name; `settings`: more lines of the run config.
  Result<std::vector<Record>> records_of(std::vector<std::string> arguments,
                                         const std::string& settings = "") {
    GN_ASSIGN_OR_RETURN(const WorkFolder work, WorkFolder::make("", std::nullopt));
    const fs::path config = work.path() / "check.yaml";
    const fs::path results = work.path() / "results.jsonl";
    GN_RETURN_IF_ERROR(
        base::write_file_atomic(config, "schema: graphnet/run/v1\nbackend:\n  library: " +
                                            base::dump_json(fs::absolute(library_).string()) +
                                            "\nprotocol: smoke\n" + settings));
    std::vector<std::string> command = {
        (context_.installation.executable_folder / "graphnet").string(), "run",
        "--config=" + config.string(), "--output=" + results.string(), "--progress=none"};
    for (const std::string& setting : scope_.settings) command.push_back("--set=" + setting);
    for (std::string& each : arguments) {
      command.push_back(std::move(each));
    }
    GN_ASSIGN_OR_RETURN(const Output output, output_of(command));
    std::error_code ignored;
    if (!fs::exists(results, ignored)) {
      return Status(Code::kPlugin, "graphnet run left no results:\n" + output.errors);
    }
    GN_ASSIGN_OR_RETURN(auto content, journal::read_journal(results));
    return std::move(content.records);
  }

  struct Output {
    std::string text;    // standard output
    std::string errors;  // standard error
  };

  /// What a program prints, which may fail.
  static Result<Output> output_of(const std::vector<std::string>& command) {
    GN_ASSIGN_OR_RETURN(const WorkFolder work, WorkFolder::make("", std::nullopt));
    const auto create = [&](const char* name) {
      const fs::path file = work.path() / name;
      return base::UniqueFd(::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    };
    const base::UniqueFd output = create("output");
    const base::UniqueFd errors = create("errors");
    base::Subprocess::Options options;
    options.arguments = command;
    GN_ASSIGN_OR_RETURN(options.environment, supervise::worker_environment());
    options.output_fd = output.get();
    options.error_fd = errors.get();
    GN_ASSIGN_OR_RETURN(base::Subprocess child, base::Subprocess::start(options));
    child.wait();
    Output printed;
    GN_ASSIGN_OR_RETURN(printed.text, base::read_file(work.path() / "output", kMaxOutput));
    GN_ASSIGN_OR_RETURN(printed.errors, base::read_file(work.path() / "errors", kMaxOutput));
    return printed;
  }

  const Context& context_;
  const PluginCheckScope& scope_;
  fs::path manifest_file_;
  fs::path folder_;
  fs::path library_;
  std::vector<config::OptionSpec> options_;
  int level_ = 0;
  std::vector<PluginFinding> findings_;
};

}  // namespace

std::string next_check(const std::vector<PluginFinding>& findings, const std::string& plugin,
                       int last_level) {
  const auto failed = std::find_if(findings.begin(), findings.end(), [](const PluginFinding& each) {
    return each.state == PluginFinding::State::kFailed;
  });
  if (failed == findings.end()) {
    if (last_level == kLastPluginLevel) return "";
    return "graphnet plugin check " + plugin + " --level " + std::to_string(last_level + 1);
  }
  constexpr const char* kSteps[] = {
      "clauses L1 to L7 of sdk/ABI.md say what manifest and library must be",
      "clauses C1 to C7 of sdk/ABI.md; graphnet run -vv --config CONFIG shows what it prints",
      "conformance --plugin FOLDER --only CASE runs one case; sdk/conformance/README.md",
      "graphnet inspect SAMPLE --bisect --config CONFIG names the first wrong node; graphnet help "
      "words and graphnet help proof say what flags and verdicts mean"};
  return kSteps[failed->level];
}

std::string junit_of(const std::vector<PluginFinding>& findings, const std::string& plugin) {
  using End = report::JUnitCase::End;
  report::JUnitSuite suite = {"plugin check " + plugin, {}};
  for (const PluginFinding& each : findings) {
    const End end = each.state == PluginFinding::State::kFailed    ? End::kFailed
                    : each.state == PluginFinding::State::kSkipped ? End::kSkipped
                                                                   : End::kPassed;
    suite.cases.push_back({"level " + std::to_string(each.level) + " " + each.check, end,
                           end == End::kPassed ? "" : each.message});
  }
  return report::junit_document({suite});
}

Result<std::vector<PluginFinding>> check_plugin(const Context& context, const fs::path& plugin,
                                                const PluginCheckScope& scope) {
  std::error_code ignored;
  const fs::path folder = fs::is_directory(plugin, ignored) ? plugin : plugin.parent_path();
  const fs::path manifest = (folder.empty() ? fs::path(".") : folder) / "plugin.yaml";
  if (!fs::exists(plugin, ignored)) {
    return Status(Code::kInput, "no plugin at '" + plugin.string() + "'")
        .add_hint("name the library, the folder that holds it and plugin.yaml, or that file");
  }
  if (!fs::exists(manifest, ignored)) {
    return Status(Code::kInput, "no plugin.yaml beside '" + plugin.string() + "'")
        .add_hint("graphnet plugin new acme: writes one to copy");
  }
  return Check(context, manifest, folder, scope).run();
}

}  // namespace graphnet::cli
