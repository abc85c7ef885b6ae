// SPDX-License-Identifier: MIT
#include "tvm_plugin/gpu_code.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/fusion.h"
#include "tvm_plugin/gpu_lowering.h"
#include "tvm_plugin/program_digest.h"
#include "tvm_plugin/relax_module.h"

namespace graphnet::tvm {

namespace {

namespace fs = std::filesystem;

/// On one line, and not more than a line's length.
std::string brief(std::string text) {
  constexpr std::size_t kMost = 240;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

/// False if it fails, which is then one of the refusals.
template <typename Body>
bool attempt(const std::string& name, GpuSource& source, Body body) {
  try {
    body();
    return true;
  } catch (const std::exception& error) {
    const auto* const raised = dynamic_cast<const ffi::Error*>(&error);
    source.refusals.push_back(
        name + ": " + brief(raised == nullptr ? error.what() : std::string(raised->message())));
    return false;
  }
}

/// Functions of the plugin's own are none of TVM's, so nothing generates them.
void refuse_extern(const Program& program, const KernelPlan& plan, GpuSource& source) {
  std::set<std::string> names;
  for (const std::vector<Kernel>* kernels : {&plan.bind, &plan.call}) {
    for (const Kernel& kernel : *kernels) {
      if (kernel.kind == KernelKind::kExtern) names.insert(extern_name(program.at(kernel.root)));
    }
  }
  for (const std::string& name : names) {
    source.refusals.push_back(name + ": a function of the plugin for the CPU");
  }
  source.num_kernels += static_cast<int>(names.size());
}

/// Kernels that are functions of TE, by name.
std::map<std::string, Ref> kernels_of(const Program& program, const KernelPlan& plan) {
  const RelaxModule module = make_relax_module(program, plan, Schedule::kNone);
  std::map<std::string, Ref> kernels;
  for (const auto& [variable, function] : field(module.module, "functions").cast<Map<Ref, Ref>>()) {
    if (function->GetTypeKey() != "tirx.PrimFunc") continue;
    kernels.emplace(field(variable, "name_hint").cast<String>(), function);
  }
  return kernels;
}

std::string label_of(const GpuSource& source, const std::string& sample, const Options& options) {
  std::string text =
      "// Generated with TVM's default GPU schedule, neither compiled for nor run on a device by "
      "graphnet.\n";
  text += "// sample: " + brief(sample) + "\n// made by: " + pinned_packages() +
          "\n// for: " + options.gpu_arch +
          "\n// kernels: " + std::to_string(source.num_generated) + " of " +
          std::to_string(source.num_kernels) + "\n";
  for (const std::string& refusal : source.refusals) text += "// refused: " + refusal + "\n";
  for (const std::string& launch : source.launches) text += "// launch: " + launch + "\n";
  return text + "\n";
}

std::string file_name(const Program& program, const std::string& sample, const Options& options) {
  std::string name;
  for (const char c : sample) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    name += is_plain ? c : '_';
  }
  return name + "-" + digest_of(program).substr(0, 12) + "-" + options.gpu_arch +
         (options.gpu_code == GpuCode::kCuda ? ".cu" : ".ptx");
}

/// Whole or not at all; the reason if not.
std::string write_file(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path unfinished = file.string() + "." + std::to_string(::getpid());
  std::ofstream stream(unfinished, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) fs::rename(unfinished, file, error);
  if (stream && !error) return "";
  const std::string reason = error ? error.message() : "it cannot be written";
  fs::remove(unfinished, error);
  return reason;
}

using NamedKernels = std::vector<std::pair<std::string, DeviceKernel>>;

/// Writes all kernels into one text, or all but those that fail by themselves; those that are in.
std::vector<DeviceKernel> write_together(const NamedKernels& kernels, const GpuTarget& target,
                                         GpuSource& source) {
  std::vector<DeviceKernel> all;
  for (const auto& [name, kernel] : kernels) all.push_back(kernel);
  try {
    if (!all.empty()) source.text = gpu_source(all, target);
    return all;
  } catch (const std::exception&) {
    all.clear();
  }
  for (const auto& each : kernels) {
    const bool is_written = attempt(each.first, source, [&] { gpu_source({each.second}, target); });
    if (is_written) all.push_back(each.second);
  }
  if (!all.empty()) source.text = gpu_source(all, target);
  return all;
}

}  // namespace

GpuSource generate_gpu_source(const Program& program, const Options& options, const Target& host) {
  const GpuTarget target = make_gpu_target(options.gpu_code, options.gpu_arch, host);
  const KernelPlan plan = plan_kernels(program);
  GpuSource source;
  NamedKernels lowered;
  const std::map<std::string, Ref> kernels = kernels_of(program, plan);
  source.num_kernels = static_cast<int>(kernels.size());
  for (const auto& [name, function] : kernels) {
    attempt(name, source, [&, &key = name, &kernel = function] {
      lowered.emplace_back(key, lower_for_gpu(kernel, key, target));
    });
  }
  refuse_extern(program, plan, source);
  const std::vector<DeviceKernel> all = write_together(lowered, target, source);
  source.num_generated = static_cast<int>(all.size());
  for (const DeviceKernel& kernel : all) {
    source.launches.insert(source.launches.end(), kernel.launches.begin(), kernel.launches.end());
  }
  return source;
}

std::string write_gpu_code(const Program& program, const std::string& sample,
                           const Options& options, const Target& host) {
  GpuSource source;
  try {
    source = generate_gpu_source(program, options, host);
  } catch (const std::exception& error) {
    return "none (" + brief(error.what()) + ")";
  }
  const fs::path file = fs::path(options.gpu_code_folder) / file_name(program, sample, options);
  const std::string reason = write_file(file, label_of(source, sample, options) + source.text);
  std::string line = std::to_string(source.num_generated) + " of " +
                     std::to_string(source.num_kernels) + " kernels, " +
                     (reason.empty() ? "" : "not written to ") + file.string() +
                     (reason.empty() ? "" : " (" + reason + ")");
  for (std::size_t i = 0; i < source.refusals.size(); ++i) {
    line += (i == 0 ? "; refused: " : ", ") + source.refusals[i];
  }
  return line;
}

}  // namespace graphnet::tvm
