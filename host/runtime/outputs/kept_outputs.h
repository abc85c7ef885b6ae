// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/dense_tensor.h"
#include "base/result.h"
#include "record/record.h"
#include "verify/tensor_view.h"

namespace graphnet::outputs {

/// Outputs of one sample with one backend, as a safetensors file keeps them: tensors "eager.0",
/// "eager.1", ..., "plugin.0", ... in return order, from the first call of each side on the
/// sample's own arguments; metadata "graphnet.schema", "graphnet.record" (the record as it was
/// known then: sample and its hash, digest of the arguments, seed, plugin and its options,
/// protocol, device, machine, durations; no verdict of the proof) and "graphnet.names" (the
/// program's names of the outputs, a JSON list).
///
/// Rules for the schema as for records (record/record.h).
inline constexpr const char* kOutputsSchema = "graphnet.outputs/1";

/// Where a folder has them: FOLDER/SAMPLE/BACKEND.safetensors. `backend` as Record::backend_name().
std::filesystem::path kept_file(const std::filesystem::path& folder, const std::string& sample,
                                const std::string& backend);

/// What one side returned, borrowed.
struct ReturnedOutputs {
  std::vector<verify::TensorView> eager;
  std::vector<verify::TensorView> plugin;  ///< none: it never came to a call
  std::vector<std::string> names;          ///< none: not known
};

/// Writes the file in one step, its folders if they are missing.
///
/// errors   kEnvironment as base::write_file_atomic(), or a folder cannot be made
base::Status keep_outputs(const std::filesystem::path& file, const record::Record& record,
                          const ReturnedOutputs& returned);

/// Removes what an earlier run left there, so that nobody takes it for this run's: the file, and
/// parts of files of processes that were killed.
///
/// errors   kEnvironment: it cannot be removed
base::Status remove_kept(const std::filesystem::path& file);

/// What is known without reading the tensors.
struct KeptFacts {
  std::filesystem::path file;
  record::Record record;
  std::vector<std::string> names;
};

struct KeptOutputs {
  KeptFacts facts;
  std::vector<base::DenseTensor> eager;
  std::vector<base::DenseTensor> plugin;
};

/// errors   kInput naming the file: as SafetensorsFile, or it holds no outputs, or those of a newer
///          schema
base::Result<KeptFacts> read_kept_facts(const std::filesystem::path& file);
base::Result<KeptOutputs> read_kept_outputs(const std::filesystem::path& file);

/// All files of a folder.
struct KeptFolder {
  std::vector<KeptFacts> kept;           ///< sorted by sample and backend
  std::vector<base::Status> unreadable;  ///< one for each file that cannot be used
};

/// errors   kInput: no such folder, or no such file in it
base::Result<KeptFolder> read_kept_folder(const std::filesystem::path& folder);

}  // namespace graphnet::outputs
