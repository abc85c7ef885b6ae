// SPDX-License-Identifier: MIT
#include "conformance/case_file.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "graph/graph_text.h"

namespace graphnet::conformance {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 20U;

/// Lines of one case: comments, then the graph from `graph` to `return`.
struct Block {
  std::vector<std::string> comments;
  std::string graph;
  int first_line = 1;
};

Status error_at(const std::string& file, int line, const std::string& message) {
  return Status(Code::kInput, file + ":" + std::to_string(line) + ": " + message);
}

bool begins(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

std::vector<Block> split_blocks(std::string_view text) {
  std::vector<Block> blocks(1);
  std::istringstream lines{std::string(text)};
  std::string line;
  int number = 0;
  while (std::getline(lines, line)) {
    ++number;
    Block& block = blocks.back();
    if (block.graph.empty() && line.empty()) continue;
    if (block.graph.empty() && block.comments.empty()) block.first_line = number;
    if (block.graph.empty() && begins(line, "#")) {
      block.comments.push_back(line);
      continue;
    }
    block.graph += line + "\n";
    if (begins(line, "return")) blocks.emplace_back();
  }
  if (blocks.back().graph.empty()) blocks.pop_back();
  return blocks;
}

// "# tolerance 1e-4 1e-5: why"
std::optional<ElementBound> parse_bound(const std::string& comment) {
  std::istringstream words(comment);
  std::string skipped;
  ElementBound bound;
  words >> skipped >> skipped >> bound.relative >> bound.absolute;
  std::string why;
  std::getline(words, why);
  if (!words || !begins(why, ": ") || why.size() < 4) return std::nullopt;
  return bound;
}

// "# fill %0 normal": the parameter's position and what follows.
Status read_fill(const std::string& comment, Case& found) {
  std::istringstream words(comment);
  std::string skipped;
  std::string id;
  words >> skipped >> skipped >> id;
  std::string rest;
  std::getline(words, rest);
  graph::ValueId value = graph::kNoValue;
  if (begins(id, "%")) std::from_chars(id.data() + 1, id.data() + id.size(), value);
  const auto& parameters = found.graph.parameters;
  const auto parameter = std::find(parameters.begin(), parameters.end(), value);
  if (parameter == parameters.end()) return Status(Code::kInput, id + " is no parameter");
  GN_ASSIGN_OR_RETURN(const Fill fill, parse_fill(rest));
  found.fills[static_cast<std::size_t>(parameter - parameters.begin())] = fill;
  return Status::ok();
}

Status read_comments(const std::vector<std::string>& comments, Case& found) {
  for (const graph::ValueId id : found.graph.parameters) {
    found.fills.push_back(default_fill(found.graph.value(id).dtype));
  }
  for (const std::string& comment : comments) {
    if (begins(comment, "# fill ")) GN_RETURN_IF_ERROR(read_fill(comment, found));
    if (!begins(comment, "# tolerance ")) continue;
    found.bound = parse_bound(comment);
    if (!found.bound) {
      return Status(Code::kInput, "expected '# tolerance RELATIVE ABSOLUTE: why'");
    }
  }
  return Status::ok();
}

Status check_places(const std::vector<Case>& cases, const std::filesystem::path& file,
                    std::set<std::string>& names) {
  const std::string start =
      file.parent_path().filename().string() + "/" + file.stem().string() + "/";
  for (const Case& each : cases) {
    if (!begins(each.name, start)) {
      return Status(Code::kInput, file.string() + ": case '" + each.name +
                                      "' belongs elsewhere, this file is '" + start + "'");
    }
    if (!names.insert(each.name).second) {
      return Status(Code::kInput, file.string() + ": case '" + each.name + "' is here twice");
    }
  }
  return Status::ok();
}

Result<std::vector<std::filesystem::path>> case_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".gir") files.push_back(it->path());
  }
  if (error) return Status(Code::kInput, folder.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string family_of(const std::string& name) {
  return name.substr(0, name.find('/'));
}

Result<std::vector<Case>> parse_cases(std::string_view text, const std::string& file) {
  std::vector<Case> cases;
  for (const Block& block : split_blocks(text)) {
    // The reader of graphs counts lines from the case's own.
    const std::string location = file + " (case at line " + std::to_string(block.first_line) + ")";
    auto graph = graph::parse_graph(block.graph, location);
    if (!graph.is_ok()) return std::move(graph).status();
    Case found;
    found.graph = std::move(graph).value();
    found.name = found.graph.name;
    const Status status = read_comments(block.comments, found);
    if (!status.is_ok()) return error_at(file, block.first_line, status.message());
    cases.push_back(std::move(found));
  }
  return cases;
}

Result<std::vector<Case>> read_cases(const std::filesystem::path& folder) {
  GN_ASSIGN_OR_RETURN(const auto files, case_files(folder));
  std::vector<Case> cases;
  std::set<std::string> names;
  for (const std::filesystem::path& file : files) {
    GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, kMaxFileBytes));
    GN_ASSIGN_OR_RETURN(std::vector<Case> more, parse_cases(text, file.string()));
    GN_RETURN_IF_ERROR(check_places(more, file, names));
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  }
  if (cases.empty()) return Status(Code::kInput, folder.string() + " holds no case");
  return cases;
}

}  // namespace graphnet::conformance
