// SPDX-License-Identifier: MIT
//
// Builds engines of graphs with TensorRT-RTX, which needs no device for that, and says of each
// graph what became of it: built, refused by plugin tensorrt (with its reasons) or by the builder
// (with its words). The last line counts. Nothing is run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "graph/graph_text.h"
#include "graphnet/failure.h"
#include "lowering/ir/build.h"
#include "lowering/ir/passes/stage.h"
#include "plugin/graph_body.h"
#include "plugin/host_services.h"
#include "tensorrt/described_network.h"
#include "tensorrt/engine.h"
#include "tensorrt/legalize.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {
namespace {

constexpr const char* kUsage =
    "usage: build_plans --library FILE [--capability 86] [--bound] [--per-call] [--quiet] "
    "GRAPH.gir...\n"
    "FILE is libtensorrt_rtx.so.1. Each GRAPH.gir holds graphs in normal form, one behind the "
    "other.\n"
    "Weights are zeros; with --bound engines can be refitted, which needs\n"
    "a device; with --per-call weights are inputs. --quiet prints failures only.\n";

constexpr int kSkipped = 77;

struct Flags {
  std::string library;
  std::int32_t capability = 86;
  bool is_bound = false;
  bool are_weights_inputs = false;
  bool is_quiet = false;
  std::vector<std::string> files;
};

struct Tally {
  std::map<std::string, int> counts;
  std::vector<double> seconds;
};

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

void report(const Flags& flags, Tally& tally, const std::string& name, const std::string& outcome,
            const std::string& text) {
  ++tally.counts[outcome];
  if (flags.is_quiet && outcome != "layers" && outcome != "builder") return;
  std::printf("%-9s %s %s\n", outcome.c_str(), name.c_str(), text.c_str());
  std::fflush(stdout);
}

void build(const Flags& flags, const Library& library, const graph::Graph& graph, Tally& tally) {
  const plugin::Signature signature = plugin::signature_of(graph);
  const plugin::GraphBody body(signature);
  const std::string& name = signature.sample;
  const double begin = now();
  namespace ir = lowering::ir;
  ir::Built built = ir::build(body.view(), /*rewrites=*/false);
  if (built.failures.empty()) built = legalize(built.graph);
  if (!built.failures.empty()) {
    return report(flags, tally, name, "refused", lowering::describe_failures(built.failures));
  }
  if (flags.is_bound) built.graph = ir::split_by_stage(std::move(built.graph)).call;
  const auto bound = flags.are_weights_inputs ? BoundWeights::kInputs : BoundWeights::kRefitted;
  DescribedNetwork described(DescribedNetwork::Constants::kLeftOut);
  const WrittenNetwork checked = write_network(built.graph, described, bound);
  if (!checked.failures.empty()) {
    return report(flags, tally, name, "refused", lowering::describe_failures(checked.failures));
  }
  try {
    const Object builder = library.make_builder();
    LibraryNetwork network(library, builder.get());
    const WrittenNetwork written = write_network(built.graph, network, bound);
    if (!written.failures.empty()) {
      return report(flags, tally, name, "layers", lowering::describe_failures(written.failures));
    }
    if (network.num_layers() == 0) return report(flags, tally, name, "empty", "");
    BuildSettings settings;
    settings.compute_capability = flags.capability;
    settings.is_refittable = flags.is_bound;
    const Plan plan = build_plan(library, builder.get(), network, settings);
    const double seconds = now() - begin;
    tally.seconds.push_back(seconds);
    char text[96];
    std::snprintf(text, sizeof(text), "%.3f s, %zu bytes, %d layers", seconds, plan.bytes.size(),
                  network.num_layers());
    report(flags, tally, name, "built", text);
  } catch (const Failure& failure) {
    report(flags, tally, name, "builder", failure.what());
  }
}

/// A file holds several graphs; each begins with its name.
int build_file(const Flags& flags, const Library& library, const std::string& file, Tally& tally) {
  std::ifstream stream(file);
  if (!stream) {
    std::fprintf(stderr, "build_plans: cannot read %s\n", file.c_str());
    return 1;
  }
  std::vector<std::string> texts;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("graph \"", 0) == 0) texts.emplace_back();
    if (!texts.empty()) texts.back() += line + "\n";
  }
  for (const std::string& text : texts) {
    const auto graph = graph::parse_graph(text, file);
    if (!graph.is_ok()) {
      std::fprintf(stderr, "build_plans: %s\n", graph.status().to_string().c_str());
      return 1;
    }
    build(flags, library, *graph, tally);
  }
  return 0;
}

int run(const Flags& flags) {
  if (!std::ifstream(flags.library)) {
    std::printf("skipped: no TensorRT-RTX in %s; tests/run fetches it\n", flags.library.c_str());
    return kSkipped;
  }
  const Library library = Library::open(flags.library);
  Tally tally;
  for (const std::string& file : flags.files) {
    if (build_file(flags, library, file, tally) != 0) return 1;
  }
  std::printf("%s:", library.version().c_str());
  for (const auto& [outcome, count] : tally.counts) std::printf(" %s %d", outcome.c_str(), count);
  std::sort(tally.seconds.begin(), tally.seconds.end());
  if (!tally.seconds.empty()) {
    std::printf("; median %.3f s, longest %.3f s", tally.seconds[tally.seconds.size() / 2],
                tally.seconds.back());
  }
  std::printf("\n");
  return tally.counts["layers"] + tally.counts["builder"] == 0 ? 0 : 2;
}

}  // namespace
}  // namespace graphnet::tensorrt

int main(int argc, char** argv) {
  graphnet::tensorrt::Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--library" && i + 1 < argc) {
      flags.library = argv[++i];
    } else if (word == "--capability" && i + 1 < argc) {
      flags.capability = std::atoi(argv[++i]);
    } else if (word == "--bound") {
      flags.is_bound = true;
    } else if (word == "--per-call") {
      flags.are_weights_inputs = true;
    } else if (word == "--quiet") {
      flags.is_quiet = true;
    } else {
      flags.files.push_back(word);
    }
  }
  if (flags.library.empty() || flags.files.empty()) {
    std::fputs(graphnet::tensorrt::kUsage, stderr);
    return 1;
  }
  try {
    return graphnet::tensorrt::run(flags);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "build_plans: %s\n", error.what());
    return 1;
  }
}
