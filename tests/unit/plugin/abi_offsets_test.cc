// SPDX-License-Identifier: MIT
//
// The layout of the plugin ABI against sdk/abi/gn_abi_0_3.txt: a change of a header shows in review
// as a change of that file. On a difference the test prints the lines that changed.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "graphnet/abi.h"
#include "support/folders.h"

namespace graphnet::plugin {
namespace abi_offsets_test {

#define STRUCT(type) lines.push_back(#type " size " + std::to_string(sizeof(type)))
#define FIELD(type, field)                                                                         \
  lines.push_back(#type "." #field " offset " + std::to_string(offsetof(type, field)) + " size " + \
                  std::to_string(sizeof(type::field)))

void add_graph(std::vector<std::string>& lines) {
  STRUCT(gn_string);
  FIELD(gn_string, data);
  FIELD(gn_string, size);
  STRUCT(gn_value);
  FIELD(gn_value, struct_size);
  FIELD(gn_value, name);
  FIELD(gn_value, kind);
  FIELD(gn_value, dtype);
  FIELD(gn_value, rank);
  FIELD(gn_value, index);
  FIELD(gn_value, shape);
  FIELD(gn_value, data);
  STRUCT(gn_graph_signature);
  FIELD(gn_graph_signature, struct_size);
  FIELD(gn_graph_signature, sample);
  FIELD(gn_graph_signature, inputs);
  FIELD(gn_graph_signature, num_inputs);
  FIELD(gn_graph_signature, weights);
  FIELD(gn_graph_signature, num_weights);
  FIELD(gn_graph_signature, outputs);
  FIELD(gn_graph_signature, num_outputs);
}

void add_body(std::vector<std::string>& lines) {
  STRUCT(gn_argument);
  FIELD(gn_argument, struct_size);
  FIELD(gn_argument, name);
  FIELD(gn_argument, kind);
  FIELD(gn_argument, dtype);
  FIELD(gn_argument, integer);
  FIELD(gn_argument, number);
  FIELD(gn_argument, text);
  FIELD(gn_argument, integers);
  FIELD(gn_argument, numbers);
  FIELD(gn_argument, count);
  STRUCT(gn_node);
  FIELD(gn_node, struct_size);
  FIELD(gn_node, op);
  FIELD(gn_node, where);
  FIELD(gn_node, arguments);
  FIELD(gn_node, num_arguments);
  FIELD(gn_node, results);
  FIELD(gn_node, num_results);
  STRUCT(gn_graph_body);
  FIELD(gn_graph_body, struct_size);
  FIELD(gn_graph_body, values);
  FIELD(gn_graph_body, num_values);
  FIELD(gn_graph_body, nodes);
  FIELD(gn_graph_body, num_nodes);
  FIELD(gn_graph_body, outputs);
  FIELD(gn_graph_body, num_outputs);
}

void add_calls(std::vector<std::string>& lines) {
  STRUCT(gn_run_args);
  FIELD(gn_run_args, struct_size);
  FIELD(gn_run_args, inputs);
  FIELD(gn_run_args, num_inputs);
  FIELD(gn_run_args, outputs);
  FIELD(gn_run_args, num_outputs);
  FIELD(gn_run_args, stream);
  FIELD(gn_run_args, rebind);
  FIELD(gn_run_args, reserved);
  STRUCT(gn_bind_args);
  FIELD(gn_bind_args, struct_size);
  FIELD(gn_bind_args, weights);
  FIELD(gn_bind_args, num_weights);
  FIELD(gn_bind_args, copied);
  FIELD(gn_bind_args, reserved);
  FIELD(gn_bind_args, kept_bytes);
  STRUCT(gn_option);
  FIELD(gn_option, name);
  FIELD(gn_option, type);
  FIELD(gn_option, reserved);
  FIELD(gn_option, integer);
  FIELD(gn_option, number);
  FIELD(gn_option, text);
  STRUCT(gn_create_args);
  FIELD(gn_create_args, struct_size);
  FIELD(gn_create_args, host);
  FIELD(gn_create_args, options);
  FIELD(gn_create_args, num_options);
  STRUCT(gn_compile_args);
  FIELD(gn_compile_args, struct_size);
  FIELD(gn_compile_args, graph);
  FIELD(gn_compile_args, check_only);
  FIELD(gn_compile_args, reserved);
  STRUCT(gn_info);
  FIELD(gn_info, struct_size);
  FIELD(gn_info, text);
}

void add_tables(std::vector<std::string>& lines) {
  STRUCT(gn_host_api);
  FIELD(gn_host_api, struct_size);
  FIELD(gn_host_api, abi_major);
  FIELD(gn_host_api, abi_minor);
  FIELD(gn_host_api, host);
  FIELD(gn_host_api, device);
  FIELD(gn_host_api, num_threads);
  FIELD(gn_host_api, math_policy);
  FIELD(gn_host_api, memory_limit_bytes);
  FIELD(gn_host_api, dump_folder);
  FIELD(gn_host_api, status_new);
  FIELD(gn_host_api, log);
  FIELD(gn_host_api, cancelled);
  FIELD(gn_host_api, graph_signature);
  FIELD(gn_host_api, eager_compile);
  FIELD(gn_host_api, eager_run);
  FIELD(gn_host_api, graph_body);
  STRUCT(gn_backend_api);
  FIELD(gn_backend_api, struct_size);
  FIELD(gn_backend_api, create);
  FIELD(gn_backend_api, destroy);
  FIELD(gn_backend_api, compile);
  FIELD(gn_backend_api, run);
  FIELD(gn_backend_api, bind);
  FIELD(gn_backend_api, executable_destroy);
  FIELD(gn_backend_api, info);
  FIELD(gn_backend_api, serialize);
  FIELD(gn_backend_api, deserialize);
  STRUCT(gn_query_in);
  FIELD(gn_query_in, struct_size);
  FIELD(gn_query_in, abi_major);
  FIELD(gn_query_in, abi_minor_min);
  FIELD(gn_query_in, abi_minor_max);
  FIELD(gn_query_in, reserved);
  STRUCT(gn_query_out);
  FIELD(gn_query_out, struct_size);
  FIELD(gn_query_out, abi_major);
  FIELD(gn_query_out, abi_minor);
  FIELD(gn_query_out, name);
  FIELD(gn_query_out, version);
  FIELD(gn_query_out, api);
  FIELD(gn_query_out, error);
}

void add_dlpack(std::vector<std::string>& lines) {
  STRUCT(DLDevice);
  STRUCT(DLDataType);
  STRUCT(DLTensor);
  FIELD(DLTensor, data);
  FIELD(DLTensor, device);
  FIELD(DLTensor, ndim);
  FIELD(DLTensor, dtype);
  FIELD(DLTensor, shape);
  FIELD(DLTensor, strides);
  FIELD(DLTensor, byte_offset);
}

std::vector<std::string> layout() {
  std::vector<std::string> lines;
  lines.push_back("abi " + std::to_string(GN_ABI_MAJOR) + "." + std::to_string(GN_ABI_MINOR));
  add_graph(lines);
  add_body(lines);
  add_calls(lines);
  add_tables(lines);
  add_dlpack(lines);
  return lines;
}

std::string file_name() {
  return tests::source_dir() + "/sdk/abi/gn_abi_" + std::to_string(GN_ABI_MAJOR) + "_" +
         std::to_string(GN_ABI_MINOR) + ".txt";
}

TEST(AbiOffsets, EqualTheFile) {
  std::ifstream file(file_name());
  std::vector<std::string> written;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') written.push_back(line);
  }
  const std::vector<std::string> ours = layout();
  const std::set<std::string> old_lines(written.begin(), written.end());
  const std::set<std::string> new_lines(ours.begin(), ours.end());
  std::ostringstream difference;
  for (const std::string& line : written) {
    if (new_lines.count(line) == 0) difference << "- " << line << '\n';
  }
  for (const std::string& line : ours) {
    if (old_lines.count(line) == 0) difference << "+ " << line << '\n';
  }
  EXPECT_EQ(written, ours) << "the ABI differs from " << file_name() << ":\n"
                           << difference.str()
                           << "raise GN_ABI_MINOR and write the file of the new version";
}

// A field that is added to a header without a line here would leave a gap.
TEST(AbiOffsets, FieldsFillTheirStructs) {
  EXPECT_EQ(sizeof(gn_backend_api), offsetof(gn_backend_api, deserialize) + sizeof(void*));
  EXPECT_EQ(sizeof(gn_host_api), offsetof(gn_host_api, graph_body) + sizeof(void*));
  EXPECT_EQ(sizeof(gn_query_out), offsetof(gn_query_out, error) + sizeof(gn_query_out::error));
  EXPECT_EQ(sizeof(gn_run_args), offsetof(gn_run_args, reserved) + sizeof(std::uint32_t));
}

}  // namespace abi_offsets_test
}  // namespace graphnet::plugin
