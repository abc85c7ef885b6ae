// SPDX-License-Identifier: MIT
//
// Runs the conformance cases of sdk/conformance/cases with a plugin.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "config/manifest.h"
#include "config/yaml_reader.h"
#include "conformance/case_file.h"
#include "conformance/gaps.h"
#include "conformance/isolated_run.h"
#include "conformance/tally.h"

namespace graphnet::conformance {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr const char* kUsage =
    "usage: conformance --plugin FOLDER [--cases FOLDER] [--only PATTERN]... [--option "
    "NAME=VALUE]...\n"
    "                   [--artifacts] [--memory MIB] [--needs FILE] [--json]\n"
    "FOLDER holds plugin.yaml, the library and gaps.yaml. PATTERN is of case names, such as\n"
    "'reduce/*' or '*/bf16/*'. Exit code 1 for a case that fails without a gap or passes in spite\n"
    "of one, 77 if FILE is not there. With --artifacts executables are serialized, loaded and run\n"
    "too. With --memory each call may take so much more memory than the process has; giving up\n"
    "passes then, a wrong result or a hang does not.\n";
constexpr int kSkipped = 77;

/// Those installed with this program, else the source tree's.
std::filesystem::path default_cases() {
  const std::filesystem::path prefix = base::executable_folder().parent_path();
  std::filesystem::path installed = prefix / "share/graphnet/conformance/cases";
  std::error_code ignored;
  if (std::filesystem::is_directory(installed, ignored)) return installed;
  return GRAPHNET_CASES;
}

struct Flags {
  std::filesystem::path plugin;
  std::filesystem::path cases = default_cases();
  std::vector<std::string> only;  // patterns; none: all
  std::string options;            // YAML
  std::string needs;
  bool artifacts = false;
  std::optional<std::uint64_t> memory;
  bool json = false;
};

Result<Flags> read_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--json") {
      flags.json = true;
      continue;
    }
    if (flag == "--artifacts") {
      flags.artifacts = true;
      continue;
    }
    if (i + 1 == argc) return Status(base::Code::kUsage, "unknown, or without its value: " + flag);
    const std::string value = argv[++i];
    if (flag == "--plugin") {
      flags.plugin = value;
    } else if (flag == "--cases") {
      flags.cases = value;
    } else if (flag == "--only") {
      flags.only.push_back(value);
    } else if (flag == "--memory") {
      std::uint32_t mib = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), mib);
      if (error != std::errc() || end != value.data() + value.size()) {
        return Status(base::Code::kUsage, "--memory must be a number of MiB: " + value);
      }
      flags.memory = std::uint64_t{mib} << 20U;
    } else if (flag == "--needs") {
      flags.needs = value;
    } else if (flag == "--option" && value.find('=') != std::string::npos) {
      const std::size_t equals = value.find('=');
      flags.options += value.substr(0, equals) + ": " + value.substr(equals + 1) + "\n";
    } else {
      return Status(base::Code::kUsage, "not understood: " + flag + " " + value);
    }
  }
  if (flags.plugin.empty()) return Status(base::Code::kUsage, "--plugin is missing");
  return flags;
}

Result<Json> read_options(const config::Manifest& manifest, const std::string& text) {
  if (text.empty()) return config::resolve_options(manifest.options, nullptr);
  GN_ASSIGN_OR_RETURN(const config::YamlNode given, config::parse_yaml(text, "--option"));
  return config::resolve_options(manifest.options, &given);
}

// A pattern that names nothing is a slip, or what it excused is gone.
Status check_patterns(const std::vector<Gap>& gaps, const std::vector<Case>& cases) {
  for (const Gap& gap : gaps) {
    bool names_one = false;
    for (const Case& each : cases) names_one = names_one || fits(gap.pattern, each.name);
    if (!names_one) {
      return Status(base::Code::kInput, "gaps.yaml: no case is called '" + gap.pattern + "'");
    }
  }
  return Status::ok();
}

void print_result(const Case& item, Verdict verdict, const CaseResult& result, const Gap* gap,
                  bool json) {
  const std::string reason = gap == nullptr ? "" : gap->reason;
  if (json) {
    const Json line = {{"case", item.name},
                       {"verdict", verdict_name(verdict)},
                       {"message", result.message},
                       {"gap", reason}};
    std::printf("%s\n", base::dump_json(line).c_str());
    return;
  }
  std::printf("%-11s %s\n", verdict_name(verdict), item.name.c_str());
  if (!result.message.empty()) std::printf("            %s\n", result.message.c_str());
  if (gap != nullptr) std::printf("            gap: %s\n", reason.c_str());
}

bool is_chosen(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                         [&](const auto& each) { return fits(each, name); });
}

Result<Tally> run(const Flags& flags) {
  GN_ASSIGN_OR_RETURN(const auto manifest,
                      config::read_manifest(flags.plugin / config::kManifestName));
  GN_ASSIGN_OR_RETURN(const Json options, read_options(manifest, flags.options));
  GN_ASSIGN_OR_RETURN(const auto all_gaps, read_gaps(flags.plugin / "gaps.yaml"));
  GN_ASSIGN_OR_RETURN(const auto cases, read_cases(flags.cases));
  GN_RETURN_IF_ERROR(check_patterns(all_gaps, cases));
  const std::vector<Gap> gaps = gaps_under(all_gaps, options);
  std::vector<const Case*> chosen;
  for (const Case& each : cases) {
    if (is_chosen(flags.only, each.name)) chosen.push_back(&each);
  }
  if (chosen.empty()) return Status(base::Code::kUsage, "no case fits --only");
  Tally tally;
  const SessionSettings settings = {options, flags.artifacts, flags.memory,
                                    manifest.opened_before(), flags.json};
  GN_RETURN_IF_ERROR(run_isolated(chosen, manifest.library, settings,
                                  [&](const Case& item, const CaseResult& result) {
                                    const Gap* gap = find_gap(gaps, item.name);
                                    const Verdict verdict = judge(result.outcome, gap);
                                    print_result(item, verdict, result, gap, flags.json);
                                    tally.add(family_of(item.name), verdict);
                                  }));
  return tally;
}

int fail(const Status& status, const char* more = "") {
  std::fprintf(stderr, "conformance: %s\n%s", status.message().c_str(), more);
  return 2;
}

int run_main(int argc, char** argv) {
  auto flags = read_flags(argc, argv);
  if (!flags.is_ok()) return fail(flags.status(), kUsage);
  if (!flags->needs.empty() && !std::filesystem::exists(flags->needs)) {
    std::printf("skipped: %s is not there\n", flags->needs.c_str());
    return kSkipped;
  }
  const auto tally = run(*flags);
  if (!tally.is_ok()) return fail(tally.status());
  if (!flags->json) std::printf("\n%s", tally->text().c_str());
  return tally->has_bad() ? 1 : 0;
}

}  // namespace
}  // namespace graphnet::conformance

int main(int argc, char** argv) {
  setenv("OMP_NUM_THREADS", "1", 0);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a case that compiles for long shows at once
  return graphnet::conformance::run_main(argc, argv);
}
