// SPDX-License-Identifier: MIT
#include "measure/environment.h"

#include <fcntl.h>
#include <sched.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/file.h"
#include "base/kernel_file.h"
#include "base/sha256.h"
#include "measure/disturbance.h"

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
  return base::read_kernel_line(folder + "/cpufreq/scaling_governor");
}

std::string host_hash() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return base::sha256_hex(name.data(), std::string_view(name.data()).size()).substr(0, 12);
}

void add_if_known(base::Json& environment, const char* key, std::string value) {
  if (!value.empty()) environment[key] = std::move(value);
}

void add_flag_if_known(base::Json& environment, const char* key, const std::string& path,
                       std::string_view true_text) {
  const std::string text = base::read_kernel_line(path);
  if (!text.empty()) environment[key] = text == true_text;
}

std::string control_group_quota() {
  // A process has one line "0::/path" in version 2; in version 1 one for each controller.
  const std::string groups = base::read_kernel_file("/proc/self/cgroup");
  constexpr std::string_view kUnified = "0::";
  const std::size_t at = groups.rfind("\n" + std::string(kUnified));
  if (groups.rfind(kUnified, 0) != 0 && at == std::string::npos) return "";
  std::string path = groups.substr(at == std::string::npos ? kUnified.size() : at + 4);
  path = path.substr(0, path.find('\n'));
  return base::read_kernel_line("/sys/fs/cgroup" + path + "/cpu.max");
}

/// What decides how fast the same code runs: clock, cores, and who else wants them.
void add_cores(base::Json& environment) {
  const std::string cpu = "/sys/devices/system/cpu";
  const std::string status = base::read_kernel_file("/proc/self/status");
  add_if_known(environment, "affinity", std::string(field(status, "Cpus_allowed_list")));
  add_flag_if_known(environment, "smt", cpu + "/smt/active", "1");
  add_flag_if_known(environment, "turbo", cpu + "/cpufreq/boost", "1");
  add_flag_if_known(environment, "turbo", cpu + "/intel_pstate/no_turbo", "0");
  if (const auto quota = cpu_quota_in(control_group_quota())) environment["cpu_quota"] = *quota;
  const std::string stat = base::read_kernel_file("/proc/stat");
  if (const auto ticks = core_ticks_in(stat)) {
    environment["steal_share"] = steal_share(CoreTicks(), *ticks);
  }
  if (const auto runnable = running_in(stat)) environment["runnable"] = *runnable;
  add_if_known(
      environment, "clock_source",
      base::read_kernel_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
}

void add_memory_policy(base::Json& environment) {
  add_if_known(environment, "transparent_hugepages",
               chosen_in(base::read_kernel_file("/sys/kernel/mm/transparent_hugepage/enabled")));
  std::string allocator = allocator_in(base::read_kernel_file("/proc/self/maps"));
#ifdef __GLIBC__
  if (allocator.empty()) allocator = std::string("glibc ") + ::gnu_get_libc_version();
#endif
  add_if_known(environment, "allocator", allocator);
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

/// " (family 26 model 2)" where a name without digits stands for many generations, as hypervisors
/// give it.
std::string generation_in(std::string_view cpuinfo, const std::string& name) {
  const std::string_view family = field(cpuinfo, "cpu family");
  const std::string_view model = field(cpuinfo, "model");
  if (family.empty() || model.empty()) return "";
  if (name.find_first_of("0123456789") != std::string::npos) return "";
  return " (family " + std::string(family) + " model " + std::string(model) + ")";
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
    if (!model.empty()) return model + generation_in(cpuinfo, model);
  }
  return "";
}

std::string chosen_in(std::string_view choices) {
  const std::size_t begin = choices.find('[');
  const std::size_t end = choices.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return "";
  return std::string(choices.substr(begin + 1, end - begin - 1));
}

std::optional<double> cpu_quota_in(std::string_view cpu_max) {
  double quota = 0;
  const char* end = cpu_max.data() + cpu_max.size();
  const auto [blank, quota_error] = std::from_chars(cpu_max.data(), end, quota);
  if (quota_error != std::errc() || blank == end || *blank != ' ') return std::nullopt;
  double period = 0;
  const auto [rest, period_error] = std::from_chars(blank + 1, end, period);
  if (period_error != std::errc() || !(period > 0) || !(quota > 0)) return std::nullopt;
  return quota / period;
}

std::string allocator_in(std::string_view maps) {
  for (const std::string_view name : {"jemalloc", "tcmalloc", "mimalloc"}) {
    if (maps.find("/lib" + std::string(name)) != std::string_view::npos) return std::string(name);
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

void reset_peak_rss() {
  const base::UniqueFd fd(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  if (fd.is_open()) static_cast<void>(base::write_all(fd.get(), "5"));
}

std::optional<std::int64_t> peak_rss_bytes() {
  return peak_rss_in(base::read_kernel_file("/proc/self/status"));
}

base::Json collect_environment(int threads) {
  base::Json environment = base::Json::object();
  const std::string model = cpu_model_in(base::read_kernel_file("/proc/cpuinfo"));
  add_if_known(environment, "cpu_model", model);
  environment["logical_cores"] = affinity_cores();
  environment["cores_online"] = static_cast<std::int64_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  utsname system = {};
  if (::uname(&system) == 0) environment["kernel"] = std::string(system.release);
  add_load_and_memory(environment);
  add_if_known(environment, "cpu_governor", governor());
  add_cores(environment);
  add_memory_policy(environment);
  add_if_known(environment, "host_hash", host_hash());
  environment["hardware_class"] = hardware_class(model, threads);
  return environment;
}

}  // namespace graphnet::measure
