// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/git_changes.h"
#include "cli/output_file.h"
#include "cli/sample_actions.h"
#include "report/junit.h"
#include "report/terminal_text.h"
#include "sample/sample.h"
#include "validate/check_sample.h"
#include "validate/redundancy.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using validate::CheckedSample;
using validate::Finding;
using validate::FindingKind;

namespace {

/// What became of a sample's run.
struct RunEnd {
  const char* word;  ///< "finite", "not-finite", "failed", "not-run"
  std::string why;   ///< of "not-run"
};
constexpr const char* kNotRun = "not-run";

/// The error with its context, a line each.
std::string text_of(const Status& status) {
  std::string text = status.message();
  for (const std::string& line : status.context()) text += "\n" + line;
  return text;
}

/// Runs samples eagerly, each in a worker that its crash ends; without a worker none is run.
class EagerRuns {
 public:
  static Result<EagerRuns> start(const Context& context, const SampleFlags& flags) {
    EagerRuns runs;
    if (flags.no_run) return runs;
    Result<supervise::AnsweringWorker> worker = start_sample_worker(context, flags);
    if (worker.is_ok()) {
      runs.worker_.emplace(std::move(worker).value());
    } else if (flags.run || worker.status().code() == Code::kUsage) {
      return std::move(worker).status();
    } else {
      runs.why_none_ = worker.status().message();
    }
    return runs;
  }

  /// Adds what the run finds to the sample's findings.
  RunEnd run(CheckedSample& sample) {
    if (!worker_) return {kNotRun, why_none_};
    if (sample.program_hash.empty()) return {kNotRun, "model.py cannot be read"};
    const Result<Json> answer = worker_->ask("first_nan", {{"sample", sample.folder.string()}});
    if (!answer.is_ok()) {
      // What cannot be read or generated, a check without a run has found.
      const bool is_known = answer.status().code() == Code::kInput && !sample.findings.empty();
      if (!is_known) sample.findings.push_back({FindingKind::kRun, "", text_of(answer.status())});
      return {"failed", ""};
    }
    if (answer->contains("refused")) return {kNotRun, (*answer)["refused"].get<std::string>()};
    if ((*answer)["finite"].get<bool>()) return {"finite", ""};
    std::string text = (*answer)["text"].get<std::string>();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    sample.findings.push_back({FindingKind::kNotFinite, "", std::move(text)});
    return {"not-finite", ""};
  }

 private:
  std::optional<supervise::AnsweringWorker> worker_;
  std::string why_none_;
};

struct Validation {
  std::vector<CheckedSample> samples;
  std::vector<RunEnd> runs;  ///< one per sample

  std::size_t num_findings() const {
    std::size_t count = 0;
    for (const CheckedSample& sample : samples) count += sample.findings.size();
    return count;
  }
};

Json finding_json(const Finding& finding) {
  return {{"kind", validate::row_of(finding.kind).word},
          {"file", finding.file.empty() ? Json() : Json(finding.file)},
          {"message", finding.message}};
}

Json validation_json(const Validation& validation) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < validation.samples.size(); ++i) {
    const CheckedSample& sample = validation.samples[i];
    const RunEnd& run = validation.runs[i];
    Json findings = Json::array();
    for (const Finding& finding : sample.findings) findings.push_back(finding_json(finding));
    const std::string& hash = sample.program_hash;
    rows.push_back({{"path", sample.folder.string()},
                    {"name", sample.name},
                    {"program_hash", hash.empty() ? Json() : Json(hash)},
                    {"run", run.word},
                    {"not_run_because", run.why.empty() ? Json() : Json(run.why)},
                    {"findings", std::move(findings)}});
  }
  return {{"schema", "graphnet.validation/1"},
          {"findings", validation.num_findings()},
          {"samples", std::move(rows)}};
}

/// "<folder>/<file>: <kind>: <message>", quoted source lines below.
std::string finding_text(const CheckedSample& sample, const Finding& finding) {
  std::vector<std::string> lines = base::split(finding.message, '\n');
  const fs::path file = finding.file.empty() ? sample.folder : sample.folder / finding.file;
  std::string text =
      report::printable(file.string()) + ": " + validate::row_of(finding.kind).word + ": ";
  for (std::string& line : lines) line = report::printable(line);
  return text + base::join(lines, "\n    ") + "\n";
}

