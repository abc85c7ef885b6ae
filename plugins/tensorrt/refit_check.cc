// SPDX-License-Identifier: MIT
#include "tensorrt/refit_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "graphnet/failure.h"
#include "lowering/ir/array.h"
#include "tensorrt/executable.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;
using lowering::Type;

namespace {

// More lost weights than this are not told from other causes.
constexpr std::size_t kMostCulprits = 8;

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", number);
  return text;
}

}  // namespace

double tolerance_of(Type type, bool allows_tf32) {
  if (type == Type::kF32) return allows_tf32 ? 1e-2 : 1e-3;
  return type == Type::kF16 ? 2e-2 : type == Type::kBF16 ? 8e-2 : 0;
}

double relative_distance(Type type, std::string_view got, std::string_view wanted) {
  const auto size = static_cast<std::int64_t>(lowering::bytes_of(type));
  const ir::TensorType flat = {type, {static_cast<std::int64_t>(wanted.size()) / size}};
  const ir::Array left = ir::read_array(flat, got.data());
  const ir::Array right = ir::read_array(flat, wanted.data());
  double difference = 0;
  double whole = 0;
  for (std::size_t i = 0; i < right.elements.size(); ++i) {
    const auto a = static_cast<double>(left.elements[i].real());
    const auto b = static_cast<double>(right.elements[i].real());
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (std::isfinite(b)) whole += b * b;
      continue;
    }
    if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
    difference += (a - b) * (a - b);
    whole += b * b;
  }
  return difference == 0 ? 0 : std::sqrt(difference / whole);
}

/// Memory of the device, for as long as it is looked at.
class RefitCheck::Memory {
 public:
  Memory(const CudaDriver& driver, std::size_t num_bytes)
      : driver_(&driver), memory_(driver.allocate(num_bytes)) {}
  Memory(const CudaDriver& driver, const std::string& bytes) : Memory(driver, bytes.size()) {
    driver.to_device(memory_, bytes.data(), bytes.size());
  }
  Memory(Memory&& other) noexcept
      : driver_(other.driver_), memory_(std::exchange(other.memory_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory() {
    if (memory_ != nullptr) driver_->free(memory_);
  }
  void* get() const { return memory_; }

 private:
  const CudaDriver* driver_;
  void* memory_;
};

/// The call that is compared.
struct RefitCheck::Call {
  const Addresses& addresses;
  void* stream = nullptr;
  std::vector<std::string> outputs;  ///< what the engine wrote, in the order of the graph
};

RefitCheck::RefitCheck(const Library& library, const ir::Graph& graph,
                       const BuildSettings& settings, const std::string& driver)
    : library_(library), driver_(driver), driver_name_(driver), graph_(graph), settings_(settings) {
  settings_.level = 0;
  settings_.timing_cache.clear();
}

RefitCheck::~RefitCheck() = default;

void RefitCheck::keep(const std::string& name, std::string bytes, void* memory) {
  Weight& weight = weights_[name];
  weight.former = std::exchange(weight.bytes, std::move(bytes));
  weight.memory = memory;
}

bool RefitCheck::build_reference() {
  if (reference_) return true;
  try {
    reference_ = EngineExecutable::build(library_, {{}, graph_}, BoundWeights::kInputs, settings_,
                                         driver_name_);
  } catch (const Failure& failure) {
    report_ = std::string("not done: no engine to compare with: ") + failure.what();
  }
  return reference_ != nullptr;
}

// In units of the tolerance; above 1 they disagree.
double RefitCheck::distance_of(const Call& call,
                               const std::map<std::string, std::string>& replaced) const {
  std::vector<Memory> owned;
  for (const NamedParameter& input : reference_->network().inputs) {
    const auto other = replaced.find(input.name);
    const auto weight = weights_.find(input.name);
    const auto known = call.addresses.find(input.name);
    void* memory = known == call.addresses.end() ? nullptr : known->second;
    if (weight != weights_.end()) memory = weight->second.memory;
    if (other != replaced.end()) memory = owned.emplace_back(driver_, other->second).get();
    if (memory == nullptr && weight != weights_.end()) {
      memory = owned.emplace_back(driver_, weight->second.bytes).get();
    }
    reference_->set_address(input.name, memory);
  }
  std::vector<void*> written;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const std::string& name = reference_->network().outputs[i];
    if (name.empty()) continue;
    written.resize(i + 1);
    written[i] = owned.emplace_back(driver_, call.outputs[i].size()).get();
    reference_->set_address(name, written[i]);
  }
  reference_->enqueue(call.stream);
  driver_.wait(call.stream);
  double farthest = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Type type = graph_.type(graph_.outputs[i]).type;
    const double tolerance = tolerance_of(type, settings_.allows_tf32);
    if (written[i] == nullptr || tolerance == 0) continue;
    std::string wanted(call.outputs[i].size(), '\0');
    driver_.to_host(wanted.data(), written[i], wanted.size());
    farthest = std::max(farthest, relative_distance(type, call.outputs[i], wanted) / tolerance);
  }
  return farthest;
}

// One weight after the other, the one that explains most first. Empty: they do not explain it.
std::string RefitCheck::culprits_of(const Call& call, double distance) const {
  std::map<std::string, std::string> replaced;
  std::string names;
  while (distance > 1 && replaced.size() < kMostCulprits) {
    std::map<std::string, std::string> best = replaced;
    double nearest = distance;
    std::string name;
    for (const auto& [each, weight] : weights_) {
      if (replaced.count(each) != 0) continue;
      for (const std::string& content : {std::string(weight.bytes.size(), '\0'), weight.former}) {
        if (content.empty() || content == weight.bytes) continue;
        std::map<std::string, std::string> tried = replaced;
        tried[each] = content;
        const double left = distance_of(call, tried);
        if (left >= nearest) continue;
        nearest = left;
        best = std::move(tried);
        name = each;
      }
    }
    if (name.empty()) return "";
    names += (names.empty() ? "" : ", ") + name;
    distance = nearest;
    replaced = std::move(best);
  }
  return distance > 1 ? "" : names;
}

void RefitCheck::check(const Addresses& addresses, void* stream) {
  if (!build_reference()) return;
  driver_.wait(stream);
  Call call = {addresses, stream, {}};
  const std::vector<std::string>& names = reference_->network().outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ir::TensorType& type = graph_.type(graph_.outputs[i]);
    std::string& bytes = call.outputs.emplace_back();
    if (names[i].empty()) continue;
    bytes.resize(static_cast<std::size_t>(lowering::num_elements(type.shape) *
                                          lowering::bytes_of(type.type)));
    driver_.to_host(bytes.data(), addresses.at(names[i]), bytes.size());
  }
  const double distance = distance_of(call, {});
  const std::string text = text_of(distance) + " of the tolerance";
  report_ = "agrees, " + text;
  if (distance <= 1) return;
  const std::string culprits = culprits_of(call, distance);
  report_ = "disagrees, " + text + (culprits.empty() ? ", which no weight explains" : "");
  if (culprits.empty()) return;
  throw Failure(GN_STATUS_RUNTIME_FAILED,
                "TensorRT has not refitted " + culprits + ": outputs are " + text_of(distance) +
                    " times the tolerance from those of the same graph with weights as inputs, and "
                    "are what the former content gives; option bound_weights: inputs does "
                    "without refitting");
}

}  // namespace graphnet::tensorrt
