// SPDX-License-Identifier: MIT
#include "cli/repro_text.h"

#include <algorithm>

#include "base/text.h"
#include "cli/repro_folder.h"
#include "journal/repetition.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Json;
using record::Record;

namespace {

std::string title_of(const Record& record) {
  return report::printable(record.sample + " with " + record.backend_name() + ": " +
                           journal::end_of(record));
}

/// A block of code that ends where it should, whatever lines it has.
std::string block(const std::string& text) {
  std::string indented = "\n    ";
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented += "    ";
  }
  return indented + "\n";
}

std::string printable_lines(const std::string& text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += (lines.empty() ? "" : "\n") + report::printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) {
    lines += (lines.empty() ? "" : "\n") + report::printable(text);
  }
  return lines;
}

std::string member_lines(const Json& object) {
  std::string lines;
  for (const auto& [key, value] : object.items()) {
    lines += (lines.empty() ? "" : "\n") + report::printable(key + ": " + base::text_of(value));
  }
  return lines;
}

std::string ran_lines(const Record& record) {
  const std::pair<const char*, const std::string&> rows[] = {
      {"sample", record.sample},
      {"sample sha256", record.sample_sha256},
      {"plugin", record.plugin},
      {"plugin version", record.plugin_version},
      {"plugin sha256", record.plugin_sha256},
      {"plugin file", record.plugin_library},
      {"graphnet", record.graphnet},
      {"run", record.run_id},
      {"time", record.time_utc},
      {"command", record.command}};
  std::string lines;
  for (const auto& [name, value] : rows) {
    if (value.empty()) continue;
    lines += (lines.empty() ? "" : "\n") + report::pad_right(name, 16) + report::printable(value);
  }
  return lines;
}

bool had_digests(const Record& record) {
  const auto digest = record.settings.find("digest");
  return (digest != record.settings.end() && *digest == Json(true)) || !record.digest.empty();
}

bool was_fresh(const Record& record) {
  return record.environment.worker == "fresh";
}

}  // namespace

std::string repro_sample_path(const Record& record) {
  const fs::path name = record.sample;
  const bool is_inside = !name.empty() && name.is_relative() &&
                         record.sample.find('\0') == std::string::npos &&
                         std::none_of(name.begin(), name.end(), [](const fs::path& part) {
                           return part.empty() || part == "." || part == ".." || part == "samples";
                         });
  return is_inside ? "samples/" + record.sample : "samples/repro/sample";
}

std::string repro_config_head(const Record& record) {
  const std::string version = record.plugin_version.empty() ? "unknown" : record.plugin_version;
  const std::string hash = record.plugin_sha256.empty() ? "unknown" : record.plugin_sha256;
  return "# " + title_of(record) + "\n# Then the plugin's version was " +
         report::printable(version) + ", its library's SHA-256 " + report::printable(hash) +
         ";\n# below, any is accepted, and run.sh says what differs.\n";
}

std::string repro_script(const Record& record, const fs::path& program) {
  std::vector<std::string> words = {"run", repro_sample_path(record), "--config", "./config.yaml"};
  if (had_digests(record)) words.emplace_back("--digest");
  if (was_fresh(record)) words.insert(words.end(), {"--isolate", "fresh"});
  words.insert(words.end(), {"--output", kRepeatedResult, "--fail-on", "never"});
  return "#!/bin/sh\n# " + title_of(record) +
         "\n#\n"
         "# Repeats that and says whether it ended the same way: exit code 0; if not, 1; others "
         "are\n"
         "# graphnet's. Needs graphnet (in PATH, or GRAPHNET=FILE) and the plugin.\n"
         "# usage: ./run.sh [flags of graphnet run]...\n"
         "set -eu\n"
         "cd \"$(dirname \"$0\")\"\n"
         "graphnet=${GRAPHNET:-graphnet}\n"
         "command -v \"$graphnet\" >/dev/null || graphnet=" +
         base::shell_command({program.string()}) +
         "\n"
         "\"$graphnet\" " +
         base::shell_command(words) +
         " \"$@\"\n"
         "exec \"$graphnet\" repro --check .\n";
}

std::string repro_readme(const Record& record, const std::vector<std::string>& warnings) {
  std::string text = "# " + title_of(record) + "\n\n";
  text +=
      "`./run.sh` repeats this result and says whether it ended the same way. It needs graphnet "
      "(in PATH,\nor `GRAPHNET=FILE ./run.sh`) and the plugin; flags of `graphnet run` may "
      "follow, such as `--dump DIR` for what the plugin hands to its compiler.\n"
      "\nFiles: the sample below `samples`, `config.yaml` and `protocol.yaml` with every key as it "
      "was,\n`recorded.jsonl` with the whole record, and, after a run, `again.jsonl`. "
      "`graphnet inspect` prints\nthe sample's graph; inputs and weights are made from its "
      "metadata "
      "and the seed.\n";
  for (const std::string& warning : warnings) {
    text += "\nWhen this folder was made: " + report::printable(warning) + "\n";
  }
  const std::pair<const char*, std::string> sections[] = {
      {"What it said", report::printable(record.message)},
      {"Where it crashed", lines_of(record.crash.frames)},
      {"Its last output", printable_lines(record.output_tail)},
      {"Notes", lines_of(record.notes)},
      {"What ran", ran_lines(record)},
      {"As reported by the plugin (unverified)", member_lines(record.plugin_info)},
      {"Where", member_lines(part_to_json(record.environment))}};
  for (const auto& [heading, lines] : sections) {
    if (!lines.empty()) text += std::string("\n## ") + heading + "\n" + block(lines);
  }
  return text;
}

}  // namespace graphnet::cli
