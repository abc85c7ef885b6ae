// SPDX-License-Identifier: MIT
#include "index/index_file.h"

#include <time.h>

#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "index/tables.h"
#include "journal/database.h"

namespace graphnet::index {

using base::Json;
using base::Result;
using base::Status;
using journal::Database;
using journal::Insertion;

namespace {

/// "2026-11-25 12:48:40.000001", as SQLAlchemy writes it.
std::string date_text(std::int64_t time_us) {
  const std::time_t seconds = time_us / 1000000;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> date = {};
  std::strftime(date.data(), date.size(), "%Y-%m-%d %H:%M:%S", &parts);
  std::array<char, 16> rest = {};
  std::snprintf(rest.data(), rest.size(), ".%06d", static_cast<int>(time_us % 1000000));
  return std::string(date.data()) + rest.data();
}

std::string definition_of(const Table& table) {
  std::vector<std::string> parts(table.columns.begin(), table.columns.end());
  parts.insert(parts.end(), table.keys.begin(), table.keys.end());
  std::string sql =
      std::string("CREATE TABLE ") + table.name + " (" + base::join(parts, ", ") + ");";
  for (const TableIndex& one : table.indexes) {
    sql += std::string("CREATE ") + (one.is_unique ? "UNIQUE " : "") + "INDEX " + one.name +
           " ON " + table.name + " (" + one.columns + ");";
  }
  return sql;
}

std::string op_names_json(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    parts.push_back("{\"op_name\": " + base::dump_json(names[i]) +
                    ", \"op_idx\": " + std::to_string(i) + "}");
  }
  return "[" + base::join(parts, ", ") + "]";
}

std::int64_t total_elements(const Entry& entry) {
  std::int64_t total = 0;
  for (const Tensor& tensor : entry.tensors) total += base::num_elements(tensor.shape).value_or(0);
  return total;
}

/// Fills the tables.
class Filling {
 public:
  explicit Filling(std::int64_t time_us) : time_us_(time_us) {}

  Result<IndexFile> run(const std::vector<Tree>& trees, const std::vector<Entry>& entries) {
    GN_ASSIGN_OR_RETURN(Database database, Database::in_memory());
    for (const Table& table : tables()) {
      GN_RETURN_IF_ERROR(database.execute(definition_of(table)));
      GN_ASSIGN_OR_RETURN(Insertion insertion,
                          Insertion::create(database, table.name, table.columns.size()));
      insertions_.emplace(table.name, std::move(insertion));
    }
    GN_RETURN_IF_ERROR(database.execute("PRAGMA foreign_keys = ON; BEGIN"));
    GN_RETURN_IF_ERROR(add_repos(trees));
    for (const Entry& entry : entries) {
      GN_RETURN_IF_ERROR(Status(add_sample(entry)).add_context("sample " + entry.folder.string()));
      ++time_us_;
    }
    for (const Entry& entry : entries) GN_RETURN_IF_ERROR(add_sources(entry));
    GN_RETURN_IF_ERROR(add_groups(entries));
    GN_RETURN_IF_ERROR(database.execute("COMMIT"));
    insertions_.clear();
    for (const Table& table : tables()) index_.rows.push_back(rows_[table.name]);
    GN_ASSIGN_OR_RETURN(index_.bytes, database.file_bytes());
    return std::move(index_);
  }

 private:
  Status add(const char* table, const std::vector<Json>& row) {
    ++rows_[table];
    return insertions_.at(table).add(row);
  }

  Status add_repos(const std::vector<Tree>& trees) {
    std::set<std::string> known;
    for (const Tree& tree : trees) {
      if (!known.insert(tree.repo).second) continue;
      GN_RETURN_IF_ERROR(
          add("repo", {tree.repo, "local", tree.root.filename().string(), tree.root.string()}));
    }
    return Status::ok();
  }

