// SPDX-License-Identifier: MIT
#include "graph/functionalize.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "graph/node_builder.h"
#include "graph/running_statistics.h"
#include "graph/write_back.h"

namespace graphnet::graph {

namespace {

using base::Code;
using base::Status;

/// Random calls whose distribution no tensor decides.
constexpr std::string_view kDraws[] = {
    "aten::rand",      "aten::randn",      "aten::randint",      "aten::randperm",
    "aten::rand_like", "aten::randn_like", "aten::randint_like", "aten::normal_",
    "aten::uniform_",  "aten::random_",    "aten::exponential_"};

bool is_draw(const std::string& op) {
  const std::string_view base = std::string_view(op).substr(0, op.find('.'));
  return std::find(std::begin(kDraws), std::end(kDraws), base) != std::end(kDraws);
}

std::string place_of(const Node& node) {
  return node.where.empty() ? node.op : node.op + " at " + node.where;
}

/// The value that a tensor object has, and how to take it again if it is a view.
struct Tensor {
  ValueId value = kNoValue;
  int version = 0;             ///< of its memory, when `value` was right
  TensorId parent = kNoValue;  ///< views: the tensor that `origin` takes it from
  Node origin = {};            ///< views: bound to values
  std::size_t result = 0;      ///< of origin
};

class Functionalizer {
 public:
  Functionalizer(const CallList& list, const OpLibrary& library)
      : list_(list),
        library_(library),
        tensors_(list.tensors.size()),
        versions_(list.tensors.size(), 0),
        unknown_(list.tensors.size(), nullptr) {}

  base::Result<Graph> run() {
    graph_.name = list_.name;
    for (std::size_t i = 0; i < list_.num_parameters; ++i) {
      tensors_[i].value = add_value(list_.tensors[i]);
      graph_.parameters.push_back(tensors_[i].value);
    }
    for (const RecordedNode& call : list_.calls) {
      if (status_.is_ok()) execute(call);
    }
    for (const TensorId result : list_.results) graph_.outputs.push_back(read(result));
    for (const TensorId tensor : list_.specialised) {
      graph_.specialised.push_back(graph_.parameters[static_cast<std::size_t>(tensor)]);
    }
    if (!status_.is_ok()) return status_;
    return std::move(graph_);
  }

 private:
  Tensor& tensor(TensorId id) { return tensors_[static_cast<std::size_t>(id)]; }
  std::size_t owner(TensorId id) const {
    return static_cast<std::size_t>(list_.owners[static_cast<std::size_t>(id)]);
  }
  const Value& described(TensorId id) const { return list_.tensors[static_cast<std::size_t>(id)]; }

