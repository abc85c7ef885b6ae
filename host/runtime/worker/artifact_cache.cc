// SPDX-License-Identifier: MIT
#include "worker/artifact_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "artifact/file_digest.h"
#include "base/dtype.h"
#include "base/file.h"
#include "base/sha256.h"
#include "graph/graph_text.h"
#include "graphnet/abi.h"

namespace graphnet::worker {

using base::Code;
using base::Result;
using base::Status;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 32U;

/// Why files of this folder may not be run; empty if they may.
std::string distrust(const fs::path& folder) {
  struct stat state = {};
  if (::stat(folder.c_str(), &state) != 0) return std::strerror(errno);
  if (!S_ISDIR(state.st_mode)) return "it is not a folder";
  if (state.st_uid != ::geteuid()) return "it belongs to another user";
  if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write to it";
  return "";
}

}  // namespace

std::string artifact_key(const journal::Task& task, const plugin::Signature& signature) {
  nlohmann::json made_from = {
      {"abi", std::to_string(GN_ABI_MAJOR) + "." + std::to_string(GN_ABI_MINOR)},
      {"plugin", task.plugin_name},
      {"plugin_sha256", task.plugin_sha256},
      {"options", nlohmann::json(task.plugin_options)},
      {"device", task.device},
      {"threads", task.threads},
      {"weights", task.weights},
      {"math", nlohmann::json(base::to_json(task.math))},
      {"processor", artifact::processor_digest()}};
  base::Sha256 digest;
  const auto add = [&](const std::string& text) { digest.update(text.data(), text.size()); };
  add(made_from.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace));
  if (signature.body != nullptr) add(graph::print_graph(*signature.body));
  for (std::size_t i = 0; i < signature.known.size(); ++i) {
    if (signature.known[i] == nullptr) continue;
    const plugin::SignatureEntry& entry = signature.arguments[i];
    const std::int64_t count = base::num_elements(entry.shape).value_or(0);
    digest.update(signature.known[i],
                  static_cast<std::size_t>(count) * base::dtype_bytes(entry.dtype));
  }
  return digest.finish();
}

Result<ArtifactCache> ArtifactCache::open(const fs::path& folder) {
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (is_new) fs::permissions(folder, fs::perms::owner_all, error);
  const std::string reason = error ? error.message() : distrust(folder);
  if (reason.empty()) return ArtifactCache(folder);
  return Status(Code::kEnvironment,
                "cannot use the artifact cache '" + folder.string() + "': " + reason);
}

std::optional<std::string> ArtifactCache::find(const std::string& key) const {
  Result<std::string> bytes = base::read_file(file_of(key), kMaxBytes);
  if (!bytes.is_ok()) return std::nullopt;
  return std::move(bytes).value();
}

Status ArtifactCache::keep(const std::string& key, const std::string& bytes) const {
  return base::write_file_atomic(file_of(key), bytes);
}

}  // namespace graphnet::worker