  Status add_sample(const Entry& entry) {
    const std::string date = date_text(time_us_);
    const bool is_piece = entry.type != SampleType::kFullGraph;
    const std::size_t num_ops = entry.op_names.size();
    GN_RETURN_IF_ERROR(
        add("graph_sample",
            {entry.uid, entry.repo, entry.relative_path, type_name(entry.type), is_piece, num_ops,
             entry.graph_hash, rows_["graph_sample"], date, false, nullptr}));
    ++index_.samples[entry.type];
    index_.num_operators += num_ops;
    if (!is_piece) {
      full_graphs_.emplace(entry.samples_path, entry.uid);
      full_graphs_.emplace(entry.relative_path, entry.uid);
    }
    GN_RETURN_IF_ERROR(add("sample_op_name_list",
                           {entry.uid, op_names_json(entry.op_names), date, nullptr, false}));
    for (std::size_t i = 0; i < num_ops; ++i) {
      GN_RETURN_IF_ERROR(
          add("sample_op_name", {entry.uid, entry.op_names[i], i, num_ops, date, nullptr, false}));
    }
    for (std::size_t i = 0; i < entry.tensors.size(); ++i) {
      const Tensor& tensor = entry.tensors[i];
      const std::string dtype = std::string("torch.") + base::dtype_name(tensor.dtype);
      GN_RETURN_IF_ERROR(add("sample_input_tensor_meta",
                             {entry.uid, tensor.name, i, base::shape_text(tensor.shape), dtype,
                              date, nullptr, false}));
    }
    return Status::ok();
  }

  Status add_sources(const Entry& entry) {
    if (!entry.origin) return Status::ok();
    const auto full = full_graphs_.find(entry.origin->path);
    if (full == full_graphs_.end()) {
      index_.without_origin.push_back(entry.relative_path);
      return Status::ok();
    }
    const std::string date = date_text(time_us_);
    GN_RETURN_IF_ERROR(add("subgraph_source", {entry.uid, full->second, entry.origin->first,
                                               entry.origin->end, date, false, nullptr}));
    if (entry.type == SampleType::kTypicalGraph || entry.type == SampleType::kFusibleGraph) {
      GN_RETURN_IF_ERROR(
          add("dimension_generalization_source",
              {entry.uid, full->second, total_elements(entry), date, false, nullptr}));
    }
    return add("datatype_generalization_source",
               {entry.uid, full->second, entry.data_type, date, false, nullptr});
  }

  Status add_groups(const std::vector<Entry>& entries) {
    const std::string date = date_text(time_us_);
    const std::vector<Member> members = members_of(entries);
    for (const Member& member : members) {
      GN_RETURN_IF_ERROR(add("graph_net_sample_buckets",
                             {member.uid, member.bucket.op_seq, member.bucket.input_shapes,
                              member.bucket.input_dtypes, date, nullptr, false}));
    }
    index_.groups = groups_of(members);
    for (const Group& group : index_.groups) {
      for (const std::string& uid : group.members) {
        ++index_.num_in_groups;
        GN_RETURN_IF_ERROR(
            add("graph_net_sample_groups",
                {uid, group.uid, "ai4c", policy_of(group.rule), "1.0", date, nullptr, false}));
      }
    }
    return Status::ok();
  }

  std::int64_t time_us_;
  std::map<std::string, Insertion> insertions_;  // by table
  std::map<std::string, std::size_t> rows_;
  std::map<std::string, std::string> full_graphs_;  // uids by path
  IndexFile index_;
};

}  // namespace

Result<IndexFile> make_index(const std::vector<Tree>& trees, const std::vector<Entry>& entries,
                             std::int64_t time_us) {
  return Filling(time_us).run(trees, entries);
}

std::vector<Member> members_of(const std::vector<Entry>& entries) {
  std::vector<Member> members;
  for (const Entry& entry : entries) {
    if (entry.type == SampleType::kFullGraph) continue;
    members.push_back({entry.uid, entry.type, bucket_of(entry)});
  }
  return members;
}

}  // namespace graphnet::index
