// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/dense_tensor.h"
#include "base/dtype.h"
#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "verify/tensor_view.h"

namespace graphnet::outputs {

struct NamedTensor {
  std::string name;
  verify::TensorView view;
};

/// Text by name; what begins with "graphnet." is the writer's.
using Metadata = std::map<std::string, std::string>;

/// Writes tensors as a file that every reader of the format reads, in one step (temporary file and
/// rename). The format has no complex numbers in all its versions: such a tensor is stored as its
/// parts, with one dimension more of size 2, and named in `graphnet.complex`, by which
/// SafetensorsFile gives it back. `graphnet.sha256` is the digest of all elements.
///
/// errors   kInput: a name occurs twice, or is that of the metadata; kEnvironment: the disk is full
///          or there is no permission; a file that was there is untouched
/// source   the format's README: 8 bytes of length, a JSON object, the elements without gaps
base::Status write_safetensors(const std::filesystem::path& file,
                               const std::vector<NamedTensor>& tensors, Metadata metadata);

/// A file of that format whose beginning has been read and checked against its size.
class SafetensorsFile {
 public:
  /// errors   kInput, naming file and reason: no such file, cut short or too long, offsets that do
  ///          not fit types and shapes, an element type that is not known
  static base::Result<SafetensorsFile> open(const std::filesystem::path& file);

  const Metadata& metadata() const { return metadata_; }
  /// Names of all tensors, sorted.
  std::vector<std::string> names() const;

  /// All tensors by name, their digest checked if the file has one.
  ///
  /// errors   kInput: the file became shorter, or its elements are not what was written;
  ///          kEnvironment: no memory
  base::Result<std::map<std::string, base::DenseTensor>> read() const;

 private:
  struct Entry {
    std::string name;
    base::DType dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  // of the elements
    std::uint64_t end = 0;
  };

  base::Status read_header(const std::string& text, std::uint64_t data_bytes);
  base::Status add_entry(const std::string& name, const base::Json& json);
  base::Status restore_complex();
  base::Result<base::DenseTensor> read_entry(const Entry& entry) const;

  std::filesystem::path path_;
  base::UniqueFd fd_;
  std::uint64_t data_begin_ = 0;
  std::vector<Entry> entries_;  // by offset
  Metadata metadata_;
};

}  // namespace graphnet::outputs
