// SPDX-License-Identifier: MIT
// Run configs with overrides: a line "%%" separates the file from texts of --set, one a line.
#include "config/run_config.h"

#include "config/library_identity.h"
#include "fuzz/promise.h"

namespace graphnet::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void check_config(const config::RunConfig& config) {
  expect(config.backend.name.empty() != config.backend.library.empty(), "one backend is named");
  const std::string& pin = config.backend.sha256;
  expect(pin.empty() || config::is_sha256(pin), "a pin is a hash");
  const config::VersionRange& wanted = config.backend.version;
  const auto range = config::parse_version_range(wanted.text);
  expect(range.is_ok() && range->bounds.size() == wanted.bounds.size(),
         "a printed requirement reads the same");
  for (const auto& [relation, version] : wanted.bounds) {
    expect(config::compare_versions(version, version) == 0, "a version equals itself");
  }
  expect(config.threads >= 0, "threads are not negative");
  expect(config.protocol.warmup >= 0 && config.protocol.trials >= 1, "there is a trial");
  expect(config.timeouts.size() == std::size(config::kPhases), "each phase has a limit");
  for (const auto& [phase, limit] : config.timeouts) {
    const auto again = config::parse_time_limit(config::format_time_limit(limit));
    expect(again.is_ok() && *again == limit, "a printed time limit reads the same");
  }
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  constexpr std::string_view kSeparator = "\n%%\n";
  static const fuzz::Scratch scratch;
  const std::string_view input = fuzz::as_text(data, size);
  const std::size_t split = input.find(kSeparator);
  const std::string_view text = input.substr(0, split);
  std::vector<std::string> overrides;
  if (split != std::string_view::npos) {
    overrides = fuzz::lines_of(input.substr(split + kSeparator.size()));
  }
  const auto file = scratch.write("run.yaml", text);
  const auto config = config::read_run_config(file, overrides, {});
  if (config.is_ok()) {
    fuzz::check_config(*config);
    return 0;
  }
  const base::Code code = config.status().code();
  fuzz::expect(code == base::Code::kInput || (code == base::Code::kUsage && !overrides.empty()),
               "a bad config is an input error");
  fuzz::expect_clear_failure(config.status(), file.string(), text, /*needs_location=*/false);
  return 0;
}
