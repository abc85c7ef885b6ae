// SPDX-License-Identifier: MIT
//
// What plugin tensorrt makes of each operator, as Markdown: which layers, or why none. It is found
// out with the conformance cases of one operator, without a library. With --check the part of a
// file between kBegin and kEnd must be that; with --write it becomes that.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "graph/graph_text.h"
#include "lowering/ir/build.h"
#include "lowering/op_table.h"
#include "plugin/graph_body.h"
#include "plugin/host_services.h"
#include "tensorrt/legalize.h"
#include "tensorrt/write_network.h"
#include "unit/tensorrt/recording_network.h"

namespace graphnet::tensorrt {
namespace {

constexpr const char* kUsage = "usage: operator_table [--check|--write README.md] CASES.gir...\n";
constexpr const char* kBegin = "<!-- operators: tests/tensorrt/operator_table.cc -->\n";
constexpr const char* kEnd = "<!-- end of operators -->\n";

/// What RecordingNetwork writes down, and the layer of TensorRT that it is.
struct Kind {
  const char* word;
  const char* layer;
};

/// Those that say most of an operator come first. Others serve many: they count where nothing else
/// is there.
constexpr Kind kKinds[] = {{"attention", "Attention"},
                           {"convolution", "Convolution"},
                           {"deconvolution", "Deconvolution"},
                           {"normalization", "Normalization"},
                           {"resize", "Resize"},
                           {"pooling", "Pooling"},
                           {"top_k", "TopK"},
                           {"cumulative_sum", "Cumulative"},
                           {"scatter_nd", "Scatter"},
                           {"matrix_multiply", "MatrixMultiply"},
                           {"softmax", "SoftMax"},
                           {"gather", "Gather"},
                           {"gather_nd", "Gather"},
                           {"reduce", "Reduce"},
                           {"concatenate", "Concatenation"},
                           {"activation", "Activation"},
                           {"unary", "Unary"},
                           {"select", "Select"},
                           {"elementwise", "ElementWise"},
                           {"slice", "Slice"},
                           {"slice_filled", "Slice"},
                           {"reshape", "Shuffle"},
                           {"transpose", "Shuffle"},
                           {"cast", "Cast"},
                           {"identity", "Identity"}};
constexpr std::size_t kFirstServing = 21;  // Shuffle, Cast, Identity
constexpr const char* kNothing = "no layer";

/// Of every operator, so that their names would say nothing.
constexpr const char* kOfTypes = "TensorRT computes with no ";

/// What was found out of one operator.
struct Found {
  std::set<std::size_t> kinds;  ///< of all its cases
  std::set<std::string> whole;  ///< layers that are all that some case needs
  bool has_network = false;
  std::set<std::string> refusals;
};

/// Layers in a recording, as positions in kKinds.
std::set<std::size_t> kinds_of(const std::string& recording) {
  std::set<std::size_t> kinds;
  std::istringstream lines(recording);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find(" = ");
    if (begin == std::string::npos) continue;
    const std::string word = line.substr(begin + 3, line.find(' ', begin + 3) - begin - 3);
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
      if (word == kKinds[i].word) kinds.insert(i);
    }
  }
  const bool has_own = !kinds.empty() && *kinds.begin() < kFirstServing;
  if (has_own) kinds.erase(kinds.lower_bound(kFirstServing), kinds.end());
  return kinds;
}

void examine(const graph::Graph& graph, std::map<std::string, Found>& found) {
  const plugin::Signature signature = plugin::signature_of(graph);
  const plugin::GraphBody body(signature);
  if (body.view().num_nodes != 1) return;
  const gn_string name = body.view().nodes[0].op;
  Found& row = found[std::string(name.data, name.size)];
  lowering::ir::Built built = lowering::ir::build(body.view(), /*rewrites=*/false);
  if (built.failures.empty()) built = legalize(built.graph);
  std::vector<lowering::Failure> failures = built.failures;
  RecordingNetwork network;
  if (failures.empty()) failures = write_network(built.graph, network).failures;
  for (const lowering::Failure& failure : failures) row.refusals.insert(failure.reason);
  if (!failures.empty()) return;
  row.has_network = true;
  const std::set<std::size_t> kinds = kinds_of(network.text());
  row.kinds.insert(kinds.begin(), kinds.end());
  std::set<std::string> layers;
  for (const std::size_t kind : kinds) layers.insert(kKinds[kind].layer);
  if (layers.size() == 1) row.whole.insert(*layers.begin());
}

