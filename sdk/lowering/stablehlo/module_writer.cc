// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "lowering/stablehlo/emitter.h"
#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

// Below, a copy of the result costs less than lending its memory (tests/bench/pjrt_overhead.cc).
constexpr std::int64_t kLendFromBytes = 16384;

}  // namespace

/// Writes one module: the lines that its results need, in the order in which they were made.
class ModuleWriter {
 public:
  /// `cuts_bound`: what depends on weights alone becomes an argument.
  ModuleWriter(const Emitter& emitter, bool cuts_bound)
      : emitter_(emitter), cuts_bound_(cuts_bound), needed_(emitter.lines_.size(), false) {}

  void need(std::int32_t root) {
    std::vector<std::int32_t> open = {root};
    while (!open.empty()) {
      const std::int32_t id = open.back();
      open.pop_back();
      if (needed_[static_cast<std::size_t>(id)]) continue;
      needed_[static_cast<std::size_t>(id)] = true;
      if (is_argument(id)) continue;
      const std::vector<std::int32_t>& operands = line(id).operands;
      open.insert(open.end(), operands.begin(), operands.end());
    }
  }

  /// Lines that the bind module has to compute for this one, in order.
  std::vector<std::int32_t> cut() const {
    std::vector<std::int32_t> ids;
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      const auto id = static_cast<std::int32_t>(i);
      if (needed_[i] && is_argument(id) && !line(id).is_argument) ids.push_back(id);
    }
    return ids;
  }

  Module write(const std::string& name, const std::vector<Tensor>& results, bool donates) const {
    Module module;
    std::string parameters;
    const auto add_parameter = [&](const std::string& parameter, ModuleArgument argument) {
      if (!parameters.empty()) parameters += ", ";
      parameters += parameter;
      module.arguments.push_back(std::move(argument));
    };
    std::string body;
    std::uint32_t num_bound = 0;
    for (std::size_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      const auto id = static_cast<std::int32_t>(i);
      const Emitter::Line& each = line(id);
      if (!is_argument(id)) {
        write_line(id, body);
        continue;
      }
      ModuleArgument argument = each.argument;
      if (!each.is_argument) {
        argument = {ArgumentSource::kBound, num_bound++, {to_dl_type(each.type), each.shape}};
      }
      add_parameter("%" + std::to_string(id) + ": " + type_text(each.type, each.shape),
                    std::move(argument));
    }
    std::string names;
    std::string types;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Emitter::Line& each = line(results[i].id);
      const std::string type = type_text(each.type, each.shape);
      names += (i == 0 ? "%" : ", %") + std::to_string(results[i].id);
      types += (i == 0 ? "" : ", ") + type;
      module.results.push_back({to_dl_type(each.type), each.shape});
      if (!donates || num_elements(each.shape) * bytes_of(each.type) < kLendFromBytes) continue;
      add_parameter("%out" + std::to_string(i) + ": " + type +
                        " {tf.aliasing_output = " + std::to_string(i) + " : i32}",
                    {ArgumentSource::kResultMemory,
                     static_cast<std::uint32_t>(i),
                     {to_dl_type(each.type), each.shape}});
    }
    module.text = "module @" + name + " {\n  func.func public @main(" + parameters + ") -> (" +
                  types + ") {\n" + body + "    return" +
                  (results.empty() ? std::string() : " " + names + " : " + types) + "\n  }\n}\n";
    return module;
  }

 private:
  const Emitter::Line& line(std::int32_t id) const {
    return emitter_.lines_[static_cast<std::size_t>(id)];
  }

  // A cheap line of the bind stage is computed in every call from what it is made of: a broadcast
  // bias would cost more to read than to make.
  bool is_argument(std::int32_t id) const {
    const Emitter::Line& each = line(id);
    if (each.is_argument) return true;
    return cuts_bound_ && each.stage == Emitter::Stage::kBind && !each.is_cheap;
  }

  void write_line(std::int32_t id, std::string& out) const {
    const Emitter::Line& each = line(id);
    out += "    %" + std::to_string(id);
    if (each.num_results > 1) out += ":" + std::to_string(each.num_results);
    out += " = " + each.text;
    if (each.where >= 0) {
      out += " loc(\"" + emitter_.locations_[static_cast<std::size_t>(each.where)] + "\")";
    }
    out += "\n";
  }

  const Emitter& emitter_;
  bool cuts_bound_;
  std::vector<bool> needed_;
};

LoweredProgram Emitter::finish(const std::vector<Tensor>& outputs, const std::string& name) {
  LoweredProgram program;
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (num_elements(outputs[i].shape) == 0) continue;
    results.push_back(in_order(outputs[i]));
    program.result_outputs.push_back(static_cast<std::uint32_t>(i));
  }
  ModuleWriter main(*this, options_.rewrites);
  for (const Tensor& result : results) main.need(result.id);
  program.main = main.write(name, results, /*donates=*/options_.lends_results);
  const std::vector<std::int32_t> cut = main.cut();
  if (cut.empty()) return program;
  ModuleWriter bind(*this, /*cuts_bound=*/false);
  std::vector<Tensor> bound;
  for (const std::int32_t id : cut) {
    const Line& each = lines_[static_cast<std::size_t>(id)];
    bound.push_back({id, each.type, each.shape});
    bind.need(id);
  }
  program.bind = bind.write(name + "_bind", bound, /*donates=*/false);
  return program;
}

}  // namespace graphnet::lowering::stablehlo
