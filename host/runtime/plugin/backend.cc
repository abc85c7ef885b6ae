// SPDX-License-Identifier: MIT
#include "plugin/backend.h"

#include <utility>

namespace graphnet::plugin {

namespace {

gn_option to_option(const std::string& name, const base::Json& value, std::string& text) {
  gn_option option = {};
  option.name = {name.data(), name.size()};
  if (value.is_boolean()) {
    option.type = GN_OPTION_BOOL;
    option.integer = value.get<bool>() ? 1 : 0;
  } else if (value.is_number_integer()) {
    option.type = GN_OPTION_INT;
    option.integer = value.get<std::int64_t>();
  } else if (value.is_number()) {
    option.type = GN_OPTION_FLOAT;
    option.number = value.get<double>();
  } else {
    option.type = GN_OPTION_STRING;
    text = base::text_of(value);
    option.text = {text.data(), text.size()};
  }
  return option;
}

}  // namespace

Backend::~Backend() {
  if (handle_ != nullptr) library_.api().destroy(handle_);
}

CallStatus Backend::create(const base::Json& options) {
  std::vector<std::string> names;
  std::vector<std::string> texts(options.size());
  for (const auto& item : options.items()) names.push_back(item.key());
  std::vector<gn_option> converted;
  for (std::size_t i = 0; i < names.size(); ++i) {
    converted.push_back(to_option(names[i], options[names[i]], texts[i]));
  }
  gn_create_args args = {};
  args.struct_size = sizeof(args);
  args.host = services_.api();
  args.options = converted.data();
  args.num_options = converted.size();
  CallStatus status = call_slot("create", [&] { return library_.api().create(&args, &handle_); });
  if (status.is_ok() && handle_ == nullptr) return broken("plugin bug: create gave no backend");
  return status;
}

CallStatus Backend::compile(const gn_graph& graph, const std::vector<void*>& argument_data,
                            std::unique_ptr<Executable>& out) {
  gn_compile_args args = {};
  args.struct_size = sizeof(args);
  args.graph = &graph;
  gn_executable* handle = nullptr;
  CallStatus status = call_slot("gn_backend_compile",
                                [&] { return library_.api().compile(handle_, &args, &handle); });
  if (!status.is_ok()) return status;
  if (handle == nullptr) return broken("plugin bug: compile gave no executable");
  out = std::make_unique<Executable>(library_, handle_, handle, graph.signature, argument_data,
                                     device_);
  return status;
}

CallStatus Backend::check(const gn_graph& graph) {
  gn_compile_args args = {};
  args.struct_size = sizeof(args);
  args.graph = &graph;
  args.check_only = 1;
  gn_executable* handle = nullptr;
  CallStatus status = call_slot("gn_backend_compile",
                                [&] { return library_.api().compile(handle_, &args, &handle); });
  if (handle == nullptr) return status;
  library_.api().executable_destroy(handle);
  return broken("plugin bug: gn_backend_compile gave an executable with check_only");
}

CallStatus Backend::load(const gn_graph& graph, const std::string& bytes,
                         const std::vector<void*>& argument_data,
                         std::unique_ptr<Executable>& out) {
  gn_executable* handle = nullptr;
  CallStatus status = call_slot(
      "deserialize", [&] { return library_.api().deserialize(handle_, borrow(bytes), &handle); });
  if (!status.is_ok()) return status;
  if (handle == nullptr) return broken("plugin bug: deserialize gave no executable");
  out = std::make_unique<Executable>(library_, handle_, handle, graph.signature, argument_data,
                                     device_);
  return status;
}

}  // namespace graphnet::plugin
