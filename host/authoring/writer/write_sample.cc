// SPDX-License-Identifier: MIT
#include "writer/write_sample.h"

#include <cstdint>
#include <system_error>

#include "base/file.h"
#include "base/result.h"
#include "base/sha256.h"
#include "sample/beginning.h"
#include "writer/meta_text.h"

namespace graphnet::writer {

namespace fs = std::filesystem;
using base::Status;

namespace {

constexpr const char* kLabels = "graph_net.json";
constexpr std::uint64_t kMaxLabelBytes = std::uint64_t{1} << 20;

}  // namespace

base::Result<base::Json> read_labels(const fs::path& folder) {
  const fs::path file = folder / kLabels;
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, kMaxLabelBytes));
  return base::parse_json(text, file.string());
}

std::string labels_text(const base::Json& labels) {
  // As Python's json.dump(indent=4): letters outside ASCII are escaped.
  return labels.dump(4, ' ', true, base::Json::error_handler_t::replace);
}

std::string stored_hash(const graph::Program& program, TextStyle style) {
  const bool is_traced = style == TextStyle::kTraced;
  const std::string text = is_traced ? traced_code(program) : model_text(program, style);
  return base::sha256_hex(text.data(), text.size());
}

Status write_sample(const sample::Sample& sample, TextStyle style, const fs::path& folder,
                    const FileTexts& others) {
  GN_ASSIGN_OR_RETURN(const base::Json labels, read_labels(sample.folder));
  GN_RETURN_IF_ERROR(sample::copy_other_files(sample.folder, folder));
  GN_RETURN_IF_ERROR(
      base::write_file_atomic(folder / "model.py", model_text(sample.program, style)));
  GN_RETURN_IF_ERROR(
      base::write_file_atomic(folder / "weight_meta.py", meta_text(sample.metas, style)));
  GN_RETURN_IF_ERROR(base::write_file_atomic(folder / kLabels, labels_text(labels)));
  for (const auto& [name, other] : others) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(folder / name, other));
  }
  for (const char* name : {"input_meta.py", "input_tensor_constraints.py"}) {
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) continue;
    GN_RETURN_IF_ERROR(base::write_file_atomic(folder / name, ""));
  }
  return base::write_file_atomic(folder / "graph_hash.txt", stored_hash(sample.program, style));
}

}  // namespace graphnet::writer
