// SPDX-License-Identifier: MIT
// The normal form of a sample, printed and read, gives what the sample gives, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "eager/dispatcher_library.h"
#include "eager/graph_run.h"
#include "graph/graph_text.h"
#include "graph/normal_form.h"
#include "support/folders.h"
#include "support/graph_identity.h"
#include "unit/eager/sample_arguments.h"

namespace graphnet::eager {
namespace normal_form_run_test {

// Programs whose sizes follow from what their inputs hold.
constexpr const char* kDataDependent[] = {"GAE", "GAT", "GCN", "RECT_L"};

template <typename Side>
std::vector<std::string> dense_outputs(const Side& side) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < side.outputs().size(); ++i) {
    const EngineOutput& output = side.outputs()[i];
    std::string bytes(static_cast<std::size_t>(*base::num_elements(output.shape)) *
                          base::dtype_bytes(output.dtype),
                      '\0');
    EXPECT_TRUE(side.copy_output(i, bytes.data()).is_ok());
    all.push_back(std::move(bytes));
  }
  return all;
}

bool is_state(graph::ParameterKind kind) {
  return kind == graph::ParameterKind::kParameter || kind == graph::ParameterKind::kBuffer;
}

/// The normal form as planned, without running.
base::Result<graph::Graph> planned_form(const sample::Sample& sample) {
  SamplePlanArguments arguments(sample);
  for (std::size_t i = 0; i < arguments.all.size(); ++i) {
    arguments.all[i].is_weight = is_state(sample.program.parameters[i].kind);
  }
  GN_ASSIGN_OR_RETURN(const graph::CallList calls, plan_calls(sample.program, arguments.all));
  return graph::to_normal_form(calls, dispatcher_library());
}

/// A plan knows no random numbers, and of numbers that the host reads only those of literals.
bool is_planned(const graph::Graph& planned, const graph::Graph& run) {
  const bool has_all_numbers = run.specialised.empty() && run.num_random == 0;
  if (has_all_numbers) return graph::print_graph(planned) == graph::print_graph(run);
  const auto same_type = [](const graph::Value& a, const graph::Value& b) {
    return graph::print_type(a) == graph::print_type(b) && a.kind == b.kind && a.name == b.name;
  };
  const auto same_node = [](const graph::Node& a, const graph::Node& b) {
    return a.op == b.op && a.where == b.where && a.results == b.results;
  };
  return std::equal(planned.values.begin(), planned.values.end(), run.values.begin(),
                    run.values.end(), same_type) &&
         std::equal(planned.nodes.begin(), planned.nodes.end(), run.nodes.begin(), run.nodes.end(),
                    same_node);
}

struct Ran {
  base::Status status;
  std::size_t num_calls = 0;
  std::size_t num_nodes = 0;
};

/// A status with code kInternal says how the outputs differ.
Ran run_both(const sample::Sample& sample) {
  Ran ran;
  auto generated =
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed);
  if (!generated.is_ok()) return {generated.status()};
  const std::vector<EngineArgument> views = engine_arguments(*generated);
  ran.status = Engine::finish_arguments(sample.program, views, sample::kUpstreamSeed);
  if (!ran.status.is_ok()) return ran;
  auto engine = Engine::create(sample.program, views);
  if (!engine.is_ok()) return {engine.status()};
  ran.status = (*engine)->prepare();
  if (ran.status.is_ok()) ran.status = (*engine)->run();
  if (!ran.status.is_ok()) return ran;
  const std::vector<std::string> wanted = dense_outputs(**engine);
  EXPECT_TRUE((*engine)->prepare().is_ok());
  std::vector<bool> is_weight;
  for (const auto& argument : *generated) {
    is_weight.push_back(is_state(argument.kind));
  }
  const auto graph = (*engine)->normal_form(is_weight);
  ran.num_calls = (*engine)->num_operator_calls();
  if (!graph.is_ok()) return {graph.status(), ran.num_calls};
  ran.num_nodes = graph->nodes.size();
  const std::string text = graph::print_graph(*graph);
  const auto read = graph::parse_graph(text, "graph.gir");
  if (!read.is_ok()) return {read.status(), ran.num_calls, ran.num_nodes};
  EXPECT_TRUE(tests::is_identical(*graph, *read));
  const auto planned = planned_form(sample);
  EXPECT_TRUE(planned.is_ok() && is_planned(*planned, *graph)) << sample.name;
  auto run = GraphRun::create(*read);
  if (!run.is_ok()) return {run.status()};
  std::vector<void*> data;
  for (const EngineArgument& view : views) data.push_back(view.data);
  ran.status = (*run)->run(data);
  if (!ran.status.is_ok()) return ran;
  const std::vector<std::string> given = dense_outputs(**run);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < wanted.size() && i < given.size(); ++i) {
    if (wanted[i] != given[i]) ++differing;
  }
  if (differing > 0 || wanted.size() != given.size()) {
    ran.status =
        base::Status(base::Code::kInternal, std::to_string(differing) + " of " +
                                                std::to_string(wanted.size()) + " outputs differ");
  }
  return ran;
}

bool is_small_enough(const sample::Sample& sample, double most_flop) {
  constexpr std::int64_t kMostBytes = std::int64_t{10} << 30;
  const SamplePlanArguments arguments(sample);
  const Plan plan = plan_program(sample.program, arguments.all);
  return plan.unknown.empty()
             ? plan.flop <= most_flop && plan.argument_bytes + plan.peak_live_bytes <= kMostBytes
             : plan.argument_bytes <= kMostBytes / 4;
}

// GRAPHNET_NORMAL_SAMPLES names another tree of samples, GRAPHNET_NORMAL_GFLOP how much work of one
// sample is too much.
TEST(NormalFormRun, EqualsEverySample) {
  const char* tree = std::getenv("GRAPHNET_NORMAL_SAMPLES");
  const char* limit = std::getenv("GRAPHNET_NORMAL_GFLOP");
  const double most_flop = (limit != nullptr ? std::atof(limit) : 60) * 1e9;
  const auto folders =
      sample::discover(tree != nullptr ? std::string(tree) : tests::source_dir() + "/samples");
  ASSERT_TRUE(folders.is_ok());
  for (const auto& folder : *folders) {
    const auto sample = sample::load_sample(folder);
    ASSERT_TRUE(sample.is_ok()) << sample.status().to_string();
    if (!is_small_enough(*sample, most_flop)) {
      std::cout << sample->name << ": too large" << std::endl;
      continue;
    }
    const Ran ran = run_both(*sample);
    std::cout << sample->name << ": " << ran.num_calls << " calls, " << ran.num_nodes << " nodes; "
              << ran.status.to_string() << std::endl;
    const bool is_known = std::find(std::begin(kDataDependent), std::end(kDataDependent),
                                    sample->model_name) != std::end(kDataDependent);
    if (is_known) {
      EXPECT_EQ(ran.status.code(), base::Code::kUnsupported) << sample->name;
      EXPECT_NE(ran.status.message().find("depends on data"), std::string::npos) << sample->name;
    } else {
      EXPECT_TRUE(ran.status.is_ok()) << sample->name << ": " << ran.status.to_string();
    }
  }
}

}  // namespace normal_form_run_test
}  // namespace graphnet::eager