  ValueId add_value(const Value& value) {
    graph_.values.push_back(value);
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  ValueId add_result(const Value& like) {
    return add_value({ValueKind::kResult, "", like.dtype, like.shape});
  }

  void fail(Code code, const std::string& message) {
    if (status_.is_ok()) status_ = Status(code, message);
  }

  // The value of a tensor now. Of views whose memory was written to it is taken again.
  ValueId read(TensorId id) {
    Tensor& read_tensor = tensor(id);
    const Node* unknown = unknown_[owner(id)];
    if (unknown != nullptr) {
      fail(Code::kUnsupported,
           "running statistics that " + place_of(*unknown) + " writes are read");
    }
    if (read_tensor.value == kNoValue && described(id).kind == ValueKind::kConstant) {
      read_tensor.value = add_value(described(id));
    }
    const int version = versions_[owner(id)];
    if (read_tensor.version == version || read_tensor.parent == kNoValue) return read_tensor.value;
    const ValueId parent = read(read_tensor.parent);
    Node node = read_tensor.origin;
    replace_parent(node, parent);
    node.results.assign(read_tensor.result + 1, kNoValue);
    node.results.back() = add_result(described(id));
    read_tensor.value = node.results.back();
    read_tensor.version = version;
    graph_.nodes.push_back(std::move(node));
    return read_tensor.value;
  }

  // An origin names its parent by kParent where it took it.
  static constexpr ValueId kParent = -2;
  static void replace_parent(Node& node, ValueId parent) {
    for_each_read(node, [parent](ValueId& id) {
      if (id == kParent) id = parent;
    });
  }

  void execute(const RecordedNode& call) {
    Node node = call.node;
    forget_statistics(call, node);
    for_each_read(node, [this](ValueId& id) { id = read(id); });
    if (!status_.is_ok()) return;
    const bool writes =
        std::find(call.written.begin(), call.written.end(), true) != call.written.end();
    if (!call.drawn.empty()) return draw(call);
    if (writes) return execute_in_place(call, node);
    for (std::size_t i = 0; i < node.results.size(); ++i) {
      node.results[i] = bind_result(call, i, node);
    }
    graph_.nodes.push_back(std::move(node));
  }

  // The results of a layer in training do not depend on the statistics that it updates.
  void forget_statistics(const RecordedNode& call, Node& node) {
    for (Argument& argument : node.arguments) {
      const std::string_view flag = statistics_flag(node.op, argument.name);
      if (flag.empty() || !is_flag(node, flag, true)) continue;
      if (argument.kind != Argument::Kind::kValue) continue;
      unknown_[owner(argument.values[0])] = &call.node;
      argument = attribute_argument(argument.name, std::monostate());
    }
  }

  // A new value for a result: of the argument that the result is, or of a new tensor.
  ValueId bind_result(const RecordedNode& call, std::size_t index, const Node& bound) {
    const TensorId same = call.same_as[index];
    if (same != kNoValue) {
      tensor(same).value = add_result(described(same));
      return tensor(same).value;
    }
    const TensorId id = call.node.results[index];
    if (id == kNoValue) return kNoValue;
    const ValueId value = add_result(described(id));
    define(id, value);
    if (owner(id) != static_cast<std::size_t>(id)) remember_view(call, index, bound);
    return value;
  }

  void define(TensorId id, ValueId value) {
    tensor(id).value = value;
    tensor(id).version = versions_[owner(id)];
  }

  void remember_view(const RecordedNode& call, std::size_t index, const Node& bound) {
    Tensor& view = tensor(call.node.results[index]);
    view.origin = bound;
    view.result = index;
    for (std::size_t a = 0; a < call.node.arguments.size(); ++a) {
      const std::vector<ValueId>& ids = call.node.arguments[a].values;
      for (std::size_t k = 0; k < ids.size(); ++k) {
        if (view.parent != kNoValue || ids[k] == kNoValue) continue;
        if (owner(ids[k]) != owner(call.node.results[index])) continue;
        view.parent = ids[k];
        view.origin.arguments[a].values[k] = kParent;
      }
    }
    if (view.parent == kNoValue) fail(Code::kInternal, "a view of nothing: " + place_of(bound));
  }

  void draw(const RecordedNode& call) {
    if (!is_draw(call.node.op)) {
      return fail(Code::kUnsupported, "random numbers that depend on data: " + place_of(call.node));
    }
    for (std::size_t i = 0; i < call.drawn.size(); ++i) {
      const TensorId same = call.same_as[i];
      if (same == kNoValue && call.node.results[i] == kNoValue) continue;
      Value value = call.drawn[i];
      value.kind = ValueKind::kInput;
      const ValueId id = add_value(value);
      graph_.parameters.push_back(id);
      ++graph_.num_random;
      if (same == kNoValue) {
        define(call.node.results[i], id);
      } else {
        write(same, id);
      }
    }
  }

  void execute_in_place(const RecordedNode& call, const Node& bound) {
    const OpSchema* schema = library_.functional_form(call.node.op);
    const bool writes_first = call.written.at(0) && call.same_as.size() == 1 &&
                              call.same_as[0] != kNoValue &&
                              std::count(call.written.begin(), call.written.end(), true) == 1;
    if (schema == nullptr || !writes_first) {
      return fail(Code::kUnsupported, "no functional form of " + place_of(call.node));
    }
    std::vector<Argument> arguments = bound.arguments;
    arguments[0].name = schema->arguments[0].name;  // dropout calls it input
    auto node = bind_node(*schema, bound.where, arguments);
    if (!node.is_ok()) return fail(node.status().code(), node.status().message());
    const auto dtype = library_.result_dtype(graph_, *node);
    if (!dtype.is_ok()) return fail(dtype.status().code(), dtype.status().message());
    const TensorId target = call.same_as[0];
    ValueId value = add_value({ValueKind::kResult, "", *dtype, described(target).shape});
    node->results = {value};
    graph_.nodes.push_back(std::move(node).value());
    if (*dtype != described(target).dtype) value = cast(value, described(target), bound.where);
    write(target, value);
  }

  ValueId cast(ValueId value, const Value& like, const std::string& where) {
    return emit("aten::to.dtype", where,
                {value_argument("self", value), attribute_argument("dtype", like.dtype)}, like);
  }

  ValueId emit(const std::string& op, const std::string& where,
               const std::vector<Argument>& arguments, const Value& like) {
    const OpSchema* schema = library_.find(op);
    if (schema == nullptr) {
      fail(Code::kInternal, "unknown operator " + op);
      return kNoValue;
    }
    auto node = bind_node(*schema, where, arguments);
    if (!node.is_ok()) {
      fail(node.status().code(), node.status().message());
      return kNoValue;
    }
    const ValueId value = add_result(like);
    node->results = {value};
    graph_.nodes.push_back(std::move(node).value());
    return value;
  }

  // A tensor has new content: what it is a view of changes with it, up to the owner.
  void write(TensorId id, ValueId value) {
    std::vector<std::pair<TensorId, ValueId>> carried = {{id, value}};
    for (TensorId at = id; tensor(at).parent != kNoValue && status_.is_ok();) {
      const TensorId parent = tensor(at).parent;
      value = carry(at, value, read(parent));
      carried.emplace_back(parent, value);
      at = parent;
    }
    const int version = ++versions_[owner(id)];
    for (const auto& [changed, content] : carried) {
      tensor(changed).value = content;
      tensor(changed).version = version;
    }
  }

  ValueId carry(TensorId view, ValueId content, ValueId base) {
    const Tensor& written = tensor(view);
    const Node& origin = written.origin;
    const WriteBack back =
        write_back({origin, written.result, graph_.value(base), described(view)}, base, content);
    if (back.op.empty()) {
      fail(Code::kUnsupported, "a write through the view " + place_of(origin));
      return kNoValue;
    }
    const Value like = graph_.value(base);
    return emit(back.op, origin.where, back.arguments, like);
  }

  const CallList& list_;
  const OpLibrary& library_;
  Graph graph_;
  std::vector<Tensor> tensors_;
  std::vector<int> versions_;         // by owner: writes so far
  std::vector<const Node*> unknown_;  // by owner: who wrote what no value stands for
  Status status_;
};

}  // namespace

base::Result<Graph> functionalize(const CallList& calls, const OpLibrary& library) {
  return Functionalizer(calls, library).run();
}

}  // namespace graphnet::graph
