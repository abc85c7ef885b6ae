// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "journal/worker_message.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// Outputs of the reference that other workers have computed, in a folder: one file a result, found
/// by what it depends on. Never times.
///
/// A file begins with the SHA-256 of what follows, so that a damaged one is noticed, removed and
/// made again. Files appear by rename: workers may share a folder, also over a network. The folder
/// is held below a size; what was not used for longest goes first.
///
/// A plugin's code runs in the process that fills the cache, and with the user's rights: it can
/// spoil what others will be compared with. So it is off unless asked for.
class ReferenceCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30U;
  /// The bound is kept in each of these subfolders by itself, so that one file added means one
  /// sixteenth of them looked at.
  static constexpr std::uint64_t kNumParts = 16;

  /// Off: finds nothing and keeps nothing.
  ReferenceCache() = default;

  /// `identity`: everything but the kind of result that its bits depend on, see
  /// reference_identity().
  ReferenceCache(std::filesystem::path folder, std::string identity,
                 std::uint64_t max_bytes = kMaxBytes)
      : folder_(std::move(folder)), identity_(std::move(identity)), max_bytes_(max_bytes) {}

  bool is_on() const { return !folder_.empty(); }

  /// `what`: "eager", "float64", "inputs zeros", ...; nothing if it is not there or damaged.
  std::optional<std::vector<KeptOutput>> find(const std::string& what);

  /// Keeps a result. What is too large (half of a subfolder's share) or cannot be written is left
  /// out: a cache that fails costs time and nothing else.
  void store(const std::string& what, const std::vector<KeptOutput>& outputs);

  /// Notes that a result is not what this process computed; nothing more is found or kept then.
  void distrust(const std::string& what);

  /// For the record: {"found": ["eager", ...], "stored": [...], "damaged": [...], "differing":
  /// [...]}, each only if it has any.
  const base::Json& report() const { return report_; }

 private:
  std::filesystem::path file_of(const std::string& what) const;

  std::filesystem::path folder_;
  std::string identity_;
  std::uint64_t max_bytes_ = kMaxBytes;
  base::Json report_ = base::Json::object();
};

/// Text of what decides the bits of a reference result: the sample's files, libtorch and the
/// instructions and processor it chooses kernels by, device, threads, math policy, seed, and this
/// very build of the program that generates inputs and runs the graph.
std::string reference_identity(const std::string& sample_sha256, const journal::Task& task);

}  // namespace graphnet::worker
