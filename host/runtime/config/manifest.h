// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/opened_library.h"
#include "config/option_schema.h"
#include "config/started_program.h"

namespace graphnet::config {

inline constexpr const char* kPluginSchema = "graphnet/plugin/v1";

/// Name of the file that describes a plugin, beside its library.
inline constexpr const char* kManifestName = "plugin.yaml";

/// Capability of a plugin whose `run` may be captured in a CUDA graph and replayed: it leaves all
/// its work to the stream of the call, allocates nothing and waits for nothing. See protocol
/// `replay`.
inline constexpr const char* kGraphCapturable = "graph_capturable";

/// Capability of a plugin whose `run` hands its work to a process that is not of this worker, such
/// as one in a container: the verdict is `reported` where it would be `proven`. See
/// proof/verdict.h.
inline constexpr const char* kRunsElsewhere = "runs_elsewhere";

/// The pip requirements file beside plugin.yaml that pins the wheels of a plugin's compiler.
inline constexpr const char* kRequirementsName = "requirements.txt";

/// A library that the plugin is linked with or opens itself; named so that its absence can be
/// explained.
struct NeededLibrary {
  std::string soname;
  std::string hint;
  /// For one in a wheel of the requirements file: where it is unpacked for the running user. The
  /// host opens it before the plugin. Empty if there is none; then the loader looks for it.
  std::filesystem::path file;
};

/// What plugin.yaml says about a plugin; everything known before any of its code runs.
struct Manifest {
  std::filesystem::path file;     ///< plugin.yaml as found
  std::string name;               ///< [a-z][a-z0-9_-]{0,31}
  std::string version;            ///< begins with a digit
  std::string vendor;             ///< empty if not given
  std::string license;            ///< SPDX expression; empty if not given
  std::filesystem::path library;  ///< real absolute path
  int abi_major = 0;
  int abi_minor = 0;
  std::vector<std::string> devices;  ///< "cpu", "cuda"
  std::vector<std::string> weights;  ///< "bound", "frozen", "per_call"
  std::vector<NeededLibrary> needs;
  std::vector<OpenedLibrary> opens;
  std::vector<StartedProgram> starts;
  std::vector<OptionSpec> options;
  std::vector<std::string> capabilities;
  /// Functions and operators of libtorch that the compiler calls by design, as patterns of
  /// fnmatch(3): "aoti_torch_cpu_mm_out", "aten::convolution*". See proof/verdict.h.
  std::vector<std::string> calls_libtorch;

  bool has_capability(const std::string& capability) const;
  /// The files of `needs`, which are opened before the library.
  ///
  /// order    of `needs`
  std::vector<std::filesystem::path> opened_before() const;
};

/// Reads a plugin.yaml. The library must exist and, with symbolic links resolved, lie in the folder
/// of the manifest or below.
///
/// errors   kInput with file, line and column
base::Result<Manifest> read_manifest(const std::filesystem::path& file);

/// True for a name that a plugin may have.
bool is_plugin_name(const std::string& name);

}  // namespace graphnet::config
