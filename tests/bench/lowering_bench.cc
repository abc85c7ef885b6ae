// SPDX-License-Identifier: MIT
// How fast graphs become StableHLO text, per graph: `lowering_bench FILE.gir...`, files as
// `graphnet inspect SAMPLE --stage normal` prints them. CPU time of one thread, best of at least
// five repetitions and 0.3 s.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "graph/graph_text.h"
#include "lowering/ir/build.h"
#include "lowering/stablehlo/legalize.h"
#include "lowering/stablehlo/print.h"
#include "plugin/graph_body.h"
#include "plugin/host_services.h"

namespace graphnet {
namespace {

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Bytes of text; 0 if the graph cannot be lowered.
std::size_t lower(const gn_graph_body& body) {
  const lowering::ir::Built built = lowering::ir::build(body, /*rewrites=*/true);
  lowering::ir::Built legalized = lowering::stablehlo::legalize(built.graph, /*rewrites=*/true);
  for (const auto& failures : {built.failures, legalized.failures}) {
    if (failures.empty()) continue;
    std::printf("%s\n", lowering::describe_failures(failures).c_str());
    return 0;
  }
  const auto program = lowering::stablehlo::print(std::move(legalized.graph), {true}, "bench");
  return program.main.text.size() + (program.bind ? program.bind->text.size() : 0);
}

void measure(const std::string& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const auto graph = graph::parse_graph(text.str(), file);
  if (!graph.is_ok()) {
    std::printf("%s\n", graph.status().to_string().c_str());
    return;
  }
  const plugin::Signature signature = plugin::signature_of(*graph);
  const plugin::GraphBody body(signature);
  double best = std::numeric_limits<double>::infinity();
  std::size_t bytes = 0;
  const double begin = cpu_seconds();
  for (int i = 0; i < 5 || cpu_seconds() - begin < 0.3; ++i) {
    const double start = cpu_seconds();
    bytes = lower(body.view());
    best = std::min(best, cpu_seconds() - start);
  }
  std::printf("%6zu nodes %8.2f ms %9zu bytes %7.1f MB/s  %s\n", graph->nodes.size(), 1e3 * best,
              bytes, static_cast<double>(bytes) / best / 1e6, graph->name.c_str());
}

}  // namespace
}  // namespace graphnet

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) graphnet::measure(argv[i]);
  return argc > 1 ? 0 : 2;
}
