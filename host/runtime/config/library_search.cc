// SPDX-License-Identifier: MIT
#include "config/library_search.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "config/elf_header.h"
#include "config/given_torch.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Result;

namespace {

constexpr std::size_t kMaxLibraries = 4096;
constexpr std::size_t kMaxNearMisses = 3;

#if defined(__x86_64__)
constexpr const char* kTriplet = "x86_64-linux-gnu";
constexpr const char* kPlatform = "x86_64";
#else
constexpr const char* kTriplet = "aarch64-linux-gnu";
constexpr const char* kPlatform = "aarch64";
#endif
constexpr const char* kVariants[] = {"glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3",
                                     "glibc-hwcaps/x86-64-v2"};

std::vector<std::string> split(const std::string& list, const char* separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void replace_token(std::string& text, const std::string& token, const std::string& value) {
  for (const std::string& form : {"${" + token + "}", "$" + token}) {
    for (std::size_t at = text.find(form); at != std::string::npos; at = text.find(form, at)) {
      text.replace(at, form.size(), value);
      at += value.size();
    }
  }
}

/// Folders of a run path. $LIB differs between distributions, so each spelling is tried.
std::vector<fs::path> expand(const std::string& list, const fs::path& origin) {
  std::vector<fs::path> folders;
  for (std::string folder : split(list, ":")) {
    replace_token(folder, "ORIGIN", origin.string());
    replace_token(folder, "PLATFORM", kPlatform);
    std::set<std::string> seen;
    for (const std::string& lib :
         {std::string("lib/") + kTriplet, std::string("lib64"), std::string("lib")}) {
      std::string spelled = folder;
      replace_token(spelled, "LIB", lib);
      if (seen.insert(spelled).second) folders.emplace_back(spelled);
    }
  }
  return folders;
}

/// "libfoo.so" for "libfoo.so.1.2": what versions of one library share.
std::string stem_of(const std::string& name) {
  const std::size_t suffix = name.find(".so");
  return suffix == std::string::npos ? name : name.substr(0, suffix + 3);
}

/// Orders "GLIBCXX_3.4.9" before "GLIBCXX_3.4.30": runs of digits count as numbers.
bool is_older(const std::string& left, const std::string& right) {
  return ::strverscmp(left.c_str(), right.c_str()) < 0;
}

/// One object that is or will be loaded.
struct Node {
  fs::path path;
  ElfImage image;
  std::size_t loader = 0;  // index of the node that needs it
};

class Resolver {
 public:
  explicit Resolver(const LoaderPaths& paths) : paths_(paths) {}

  /// Loads what the program brings along; what is missing there is not the plugin's fault.
  void add_program(const fs::path& program) {
    Result<ElfImage> image = read_elf_image(program, ElfSymbols::kSkip);
    if (!image.is_ok()) return;
    nodes_.push_back({program, std::move(image).value(), 0});
    follow(0);
    closure_ = {};
  }

  Result<LibraryClosure> resolve(const std::vector<fs::path>& opened, const fs::path& plugin) {
    const std::size_t first = nodes_.size();
    GN_RETURN_IF_ERROR(open(plugin));
    for (const fs::path& library : opened) GN_RETURN_IF_ERROR(open(library));
    follow(first);
    for (std::size_t i = first; i < nodes_.size(); ++i) {
      closure_.found.push_back(nodes_[i].path);
      check_versions(nodes_[i]);
    }
    return std::move(closure_);
  }

 private:
  base::Status open(const fs::path& library) {
    GN_ASSIGN_OR_RETURN(ElfImage image, read_elf_image(library, ElfSymbols::kSkip));
    nodes_.push_back({library, std::move(image), 0});
    return base::Status::ok();
  }

  void follow(std::size_t first) {
    for (std::size_t i = first; i < nodes_.size() && nodes_.size() < kMaxLibraries; ++i) {
      const std::vector<std::string> needed = nodes_[i].image.needed;
      for (const std::string& name : needed) need(name, i);
    }
  }

  void need(const std::string& name, std::size_t by) {
    if (by_name_.count(name) != 0) return;
    const auto is_same = [&](const Node& node) { return node.image.soname == name; };
    const auto loaded = std::find_if(nodes_.begin(), nodes_.end(), is_same);
    if (loaded != nodes_.end()) {
      by_name_[name] = static_cast<std::size_t>(loaded - nodes_.begin());
      return;
    }
    Node node;
    node.loader = by;
    if (find(name, by, node)) {
      by_name_[name] = nodes_.size();
      nodes_.push_back(std::move(node));
      return;
    }
    const auto& missing = closure_.missing;
    const bool is_known = std::any_of(missing.begin(), missing.end(),
                                      [&](const auto& other) { return other.name == name; });
    if (is_known) return;
    closure_.missing.push_back(
        {name, nodes_[by].path.filename().string(), near_misses(name, folders_for(by))});
  }

  /// Takes a file if the loader would: a wrong class or machine is passed over in silence.
  static bool take(const fs::path& path, Node& node) {
    std::error_code ignored;
    if (!fs::exists(path, ignored) || !check_shared_library(path).is_ok()) return false;
    Result<ElfImage> image = read_elf_image(path, ElfSymbols::kSkip);
    if (!image.is_ok()) return false;
    node.path = path;
    node.image = std::move(image).value();
    return true;
  }

  bool find(const std::string& name, std::size_t by, Node& node) {
    if (name.find('/') != std::string::npos) {
      std::string path = name;
      replace_token(path, "ORIGIN", nodes_[by].path.parent_path().string());
      return take(path, node);
    }
    for (const fs::path& folder : folders_for(by)) {
      for (const char* variant : kVariants) {
        if (take(folder / variant / name, node)) return true;
      }
      if (take(folder / name, node)) return true;
    }
    const auto cached = paths_.cache.find(name);
    if (cached == paths_.cache.end()) return false;
    return std::any_of(cached->second.begin(), cached->second.end(),
                       [&](const fs::path& path) { return take(path, node); });
  }

  /// Folders in which the libraries of a node are looked for. The cache stands before the defaults
  /// for the loader; which of two copies is taken does not matter here.
  std::vector<fs::path> folders_for(std::size_t index) {
    std::vector<fs::path> folders;
    const auto add = [&](const std::vector<fs::path>& more) {
      folders.insert(folders.end(), more.begin(), more.end());
    };
    const Node& node = nodes_[index];
    const fs::path origin = node.path.parent_path();
    if (node.image.run_path.empty()) {
      for (std::size_t i = index, last = nodes_.size(); i != last;) {
        const Node& loader = nodes_[i];
        if (loader.image.run_path.empty()) {
          add(expand(loader.image.old_run_path, loader.path.parent_path()));
        }
        last = i;
        i = loader.loader;
      }
    }
    for (const std::string& folder : paths_.environment) add({fs::path(folder)});
    add(expand(node.image.run_path, origin));
    if (!node.image.no_default_folders) add(paths_.defaults);
    for (const fs::path& folder : folders) {
      auto& searched = closure_.searched;
      if (std::find(searched.begin(), searched.end(), folder) == searched.end()) {
        searched.push_back(folder);
      }
    }
    return folders;
  }

  std::vector<fs::path> near_misses(const std::string& name, const std::vector<fs::path>& folders) {
    const std::string stem = stem_of(name);
    std::set<fs::path> found;
    for (const fs::path& folder : folders) {
      std::error_code failure;
      for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
           entry.increment(failure)) {
        const std::string other = entry->path().filename().string();
        if (stem_of(other) == stem && other != name) found.insert(entry->path());
      }
    }
    for (const auto& [other, files] : paths_.cache) {
      if (stem_of(other) == stem && other != name) found.insert(files.front());
    }
    std::vector<fs::path> first(found.begin(), found.end());
    if (first.size() > kMaxNearMisses) first.resize(kMaxNearMisses);
    return first;
  }

  void check_versions(const Node& node) {
    for (const VersionNeed& need : node.image.version_needs) {
      const auto entry = by_name_.find(need.library);
      if (entry == by_name_.end() || need.is_weak) continue;
      const Node& provider = nodes_[entry->second];
      const auto& versions = provider.image.versions;
      // The loader only warns about a library without any versions.
      if (versions.empty() ||
          std::find(versions.begin(), versions.end(), need.version) != versions.end()) {
        continue;
      }
      const std::string family = need.version.substr(0, need.version.find('_') + 1);
      std::string newest;
      for (const std::string& version : versions) {
        const bool is_number = version.size() > family.size() &&
                               version.compare(0, family.size(), family) == 0 &&
                               version[family.size()] >= '0' && version[family.size()] <= '9';
        if (is_number && (newest.empty() || is_older(newest, version))) newest = version;
      }
      closure_.versions.push_back(
          {need.version, node.path.filename().string(), provider.path, newest});
    }
  }

  const LoaderPaths& paths_;
  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> by_name_;
  LibraryClosure closure_;
};

template <typename T>
bool read_at(const std::string& bytes, std::size_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

}  // namespace

std::map<std::string, std::vector<fs::path>> parse_loader_cache(const std::string& bytes) {
  struct CacheHeader {
    char magic[20];
    std::uint32_t num_entries;
    std::uint32_t rest[6];
  };
  struct CacheEntry {
    std::int32_t flags;
    std::uint32_t key;
    std::uint32_t value;
    std::uint32_t os_version;
    std::uint64_t hwcap;
  };
  std::map<std::string, std::vector<fs::path>> libraries;
  // An old-format cache may stand in front; offsets count from the new header.
  const std::size_t begin = bytes.find("glibc-ld.so.cache1.1");
  CacheHeader header = {};
  if (begin == std::string::npos || !read_at(bytes, begin, header)) return libraries;
  for (std::uint32_t i = 0; i < header.num_entries; ++i) {
    CacheEntry entry = {};
    if (!read_at(bytes, begin + sizeof(header) + i * sizeof(entry), entry)) break;
    const std::size_t key = begin + entry.key;
    const std::size_t value = begin + entry.value;
    if (key >= bytes.size() || value >= bytes.size()) continue;
    const std::size_t key_end = bytes.find('\0', key);
    const std::size_t value_end = bytes.find('\0', value);
    if (key_end == std::string::npos || value_end == std::string::npos) continue;
    libraries[bytes.substr(key, key_end - key)].emplace_back(
        bytes.substr(value, value_end - value));
  }
  return libraries;
}

LoaderPaths LoaderPaths::of_this_machine() {
  constexpr std::uint64_t kMaxCacheBytes = std::uint64_t{64} << 20U;
  LoaderPaths paths;
  // What is wrong with it, the worker's start says.
  const auto torch = given_torch_libraries();
  if (torch.is_ok() && *torch) paths.environment.push_back((*torch)->string());
  const char* environment = ::secure_getenv("LD_LIBRARY_PATH");
  if (environment != nullptr) {
    for (std::string& folder : split(environment, ":;")) {
      paths.environment.push_back(std::move(folder));
    }
  }
  const Result<std::string> cache = base::read_file("/etc/ld.so.cache", kMaxCacheBytes);
  if (cache.is_ok()) paths.cache = parse_loader_cache(*cache);
  for (const char* root : {"/lib/", "/usr/lib/"}) {
    paths.defaults.emplace_back(std::string(root) + kTriplet);
  }
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) {
    paths.defaults.emplace_back(folder);
  }
  return paths;
}

Result<LibraryClosure> resolve_libraries(const fs::path& plugin, const LoadedBefore& before,
                                         const LoaderPaths& paths) {
  Resolver resolver(paths);
  if (!before.host_program.empty()) resolver.add_program(before.host_program);
  return resolver.resolve(before.opened, plugin);
}

}  // namespace graphnet::config
