// SPDX-License-Identifier: MIT
#include "worker/reference_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/file.h"
#include "base/sha256.h"
#include "eager/engine.h"
#include "measure/environment.h"
#include "measure/kernel_file.h"
#include "sample/replay.h"

namespace graphnet::worker {

namespace fs = std::filesystem;
using base::Json;

namespace {

constexpr const char* kSchema = "graphnet.reference/1";
constexpr std::size_t kHashDigits = 64;
// What a killed worker left behind is removed once no living one can still be writing it.
constexpr std::chrono::hours kAbandoned{1};

std::string digest_of(const std::string& text) {
  return base::sha256_hex(text.data(), text.size());
}

/// Everything behind the first line: the key and the shapes as JSON, then the bytes.
std::string content_of(const std::string& key, const std::vector<KeptOutput>& outputs) {
  Json head = {{"schema", kSchema}, {"key", key}, {"outputs", Json::array()}};
  for (const KeptOutput& output : outputs) {
    head["outputs"].push_back({{"dtype", base::dtype_name(output.dtype)}, {"shape", output.shape}});
  }
  std::string content = base::dump_json(head) + "\n";
  for (const KeptOutput& output : outputs) {
    content.append(reinterpret_cast<const char*>(output.bytes.data()), output.bytes.num_bytes());
  }
  return content;
}

/// Only called with a content whose digest agrees: what does not fit was written by another
/// version.
std::optional<std::vector<KeptOutput>> outputs_in(const std::string& content,
                                                  const std::string& key) {
  const std::size_t end = std::min(content.find('\n'), content.size());
  const auto head = base::parse_json(content.substr(0, end), "reference");
  if (!head.is_ok() || !head->is_object()) return std::nullopt;
  const auto is = [&](const char* name, const std::string& text) {
    const auto found = head->find(name);
    return found != head->end() && *found == Json(text);
  };
  if (!is("schema", kSchema) || !is("key", key)) return std::nullopt;
  std::vector<KeptOutput> outputs;
  std::size_t at = std::min(end + 1, content.size());
  for (const Json& entry : (*head)["outputs"]) {
    const auto dtype = base::dtype_from_name(entry.value("dtype", ""));
    if (!dtype) return std::nullopt;
    auto output = allocate_output(*dtype, entry.value("shape", std::vector<std::int64_t>()));
    if (!output.is_ok() || output->bytes.num_bytes() > content.size() - at) return std::nullopt;
    std::memcpy(output->bytes.data(), content.data() + at, output->bytes.num_bytes());
    at += output->bytes.num_bytes();
    outputs.push_back(std::move(output).value());
  }
  return outputs;
}

/// Without fsync, unlike base::write_file_atomic(): what a power cut tears is found by its digest.
bool write_by_rename(const fs::path& file, const std::string& digest, const std::string& content) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::string name = (file.parent_path() / "new-XXXXXX").string();
  const base::UniqueFd fd(::mkostemp(name.data(), O_CLOEXEC));
  if (!fd.is_open()) return false;
  const bool is_written = base::write_all(fd.get(), digest + "\n").is_ok() &&
                          base::write_all(fd.get(), content).is_ok() &&
                          ::rename(name.c_str(), file.c_str()) == 0;
  if (!is_written) ::unlink(name.c_str());
  return is_written;
}

struct Entry {
  fs::file_time_type used;
  std::uint64_t num_bytes = 0;
  fs::path path;
};

/// Removes what was not used for longest until the folder is within the bound. Others may remove
/// the same at the same time.
void trim(const fs::path& folder, std::uint64_t max_bytes) {
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code gone;
    Entry entry = {file->last_write_time(gone), file->file_size(gone), file->path()};
    if (gone) continue;
    const bool is_result = entry.path.extension() == ".ref";
    if (!is_result && now - entry.used > kAbandoned) fs::remove(entry.path, gone);
    if (!is_result) continue;
    total += entry.num_bytes;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes) break;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.num_bytes;
  }
}

/// Size and time of the running program: another build may generate other inputs.
std::string build_stamp() {
  struct stat status = {};
  if (::stat("/proc/self/exe", &status) != 0) return "unknown";
  return std::to_string(status.st_size) + "." + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

fs::path ReferenceCache::file_of(const std::string& what) const {
  const std::string name = digest_of(identity_ + "\n" + what);
  return folder_ / name.substr(0, 1) / (name + ".ref");
}

std::optional<std::vector<KeptOutput>> ReferenceCache::find(const std::string& what) {
  if (!is_on()) return std::nullopt;
  const fs::path file = file_of(what);
  const auto text = base::read_file(file, max_bytes_);
  if (!text.is_ok()) return std::nullopt;
  std::optional<std::vector<KeptOutput>> outputs;
  if (text->size() > kHashDigits && (*text)[kHashDigits] == '\n') {
    const std::string content = text->substr(kHashDigits + 1);
    if (text->compare(0, kHashDigits, digest_of(content)) == 0) {
      outputs = outputs_in(content, identity_ + "\n" + what);
    }
  }
  report_[outputs ? "found" : "damaged"].push_back(what);
  if (outputs) {
    ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // used now
  } else {
    ::unlink(file.c_str());
  }
  return outputs;
}

void ReferenceCache::store(const std::string& what, const std::vector<KeptOutput>& outputs) {
  if (!is_on()) return;
  std::uint64_t num_bytes = 0;
  for (const KeptOutput& output : outputs) num_bytes += output.bytes.num_bytes();
  const std::uint64_t share = max_bytes_ / kNumParts;
  if (num_bytes > share / 2) return;
  const fs::path file = file_of(what);
  const std::string content = content_of(identity_ + "\n" + what, outputs);
  if (!write_by_rename(file, digest_of(content), content)) return;
  report_["stored"].push_back(what);
  trim(file.parent_path(), share);
}

void ReferenceCache::distrust(const std::string& what) {
  report_["differing"].push_back(what);
  folder_.clear();
}

std::string reference_identity(const std::string& sample_sha256, const journal::Task& task) {
  const eager::EngineVersion version = eager::engine_version();
  const Json parts = {
      {"sample", sample_sha256},
      {"libtorch", version.torch_version},
      {"instructions", version.cpu_capability},
      {"processor", measure::cpu_model_in(measure::read_kernel_file("/proc/cpuinfo"))},
      {"device", task.device},
      {"threads", task.threads},
      {"math", base::to_json(task.math)},
      {"seed", sample::kReplaySeed},
      {"program", build_stamp()}};
  return base::dump_json(parts);
}

}  // namespace graphnet::worker
