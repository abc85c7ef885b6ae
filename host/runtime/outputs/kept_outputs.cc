// SPDX-License-Identifier: MIT
#include "outputs/kept_outputs.h"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "base/field_reader.h"
#include "base/json.h"
#include "outputs/safetensors.h"

namespace graphnet::outputs {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kSuffix = ".safetensors";
constexpr int kNewestSchema = 1;
constexpr const char* kSchemaKey = "graphnet.schema";
constexpr const char* kRecordKey = "graphnet.record";
constexpr const char* kNamesKey = "graphnet.names";

std::string tensor_name(const char* side, std::size_t index) {
  return side + ("." + std::to_string(index));
}

Result<Json> read_member(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return Status(Code::kInput, std::string("it has no ") + key);
  return base::parse_json(found->second, key);
}

Result<KeptFacts> facts_of(const Metadata& metadata) {
  const auto schema = metadata.find(kSchemaKey);
  if (schema == metadata.end()) {
    return Status(Code::kInput, "it holds no outputs that graphnet kept");
  }
  GN_RETURN_IF_ERROR(
      base::check_schema(Json({{"schema", schema->second}}), "graphnet.outputs", kNewestSchema));
  KeptFacts facts;
  GN_ASSIGN_OR_RETURN(Json record, read_member(metadata, kRecordKey));
  GN_ASSIGN_OR_RETURN(facts.record, record::record_from_json(std::move(record)));
  GN_ASSIGN_OR_RETURN(const Json names, read_member(metadata, kNamesKey));
  for (const Json& name : names) {
    if (name.is_string()) facts.names.push_back(name.get<std::string>());
  }
  return facts;
}

Status of_file(const fs::path& file, const Status& status) {
  return Status(status.code(), "'" + file.string() + "': " + status.message());
}

std::vector<base::DenseTensor> take_side(std::map<std::string, base::DenseTensor>& tensors,
                                         const char* side) {
  std::vector<base::DenseTensor> taken;
  for (auto found = tensors.find(tensor_name(side, 0)); found != tensors.end();
       found = tensors.find(tensor_name(side, taken.size()))) {
    taken.push_back(std::move(found->second));
  }
  return taken;
}

}  // namespace

fs::path kept_file(const fs::path& folder, const std::string& sample, const std::string& backend) {
  return folder / sample / (backend + kSuffix);
}

Status keep_outputs(const fs::path& file, const record::Record& record,
                    const ReturnedOutputs& returned) {
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (failure) {
    return Status(Code::kEnvironment,
                  "cannot create '" + file.parent_path().string() + "': " + failure.message());
  }
  std::vector<NamedTensor> tensors;
  for (const auto& [side, all] :
       {std::pair("eager", &returned.eager), {"plugin", &returned.plugin}}) {
    for (std::size_t i = 0; i < all->size(); ++i) {
      tensors.push_back({tensor_name(side, i), (*all)[i]});
    }
  }
  return write_safetensors(file, tensors,
                           {{kSchemaKey, kOutputsSchema},
                            {kRecordKey, base::dump_json(record::to_json(record))},
                            {kNamesKey, base::dump_json(returned.names)}});
}

Status remove_kept(const fs::path& file) {
  std::error_code failure;
  const std::string part = file.filename().string() + ".";
  std::vector<fs::path> old = {file};
  for (fs::directory_iterator entry(file.parent_path(), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.size() == part.size() + 6 && name.rfind(part, 0) == 0) old.push_back(entry->path());
  }
  for (const fs::path& one : old) {
    fs::remove(one, failure);
    if (failure && failure != std::errc::no_such_file_or_directory &&
        failure != std::errc::not_a_directory) {
      return Status(Code::kEnvironment,
                    "cannot remove '" + one.string() + "': " + failure.message());
    }
  }
  return Status::ok();
}

Result<KeptFacts> read_kept_facts(const fs::path& file) {
  GN_ASSIGN_OR_RETURN(const SafetensorsFile opened, SafetensorsFile::open(file));
  Result<KeptFacts> facts = facts_of(opened.metadata());
  if (!facts.is_ok()) return of_file(file, facts.status());
  facts->file = file;
  return facts;
}

Result<KeptOutputs> read_kept_outputs(const fs::path& file) {
  GN_ASSIGN_OR_RETURN(const SafetensorsFile opened, SafetensorsFile::open(file));
  Result<KeptFacts> facts = facts_of(opened.metadata());
  if (!facts.is_ok()) return of_file(file, facts.status());
  GN_ASSIGN_OR_RETURN(auto tensors, opened.read());
  KeptOutputs outputs;
  outputs.facts = std::move(facts).value();
  outputs.facts.file = file;
  outputs.eager = take_side(tensors, "eager");
  outputs.plugin = take_side(tensors, "plugin");
  return outputs;
}

Result<KeptFolder> read_kept_folder(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().extension() == kSuffix) files.push_back(entry->path());
  }
  if (failure) {
    return Status(Code::kInput, "cannot read '" + folder.string() + "': " + failure.message());
  }
  if (files.empty()) {
    return Status(Code::kInput, "'" + folder.string() + "' holds no kept outputs")
        .add_hint("graphnet run ... --keep-outputs " + folder.string());
  }
  std::sort(files.begin(), files.end());
  KeptFolder all;
  for (const fs::path& file : files) {
    Result<KeptFacts> facts = read_kept_facts(file);
    if (facts.is_ok()) {
      all.kept.push_back(std::move(facts).value());
    } else {
      all.unreadable.push_back(facts.status());
    }
  }
  return all;
}

}  // namespace graphnet::outputs