void print_validation(const Validation& validation) {
  std::size_t num_sound = 0;
  std::size_t num_not_run = 0;
  std::string why;
  for (std::size_t i = 0; i < validation.samples.size(); ++i) {
    const CheckedSample& sample = validation.samples[i];
    for (const Finding& finding : sample.findings) std::cout << finding_text(sample, finding);
    if (sample.findings.empty()) ++num_sound;
    if (validation.runs[i].why.empty()) continue;
    if (num_not_run++ == 0) why = validation.runs[i].why;
  }
  std::cout << base::counted(validation.samples.size(), "sample") << ", " << num_sound
            << " without a finding; " << base::counted(validation.num_findings(), "finding");
  if (num_not_run > 0) std::cout << "; " << num_not_run << " not run: " << report::printable(why);
  std::cout << '\n';
}

std::string validation_xml(const Validation& validation) {
  using End = report::JUnitCase::End;
  report::JUnitSuite suite = {"graphnet sample validate", {}};
  for (std::size_t i = 0; i < validation.samples.size(); ++i) {
    const CheckedSample& sample = validation.samples[i];
    const std::string& why = validation.runs[i].why;
    std::vector<std::string> findings;
    for (const Finding& finding : sample.findings) {
      findings.push_back(std::string(validate::row_of(finding.kind).word) + ": " +
                         report::printable(finding.message));
    }
    const End end = !findings.empty() ? End::kFailed : why.empty() ? End::kPassed : End::kSkipped;
    if (findings.empty() && !why.empty()) findings.push_back("not run: " + why);
    suite.cases.push_back({sample.name, end, base::join(findings, "; ")});
  }
  return report::junit_document({suite});
}

/// Leaves the folders in which git says that a file changed.
Status keep_changed(const SampleFlags& flags, std::vector<fs::path>& folders) {
  std::set<fs::path> changed;
  for (std::size_t i = 1; i < flags.arguments.size(); ++i) {
    GN_ASSIGN_OR_RETURN(std::set<fs::path> found,
                        changed_folders(flags.arguments[i], *flags.changed_since));
    changed.merge(found);
  }
  const auto is_unchanged = [&](const fs::path& folder) {
    std::error_code ignored;
    return changed.count(fs::weakly_canonical(folder, ignored)) == 0;
  };
  folders.erase(std::remove_if(folders.begin(), folders.end(), is_unchanged), folders.end());
  return Status::ok();
}

Result<Validation> validate_folders(const Context& context, const SampleFlags& flags,
                                    const std::vector<fs::path>& folders) {
  std::vector<fs::path> others;
  if (flags.against) {
    GN_ASSIGN_OR_RETURN(others, sample::discover(*flags.against));
  }
  GN_ASSIGN_OR_RETURN(EagerRuns runs, EagerRuns::start(context, flags));
  Validation validation;
  for (const fs::path& folder : folders) {
    CheckedSample checked = validate::check_sample(folder);
    validation.runs.push_back(runs.run(checked));
    validation.samples.push_back(std::move(checked));
  }
  if (!flags.no_redundancy) validate::find_redundant(validation.samples, others);
  return validation;
}

}  // namespace

Result<int> validate_samples(const Context& context, const SampleFlags& flags) {
  if (flags.run && flags.no_run) return Status(Code::kUsage, "--run excludes --no-run");
  if (flags.junit) GN_RETURN_IF_ERROR(check_output_file("--junit", *flags.junit));
  GN_ASSIGN_OR_RETURN(std::vector<fs::path> folders, sample_folders(flags));
  if (flags.changed_since) GN_RETURN_IF_ERROR(keep_changed(flags, folders));
  GN_ASSIGN_OR_RETURN(const Validation validation, validate_folders(context, flags, folders));
  if (flags.junit) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(*flags.junit, validation_xml(validation)));
  }
  if (context.flags.json) {
    std::cout << base::dump_json(validation_json(validation)) << '\n';
  } else {
    print_validation(validation);
  }
  return validation.num_findings() == 0 ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
