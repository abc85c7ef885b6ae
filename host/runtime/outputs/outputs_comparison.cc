// SPDX-License-Identifier: MIT
#include "outputs/outputs_comparison.h"

#include <algorithm>
#include <cstring>

#include "verify/correctness_json.h"

namespace graphnet::outputs {

using record::Record;

namespace {

std::string arguments_of(const Record& record) {
  const auto found = record.digest.find("arguments");
  if (found == record.digest.end() || !found->is_object()) return "";
  return found->value("sha256", "");
}

bool bits_equal(const std::vector<verify::TensorView>& a,
                const std::vector<verify::TensorView>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    if (one.dtype != other.dtype || one.shape != other.shape) return false;
    const auto num_bytes =
        static_cast<std::size_t>(verify::count_of(one)) * base::dtype_bytes(one.dtype);
    return num_bytes == 0 || std::memcmp(one.data, other.data, num_bytes) == 0;
  });
}

record::ReferenceSide compare_side(const std::vector<base::DenseTensor>& reference,
                                   const std::vector<base::DenseTensor>& here) {
  if (reference.empty() || here.empty()) {
    record::ReferenceSide side;
    side.message = reference.empty() ? "the reference has none" : "there are none";
    return side;
  }
  const auto expected = verify::views(reference);
  const auto found = verify::views(here);
  return side_of(verify::compare_outputs(expected, found), expected, found);
}

}  // namespace

std::string why_incomparable(const Record& reference, const Record& here) {
  if (reference.sample_sha256 != here.sample_sha256) {
    return "the reference is of another program or metadata: " + reference.sample +
           " with SHA-256 " + reference.sample_sha256.substr(0, 12) + ", here " +
           here.sample_sha256.substr(0, 12);
  }
  if (reference.seed != here.seed) {
    return "the reference has arguments of seed " + std::to_string(reference.seed) +
           ", this run of seed " + std::to_string(here.seed);
  }
  const std::string expected = arguments_of(reference);
  const std::string found = arguments_of(here);
  if (!expected.empty() && !found.empty() && expected != found) {
    return "the reference has other arguments: SHA-256 " + expected.substr(0, 12) + ", here " +
           found.substr(0, 12);
  }
  return "";
}

std::vector<std::string> differing_settings(const Record& reference, const Record& here) {
  std::vector<std::string> differences;
  const auto add = [&](const char* name, const std::string& there, const std::string& ours) {
    if (there != ours) differences.push_back(name + (": " + there) + " there, " + ours + " here");
  };
  add("backend", reference.backend_name(), here.backend_name());
  add("plugin version", reference.plugin_version, here.plugin_version);
  add("options", base::dump_json(reference.plugin_options), base::dump_json(here.plugin_options));
  add("device", reference.device, here.device);
  add("threads", std::to_string(reference.threads), std::to_string(here.threads));
  add("weights", reference.weights, here.weights);
  add("math", reference.math.text(), here.math.text());
  add("protocol", reference.protocol, here.protocol);
  add("warmup", std::to_string(reference.warmup), std::to_string(here.warmup));
  add("trials", std::to_string(reference.trials), std::to_string(here.trials));
  if (reference.protocol == here.protocol &&
      reference.protocol_settings != here.protocol_settings) {
    differences.emplace_back("the settings of protocol " + here.protocol + " are not the same");
  }
  return differences;
}

record::Reference start_reference(const Record& reference, const Record& here) {
  record::Reference start;
  start.missing = why_incomparable(reference, here);
  start.run_id = reference.run_id;
  start.time_utc = reference.time_utc;
  start.backend = reference.backend_name();
  start.cpu_model = reference.environment.cpu_model;
  start.libtorch = reference.environment.libtorch;
  start.differences = differing_settings(reference, here);
  return start;
}

record::ReferenceSide side_of(const verify::Comparison& comparison,
                              const std::vector<verify::TensorView>& reference,
                              const std::vector<verify::TensorView>& here) {
  record::ReferenceSide side;
  side.outcome = comparison.outcome;
  side.message = comparison.message;
  side.bit_equal = bits_equal(reference, here);
  side.correctness = verify::correctness_json(comparison);
  side.correctness.erase("statistics");
  return side;
}

void add_times(const std::optional<double>& reference_ns, const std::optional<double>& here_ns,
               record::ReferenceSide& side) {
  side.reference_ns = reference_ns;
  side.here_ns = here_ns;
  if (reference_ns && here_ns && *here_ns > 0) side.ratio = *reference_ns / *here_ns;
}

record::Reference compare_kept(const KeptOutputs& reference, const KeptOutputs& here) {
  const Record& there = reference.facts.record;
  const Record& ours = here.facts.record;
  record::Reference compared = start_reference(there, ours);
  if (!compared.missing.empty()) return compared;
  compared.eager = compare_side(reference.eager, here.eager);
  compared.plugin = compare_side(reference.plugin, here.plugin);
  add_times(there.eager.median_ns, ours.eager.median_ns, compared.eager);
  add_times(there.plugin_side.median_ns, ours.plugin_side.median_ns, compared.plugin);
  return compared;
}

}  // namespace graphnet::outputs
