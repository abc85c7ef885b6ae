// SPDX-License-Identifier: MIT
#include "measure/environment.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/sha256.h"
#include "measure/kernel_file.h"

namespace graphnet::measure {

namespace {

// Value of the first line "key<blanks>: value"; "" if there is none.
std::string_view field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.substr(0, key.size()) != key) continue;
    if (line.substr(0, colon).find_first_not_of(" \t", key.size()) != std::string_view::npos) {
      continue;
    }
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
  }
  return {};
}

std::string fold_blanks(std::string_view text) {
  std::string folded;
  for (const char letter : text) {
    const bool blank = letter == ' ' || letter == '\t';
    if (blank && (folded.empty() || folded.back() == ' ')) continue;
    folded += blank ? ' ' : letter;
  }
  if (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return folded;
}

std::optional<cpu_set_t> affinity_mask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return std::nullopt;
  return mask;
}

std::string governor() {
  const auto mask = affinity_mask();
  int core = 0;
  while (mask && core < CPU_SETSIZE && !CPU_ISSET(core, &*mask)) ++core;
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(core);
  return read_kernel_line(folder + "/cpufreq/scaling_governor");
}

std::string host_hash() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return base::sha256_hex(name.data(), std::string_view(name.data()).size()).substr(0, 12);
}

void add_if_known(base::Json& environment, const char* key, std::string value) {
  if (!value.empty()) environment[key] = std::move(value);
}

void add_load_and_memory(base::Json& environment) {
  double load = 0;
  if (::getloadavg(&load, 1) == 1) environment["load_average_1m"] = load;
  struct sysinfo system = {};
  if (::sysinfo(&system) == 0) {
    environment["memory_bytes"] =
        static_cast<std::int64_t>(system.totalram) * static_cast<std::int64_t>(system.mem_unit);
  }
}

}  // namespace

int affinity_cores() {
  const auto mask = affinity_mask();
  return mask ? std::max(1, CPU_COUNT(&*mask)) : 1;
}

std::string hardware_class(std::string_view cpu_model, int threads) {
  const std::string model(cpu_model.empty() ? "unknown cpu" : cpu_model);
  return model + "/" + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string cpu_model_in(std::string_view cpuinfo) {
  for (const std::string_view key : {"model name", "Processor", "cpu model", "cpu"}) {
    std::string model = fold_blanks(field(cpuinfo, key));
    if (!model.empty()) return model;
  }
  return "";
}

std::optional<std::int64_t> peak_rss_in(std::string_view status) {
  const std::string_view value = field(status, "VmHWM");
  std::int64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), kibibytes);
  if (error != std::errc() || kibibytes < 0 || kibibytes > (std::int64_t{1} << 50)) {
    return std::nullopt;
  }
  return kibibytes * 1024;
}

std::optional<std::int64_t> peak_rss_bytes() {
  return peak_rss_in(read_kernel_file("/proc/self/status"));
}

base::Json collect_environment(int threads) {
  base::Json environment = base::Json::object();
  const std::string model = cpu_model_in(read_kernel_file("/proc/cpuinfo"));
  add_if_known(environment, "cpu_model", model);
  environment["logical_cores"] = affinity_cores();
  environment["cores_online"] = static_cast<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  utsname system = {};
  if (::uname(&system) == 0) environment["kernel"] = std::string(system.release);
  add_load_and_memory(environment);
  add_if_known(environment, "cpu_governor", governor());
  add_if_known(environment, "host_hash", host_hash());
  environment["hardware_class"] = hardware_class(model, threads);
  return environment;
}

}  // namespace graphnet::measure
