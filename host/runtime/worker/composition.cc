// SPDX-License-Identifier: MIT
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "eager/chain_run.h"
#include "measure/clock.h"
#include "verify/compare.h"
#include "worker/ready_sample.h"
#include "worker/requests.h"

namespace graphnet::worker {

namespace {

using base::DenseTensor;
using base::Json;
using base::Result;

Json output_json(const DenseTensor& whole, const verify::OutputComparison& output) {
  Json levels = Json::array();
  for (const bool is_close : output.all_close) levels.push_back(is_close);
  return {{"dtype", base::dtype_name(whole.dtype)},
          {"shape", whole.shape},
          {"bit_equal", output.nan_equal},
          {"all_close", std::move(levels)},
          {"max_diff", base::json_or_null(output.max_diff)},
          {"mean_diff", base::json_or_null(output.mean_diff)},
          {"relative_rms", base::json_or_null(output.relative_rms)}};
}

/// Sample and pieces as chains: a chain of the sample alone, and of the pieces.
struct Chains {
  std::vector<sample::Sample> pieces;
  std::vector<eager::ChainLink> links;
};

Result<Chains> load_chain(const std::vector<std::string>& folders) {
  Chains chains;
  for (const std::string& folder : folders) {
    GN_ASSIGN_OR_RETURN(sample::Sample piece, sample::load_sample(folder));
    chains.pieces.push_back(std::move(piece));
  }
  for (const sample::Sample& piece : chains.pieces) {
    chains.links.push_back({&piece.program, piece.folder.string()});
  }
  return chains;
}

Json comparison_json(const std::vector<DenseTensor>& whole,
                     const std::vector<DenseTensor>& composed) {
  const verify::Comparison comparison =
      verify::compare_outputs(verify::views(whole), verify::views(composed));
  Json outputs = Json::array();
  bool is_equal = whole.size() == composed.size();
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    outputs.push_back(output_json(whole[i], comparison.outputs[i]));
    is_equal = is_equal && comparison.outputs[i].nan_equal;
  }
  return {{"outcome", record::name_of(comparison.outcome)},
          {"message", comparison.message},
          {"bit_equal", is_equal},
          {"outputs", std::move(outputs)}};
}

}  // namespace

Result<Json> compose(const Json& arguments) {
  std::string path;
  std::vector<std::string> folders;
  base::FieldReader fields(arguments);
  fields.require("sample").require("pieces").read("sample", path).read("pieces", folders);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const Chains chains, load_chain(folders));
  GN_ASSIGN_OR_RETURN(const ReadySample ready, fitting_sample(path));
  const graph::Program& program = ready.sample.program;
  std::vector<std::string> names;
  for (const sample::Argument& argument : ready.values) names.push_back(argument.name);
  const std::int64_t begin = measure::monotonic_raw_ns();
  GN_ASSIGN_OR_RETURN(const auto whole, eager::run_chain({{&program, path}}, names, ready.views));
  const std::int64_t whole_ns = measure::monotonic_raw_ns() - begin;
  // Puts torch's generator back to where it was.
  GN_RETURN_IF_ERROR(eager::Engine::finish_arguments(program, ready.views, sample::kUpstreamSeed));
  GN_ASSIGN_OR_RETURN(const auto composed, eager::run_chain(chains.links, names, ready.views));
  Json answer = comparison_json(whole, composed);
  answer["whole_ns"] = whole_ns;
  return answer;
}

}  // namespace graphnet::worker
