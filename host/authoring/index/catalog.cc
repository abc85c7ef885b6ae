// SPDX-License-Identifier: MIT
#include "index/catalog.h"

#include <map>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "index/index_file.h"
#include "journal/database.h"
#include "sample/sample.h"

namespace graphnet::index {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

using Positions = std::unordered_map<std::string, std::size_t>;

Positions positions_of(const std::vector<CatalogSample>& samples) {
  Positions positions;
  for (std::size_t i = 0; i < samples.size(); ++i) positions.emplace(samples[i].uid, i);
  return positions;
}

fs::path find_folder(const std::string& tree, const fs::path& file, const CatalogSample& sample) {
  const fs::path type = type_name(sample.type);
  const fs::path beside = file.parent_path().empty() ? "." : file.parent_path();
  for (const fs::path& root : {fs::path(tree), fs::path(tree) / type, beside / type, beside}) {
    const fs::path folder = root / sample.relative_path;
    if (!root.empty() && sample::is_sample(folder)) return folder;
  }
  return {};
}

Result<std::vector<std::string>> read_op_names(const Json& text) {
  GN_ASSIGN_OR_RETURN(const Json list, base::parse_json(text.get<std::string>(), "op_names_json"));
  std::vector<std::string> names;
  for (const Json& one : list) {
    const auto name = one.find("op_name");
    if (name == one.end() || !name->is_string()) {
      return Status(Code::kInput, "op_names_json holds no list of operators");
    }
    names.push_back(name->get<std::string>());
  }
  return names;
}

Result<CatalogSample> read_sample(const std::vector<Json>& row, const fs::path& file) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (!row[i].is_string())
      return Status(Code::kInput, "table graph_sample has a row of no texts");
  }
  CatalogSample sample;
  sample.uid = row[0].get<std::string>();
  sample.relative_path = row[1].get<std::string>();
  const auto type = type_from_name(row[2].get<std::string>());
  if (!type) return Status(Code::kInput, "unknown type of sample " + base::dump_json(row[2]));
  sample.type = *type;
  sample.folder = find_folder(row[3].get<std::string>(), file, sample);
  if (row[4].is_string()) {
    GN_ASSIGN_OR_RETURN(sample.op_names, read_op_names(row[4]));
  }
  return sample;
}

Result<Catalog> read_catalog(const fs::path& file) {
  GN_ASSIGN_OR_RETURN(const journal::Database database, journal::Database::open_file(file));
  GN_ASSIGN_OR_RETURN(
      const journal::SqlResult samples,
      database.query(
          "SELECT s.uuid, s.relative_model_path, s.sample_type, coalesce(r.repo_url, ''), "
          "l.op_names_json FROM graph_sample s LEFT JOIN repo r ON r.repo_uid = s.repo_uid "
          "LEFT JOIN sample_op_name_list l ON l.sample_uuid = s.uuid AND "
          "coalesce(l.deleted, 0) = 0 "
          "WHERE coalesce(s.deleted, 0) = 0 ORDER BY s.order_value, s.relative_model_path"));
  Catalog catalog;
  for (const std::vector<Json>& row : samples.rows) {
    GN_ASSIGN_OR_RETURN(CatalogSample sample, read_sample(row, file));
    catalog.samples.push_back(std::move(sample));
  }
  GN_ASSIGN_OR_RETURN(const journal::SqlResult groups,
                      database.query("SELECT group_uid, sample_uid FROM graph_net_sample_groups "
                                     "WHERE coalesce(deleted, 0) = 0 ORDER BY 1, 2"));
  const Positions positions = positions_of(catalog.samples);
  std::map<std::string, std::vector<std::size_t>> by_uid;
  for (const std::vector<Json>& row : groups.rows) {
    const auto found = positions.find(base::text_of(row[1]));
    if (found != positions.end()) by_uid[base::text_of(row[0])].push_back(found->second);
  }
  for (auto& [uid, members] : by_uid) catalog.groups.push_back(std::move(members));
  return catalog;
}

}  // namespace

Catalog catalog_of(const std::vector<Entry>& entries) {
  Catalog catalog;
  for (const Entry& entry : entries) {
    catalog.samples.push_back(
        {entry.uid, entry.relative_path, entry.type, entry.folder, entry.op_names});
  }
  const Positions positions = positions_of(catalog.samples);
  for (const Group& group : groups_of(members_of(entries))) {
    std::vector<std::size_t>& members = catalog.groups.emplace_back();
    for (const std::string& uid : group.members) members.push_back(positions.at(uid));
  }
  return catalog;
}

Result<Catalog> read_index(const fs::path& file) {
  Result<Catalog> catalog = read_catalog(file);
  if (catalog.is_ok() || catalog.status().code() != Code::kInput) return catalog;
  return Status(Code::kInput, "'" + file.string() + "' is no index of samples")
      .add_context(catalog.status().message())
      .add_hint("graphnet sample index DIR --output " + file.filename().string());
}

std::vector<std::vector<std::size_t>> largest_groups(const Catalog& catalog) {
  std::map<std::pair<SampleType, std::vector<std::string>>, std::vector<std::size_t>> largest;
  for (const std::vector<std::size_t>& group : catalog.groups) {
    const CatalogSample& first = catalog.samples[group[0]];
    if (!first.op_names) continue;
    std::vector<std::size_t>& known = largest[{first.type, *first.op_names}];
    if (group.size() > known.size()) known = group;
  }
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [sequence, group] : largest) groups.push_back(std::move(group));
  return groups;
}

}  // namespace graphnet::index