int examine_file(const std::string& file, std::map<std::string, Found>& found) {
  std::ifstream stream(file);
  std::vector<std::string> texts;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("graph \"", 0) == 0) texts.emplace_back();
    if (!texts.empty()) texts.back() += line + "\n";
  }
  for (const std::string& text : texts) {
    const auto graph = graph::parse_graph(text, file);
    if (!graph.is_ok()) {
      std::fprintf(stderr, "operator_table: %s\n", graph.status().to_string().c_str());
      return 1;
    }
    examine(*graph, found);
  }
  return 0;
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text.empty() ? "-" : text;
}

std::string short_name(const std::string& op) {
  return "`" + op.substr(op.find("::") + 2) + "`";
}

/// Operators by the layer that says most of them: whole in some case, or always with others.
std::string layers_text(const std::map<std::string, Found>& found) {
  struct Row {
    std::set<std::string> alone;
    std::set<std::string> composed;
  };
  std::map<std::string, Row> rows;
  for (const auto& [op, row] : found) {
    if (!row.has_network) continue;
    const std::string layer = row.kinds.empty() ? kNothing : kKinds[*row.kinds.begin()].layer;
    const bool is_whole = row.kinds.empty() || row.whole.count(layer) != 0;
    (is_whole ? rows[layer].alone : rows[layer].composed).insert(short_name(op));
  }
  std::string text = "| layer | whole | with others |\n|---|---|---|\n";
  std::string last;
  for (const Kind& kind : kKinds) {
    const auto row = rows.find(kind.layer);
    if (row == rows.end() || last == kind.layer) continue;
    last = kind.layer;
    text += "| " + last + " | " + joined(row->second.alone) + " | " + joined(row->second.composed) +
            " |\n";
  }
  const auto none = rows.find(kNothing);
  if (none == rows.end()) return text;
  return text + "| none: known while compiling | " + joined(none->second.alone) + " | - |\n";
}

std::string refusals_text(const std::map<std::string, Found>& found) {
  std::map<std::string, std::set<std::string>> whole;
  std::map<std::string, std::set<std::string>> part;
  for (const auto& [op, row] : found) {
    for (const std::string& reason : row.refusals) {
      const bool is_of_types = reason.rfind(kOfTypes, 0) == 0;
      (row.has_network ? part : whole)[reason].insert(is_of_types ? "any" : short_name(op));
    }
  }
  std::string text = "\n| refused | why | of some types or arguments |\n|---|---|---|\n";
  std::set<std::string> reasons;
  for (const auto& [reason, ops] : whole) reasons.insert(reason);
  for (const auto& [reason, ops] : part) reasons.insert(reason);
  for (const std::string& reason : reasons) {
    text += "| " + joined(whole[reason]) + " | " + reason + " | " + joined(part[reason]) + " |\n";
  }
  return text;
}

/// Operators that no case has alone are named: nothing is known of them.
std::string table_of(std::map<std::string, Found> found) {
  std::set<std::string> unknown;
  for (std::size_t i = 0; i < lowering::kNumOps; ++i) {
    const std::string op(lowering::op_name(static_cast<lowering::Op>(i)));
    if (found.count(op) == 0) unknown.insert(short_name(op));
  }
  std::string text = layers_text(found) + refusals_text(found);
  if (!unknown.empty()) text += "\nNo case has it alone: " + joined(unknown) + ".\n";
  return text;
}

int check(const std::string& file, const std::string& table, bool writes) {
  std::ifstream stream(file);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::size_t mark = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  if (mark == std::string::npos || end == std::string::npos) {
    std::fprintf(stderr, "operator_table: %s has no table of operators\n", file.c_str());
    return 1;
  }
  const std::size_t begin = mark + std::string(kBegin).size();
  if (text.substr(begin, end - begin) == table) return 0;
  if (writes) {
    std::ofstream(file) << text.replace(begin, end - begin, table);
    return 0;
  }
  std::fprintf(stderr, "operator_table: the table of %s is not that of the plugin; --write it\n%s",
               file.c_str(), table.c_str());
  return 1;
}

int run(const std::vector<std::string>& words) {
  std::string file;
  bool writes = false;
  std::map<std::string, Found> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if ((words[i] == "--check" || words[i] == "--write") && i + 1 < words.size()) {
      writes = words[i] == "--write";
      file = words[++i];
    } else if (examine_file(words[i], found) != 0) {
      return 1;
    }
  }
  if (found.empty()) {
    std::fputs(kUsage, stderr);
    return 1;
  }
  const std::string table = table_of(std::move(found));
  if (!file.empty()) return check(file, table, writes);
  std::fputs(table.c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace graphnet::tensorrt

int main(int argc, char** argv) {
  try {
    return graphnet::tensorrt::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operator_table: %s\n", error.what());
    return 1;
  }
}
