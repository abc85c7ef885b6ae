// SPDX-License-Identifier: MIT
#include "index/tables.h"

namespace graphnet::index {

namespace {

constexpr const char* kCreated = "create_at DATETIME DEFAULT CURRENT_TIMESTAMP";
constexpr const char* kDeleted = "deleted BOOLEAN DEFAULT FALSE";
constexpr const char* kDeletedAt = "delete_at DATETIME";
constexpr const char* kOfSampleUuid = "FOREIGN KEY (sample_uuid) REFERENCES graph_sample(uuid)";
constexpr const char* kOfSampleUid = "FOREIGN KEY (sample_uid) REFERENCES graph_sample(uuid)";
constexpr const char* kOfGeneralized =
    "FOREIGN KEY (generalized_graph_uuid) REFERENCES graph_sample(uuid)";
constexpr const char* kOfOriginal =
    "FOREIGN KEY (original_graph_uuid) REFERENCES graph_sample(uuid)";

std::vector<Table> sample_tables() {
  return {
      {"repo",
       {"repo_uid VARCHAR(255) NOT NULL PRIMARY KEY", "repo_type VARCHAR(50) NOT NULL",
        "repo_name VARCHAR(255) NOT NULL", "repo_url TEXT"},
       {},
       {}},
      {"graph_sample",
       {"uuid VARCHAR(255) NOT NULL PRIMARY KEY", "repo_uid VARCHAR(255) NOT NULL",
        "relative_model_path TEXT NOT NULL", "sample_type VARCHAR(50) NOT NULL",
        "is_subgraph BOOLEAN DEFAULT FALSE", "num_ops INTEGER DEFAULT -1",
        "graph_hash VARCHAR(255) NOT NULL", "order_value INTEGER", kCreated, kDeleted, kDeletedAt},
       {"FOREIGN KEY (repo_uid) REFERENCES repo(repo_uid)"},
       {{"idx_relative_model_path", "relative_model_path"},
        {"idx_graph_hash", "graph_hash"},
        {"idx_order_value", "order_value"},
        {"uq_relative_model_path_repo_uid", "relative_model_path, repo_uid, sample_type", true}}},
      {"sample_op_name",
       {"sample_uuid VARCHAR(255) NOT NULL", "op_name VARCHAR(255) NOT NULL",
        "op_idx INTEGER NOT NULL", "op_size INTEGER NOT NULL", kCreated, kDeletedAt, kDeleted},
       {kOfSampleUuid, "PRIMARY KEY (sample_uuid, op_idx)"},
       {{"idx_sample_op_name_sample_uuid", "sample_uuid"},
        {"idx_sample_op_name_op_name", "op_name"}}},
      {"sample_op_name_list",
       {"sample_uuid VARCHAR(255) NOT NULL PRIMARY KEY", "op_names_json TEXT NOT NULL", kCreated,
        kDeletedAt, kDeleted},
       {kOfSampleUuid},
       {{"idx_sample_op_name_list_op_names", "op_names_json"}}},
      {"sample_input_tensor_meta",
       {"sample_uuid VARCHAR(255) NOT NULL", "input_name VARCHAR(255) NOT NULL",
        "input_idx INTEGER NOT NULL", "shape TEXT NOT NULL", "dtype VARCHAR(50) NOT NULL", kCreated,
        kDeletedAt, kDeleted},
       {kOfSampleUuid, "PRIMARY KEY (sample_uuid, input_name, shape, dtype)"},
       {{"idx_sample_input_tensor_meta_sample_uid", "sample_uuid"},
        {"idx_sample_input_tensor_meta_shape", "shape"},
        {"idx_sample_input_tensor_meta_dtype", "dtype"}}},
  };
}

std::vector<Table> source_tables() {
  return {
      {"subgraph_source",
       {"subgraph_uuid VARCHAR(255) NOT NULL PRIMARY KEY", "full_graph_uuid VARCHAR(255) NOT NULL",
        "range_start INTEGER NOT NULL", "range_end INTEGER NOT NULL", kCreated, kDeleted,
        kDeletedAt},
       {"FOREIGN KEY (subgraph_uuid) REFERENCES graph_sample(uuid)",
        "FOREIGN KEY (full_graph_uuid) REFERENCES graph_sample(uuid)"},
       {{"idx_subgraph_uuid", "subgraph_uuid"}, {"idx_full_graph_uuid", "full_graph_uuid"}}},
      {"dimension_generalization_source",
       {"generalized_graph_uuid VARCHAR(255) NOT NULL PRIMARY KEY",
        "original_graph_uuid VARCHAR(255) NOT NULL", "total_element_size INTEGER NOT NULL",
        kCreated, kDeleted, kDeletedAt},
       {kOfGeneralized, kOfOriginal},
       {{"idx_dimension_generalized_graph_uuid", "generalized_graph_uuid"},
        {"idx_dimension_original_graph_uuid", "original_graph_uuid"},
        {"idx_total_element_size", "total_element_size"}}},
      {"datatype_generalization_source",
       {"generalized_graph_uuid VARCHAR(255) NOT NULL PRIMARY KEY",
        "original_graph_uuid VARCHAR(255) NOT NULL", "data_type VARCHAR(50) NOT NULL", kCreated,
        kDeleted, kDeletedAt},
       {kOfGeneralized, kOfOriginal},
       {{"idx_datatype_generalized_graph_uuid", "generalized_graph_uuid"},
        {"idx_datatype_original_graph_uuid", "original_graph_uuid"}}},
      {"backward_graph_source",
       {"forward_graph_uuid VARCHAR(255) NOT NULL PRIMARY KEY",
        "backward_graph_uuid VARCHAR(255) NOT NULL", "original_graph_uuid VARCHAR(255) NOT NULL",
        kCreated, kDeleted, kDeletedAt},
       {"FOREIGN KEY (forward_graph_uuid) REFERENCES graph_sample(uuid)",
        "FOREIGN KEY (backward_graph_uuid) REFERENCES graph_sample(uuid)", kOfOriginal},
       {{"idx_forward_graph_uuid", "forward_graph_uuid"},
        {"idx_backward_graph_uuid", "backward_graph_uuid"},
        {"idx_backward_original_graph_uuid", "original_graph_uuid"}}},
  };
}

std::vector<Table> group_tables() {
  return {
      {"graph_net_sample_buckets",
       {"sample_uid VARCHAR(255) NOT NULL PRIMARY KEY", "op_seq_bucket_id TEXT NOT NULL",
        "input_shapes_bucket_id TEXT NOT NULL", "input_dtypes_bucket_id TEXT NOT NULL", kCreated,
        kDeletedAt, kDeleted},
       {kOfSampleUid},
       {{"idx_buckets_sample_uid", "sample_uid"},
        {"idx_buckets_op_seq_bucket_id", "op_seq_bucket_id"},
        {"idx_buckets_input_shapes_bucket_id", "input_shapes_bucket_id"},
        {"idx_buckets_input_dtypes_bucket_id", "input_dtypes_bucket_id"}}},
      {"graph_net_sample_groups",
       {"sample_uid VARCHAR(255) NOT NULL", "group_uid VARCHAR(255) NOT NULL",
        "group_type VARCHAR(50) NOT NULL", "group_policy VARCHAR(50) NOT NULL",
        "policy_version VARCHAR(20) NOT NULL", kCreated, kDeletedAt, kDeleted},
       {"PRIMARY KEY (sample_uid, group_uid)", kOfSampleUid},
       {{"idx_groups_sample_uid", "sample_uid"},
        {"idx_groups_group_type", "group_type"},
        {"idx_groups_group_policy", "group_policy"},
        {"idx_groups_group_uid", "group_uid"},
        {"idx_groups_policy_version", "policy_version"}}},
  };
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = [] {
    std::vector<Table> joined = sample_tables();
    for (const auto& part : {source_tables(), group_tables()}) {
      joined.insert(joined.end(), part.begin(), part.end());
    }
    return joined;
  }();
  return all;
}

}  // namespace graphnet::index
