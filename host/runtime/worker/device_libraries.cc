// SPDX-License-Identifier: MIT
#include "worker/device_libraries.h"

#include <dlfcn.h>
#include <string.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "proof/cupti_library.h"
#include "proof/thread_signals.h"

namespace graphnet::worker {

namespace fs = std::filesystem;
using base::Json;
using base::Mapping;

namespace {

// All of CUDA's libraries for programs; "libcu" alone would take libcurl.
constexpr const char* kPrefixes[] = {
    "libcuda.",  "libcudart",  "libcublas",   "libcudnn",      "libcupti",   "libcufft",
    "libcufile", "libcurand",  "libcusolver", "libcusparse",   "libnvrtc",   "libnvJitLink",
    "libnccl",   "libnvidia-", "libnvshmem",  "libtorch_cuda", "libc10_cuda"};

std::string dotted(std::vector<long> parts) {
  std::string text;
  for (const long part : parts) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text;
}

template <typename Function>
Function look_up(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

/// cudaRuntimeGetVersion and cuDriverGetVersion: 13000 for 13.0.
std::string cuda_version(void* library, const char* name) {
  int version = 0;
  const auto get = look_up<int (*)(int*)>(library, name);
  if (get == nullptr || get(&version) != 0) return "";
  return dotted({version / 1000, version % 1000 / 10});
}

/// cublasGetProperty and cublasLtGetProperty: 0 for major, 1 for minor, 2 for the patch level.
std::string property_version(void* library, const char* name) {
  const auto get = look_up<int (*)(int, int*)>(library, name);
  if (get == nullptr) return "";
  std::vector<long> parts;
  for (const int part : {0, 1, 2}) {
    int number = 0;
    if (get(part, &number) != 0) return "";
    parts.push_back(number);
  }
  return dotted(parts);
}

/// 91300 for 9.13.0.
std::string cudnn_version(void* library) {
  const auto get = look_up<std::size_t (*)()>(library, "cudnnGetVersion");
  if (get == nullptr) return "";
  const auto version = static_cast<long>(get());
  return dotted({version / 10000, version % 10000 / 100, version % 100});
}

std::string cupti_version(void* library) {
  std::uint32_t version = 0;
  const auto get = look_up<int (*)(std::uint32_t*)>(library, "cuptiGetVersion");
  return get == nullptr || get(&version) != 0 ? "" : "interface " + std::to_string(version);
}

bool begins_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// What the library says of itself.
std::string said_version(const std::string& name, const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return "";
  if (begins_with(name, "libcuda.")) return cuda_version(library, "cuDriverGetVersion");
  if (begins_with(name, "libcudart")) return cuda_version(library, "cudaRuntimeGetVersion");
  if (begins_with(name, "libcublasLt")) return property_version(library, "cublasLtGetProperty");
  if (begins_with(name, "libcublas")) return property_version(library, "cublasGetProperty");
  if (begins_with(name, "libcudnn.")) return cudnn_version(library);
  if (begins_with(name, "libcupti")) return cupti_version(library);
  return "";
}

/// "580.159.04" of libcuda.so.580.159.04; empty if the name has a major number only.
std::string named_version(const std::string& name) {
  const std::size_t at = name.find(".so.");
  const std::string version = at == std::string::npos ? "" : name.substr(at + 4);
  return version.find('.') == std::string::npos ? "" : version;
}

bool is_of_cuda(const std::string& name) {
  for (const char* prefix : kPrefixes) {
    if (begins_with(name, prefix)) return name.find(".so") != std::string::npos;
  }
  return false;
}

Json file_or_null(const std::vector<fs::path>& folders, const char* name) {
  std::error_code failure;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name, failure)) return (folder / name).string();
  }
  return nullptr;
}

/// Folders in which a toolkit of CUDA or pip's part of one may be.
std::vector<fs::path> toolkits(const std::vector<Mapping>& mappings) {
  std::vector<fs::path> roots;
  for (const fs::path& folder : proof::folders_beside_libtorch(mappings)) {
    roots.push_back(folder.parent_path());
  }
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') roots.emplace_back(value);
  }
  roots.insert(roots.end(), {"/usr/local/cuda", "/usr/local/cuda-13.0"});
  return roots;
}

/// "SIGSEGV"; real-time signals by their number.
std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : "SIG" + std::string(name);
}

/// Kernels that are none of Linux leave fields out.
bool kernel_tells_blocked() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (begins_with(line, "SigBlk:")) return true;
  }
  return false;
}

}  // namespace

Json cuda_libraries(const std::vector<Mapping>& mappings) {
  std::map<std::string, std::string> files;
  for (const Mapping& mapping : mappings) {
    const std::string name = base::module_name(mapping.path);
    if (is_of_cuda(name)) files.emplace(name, mapping.path);
  }
  Json rows = Json::array();
  for (const auto& [name, file] : files) {
    Json row = {{"name", name}, {"file", file}};
    const std::string said = said_version(name, file);
    const std::string named = named_version(name);
    if (!said.empty() || !named.empty()) row["version"] = said.empty() ? named : said;
    if (begins_with(name, "libcuda.") && !named.empty()) row["release"] = named;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json cuda_tools(const std::vector<Mapping>& mappings) {
  std::vector<fs::path> programs;
  std::vector<fs::path> libraries;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) programs.emplace_back(folder);
  for (const fs::path& root : toolkits(mappings)) {
    programs.push_back(root / "bin");
    libraries.push_back(root / "nvvm/libdevice");
  }
  return {{"ptxas", file_or_null(programs, "ptxas")},
          {"libdevice", file_or_null(libraries, "libdevice.10.bc")}};
}

Json thread_signals() {
  const bool is_told = kernel_tells_blocked();
  Json rows = Json::array();
  for (const proof::ThreadState& thread : proof::read_threads()) {
    Json row = {{"id", thread.id}, {"name", thread.name}, {"blocked", nullptr}};
    if (is_told) row["blocked"] = Json::array();
    for (int number = 1; is_told && number < SIGRTMAX; ++number) {
      if (proof::blocks(thread, number)) row["blocked"].push_back(signal_name(number));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace graphnet::worker
