// SPDX-License-Identifier: MIT
#include "outputs/safetensors.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"

namespace graphnet::outputs {

using base::Code;
using base::DType;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kMetadataKey = "__metadata__";
constexpr const char* kComplexKey = "graphnet.complex";
constexpr const char* kDigestKey = "graphnet.sha256";
constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // as the format's own library
constexpr std::size_t kMaxShown = 200;                   // of a file's own words in a message

struct TypeName {
  DType dtype;
  const char* name;
};

constexpr TypeName kTypeNames[] = {{DType::kBool, "BOOL"},   {DType::kUInt8, "U8"},
                                   {DType::kInt8, "I8"},     {DType::kInt16, "I16"},
                                   {DType::kInt32, "I32"},   {DType::kInt64, "I64"},
                                   {DType::kFloat16, "F16"}, {DType::kBFloat16, "BF16"},
                                   {DType::kFloat32, "F32"}, {DType::kFloat64, "F64"}};

const char* type_name(DType dtype) {
  for (const TypeName& row : kTypeNames) {
    if (row.dtype == dtype) return row.name;
  }
  return "";
}

std::optional<DType> type_from_name(std::string_view name) {
  for (const TypeName& row : kTypeNames) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

bool is_complex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

DType part_of(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}

std::optional<DType> complex_of(DType dtype) {
  if (dtype == DType::kFloat32) return DType::kComplex64;
  if (dtype == DType::kFloat64) return DType::kComplex128;
  return std::nullopt;
}

std::string_view bytes_of(const verify::TensorView& view) {
  const auto count = static_cast<std::size_t>(verify::count_of(view));
  return {static_cast<const char*>(view.data), count * base::dtype_bytes(view.dtype)};
}

/// Wide elements first, so that each tensor is aligned to its elements.
std::vector<const NamedTensor*> stored_order(const std::vector<NamedTensor>& tensors) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return base::dtype_bytes(part_of(a->view.dtype)) > base::dtype_bytes(part_of(b->view.dtype));
  });
  return order;
}

Status check_names(const std::vector<NamedTensor>& tensors) {
  std::set<std::string> names = {kMetadataKey};
  for (const NamedTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      return Status(Code::kInput, "the tensor name '" + tensor.name + "' is taken");
    }
  }
  return Status::ok();
}

std::string digest_of(const std::vector<const NamedTensor*>& tensors) {
  base::Sha256 digest;
  for (const NamedTensor* tensor : tensors) {
    const std::string_view bytes = bytes_of(tensor->view);
    digest.update(bytes.data(), bytes.size());
  }
  return digest.finish();
}

/// Length and JSON, padded so that the elements begin at a multiple of 8.
std::string header_of(const std::vector<const NamedTensor*>& tensors, const Metadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::uint64_t begin = 0;
  for (const NamedTensor* tensor : tensors) {
    const std::uint64_t end = begin + bytes_of(tensor->view).size();
    std::vector<std::int64_t> shape = tensor->view.shape;
    if (is_complex(tensor->view.dtype)) shape.push_back(2);
    header[tensor->name] = {{"dtype", type_name(part_of(tensor->view.dtype))},
                            {"shape", shape},
                            {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = base::dump_json(header);
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  std::string length(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  }
  return length + text;
}

Status invalid(const std::string& why) {
  return Status(Code::kInput, why);
}

/// A word of the file for a message.
std::string in_quotes(const std::string& word) {
  return "'" + (word.size() > kMaxShown ? word.substr(0, kMaxShown) + "..." : word) + "'";
}

/// Nothing if there are more than 64 bits can count.
std::optional<std::uint64_t> num_bytes_of(const std::vector<std::int64_t>& shape, DType dtype) {
  const auto count = base::num_elements(shape);
  std::uint64_t num_bytes = 0;
  if (!count || __builtin_mul_overflow(*count, base::dtype_bytes(dtype), &num_bytes)) {
    return std::nullopt;
  }
  return num_bytes;
}

Status read_at(int fd, std::uint64_t offset, char* out, std::size_t num_bytes) {
  while (num_bytes > 0) {
    const ssize_t got = ::pread(fd, out, num_bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return invalid(std::string("cannot read it: ") + std::strerror(errno));
    if (got == 0) return invalid("it is cut short");
    out += got;
    offset += static_cast<std::uint64_t>(got);
    num_bytes -= static_cast<std::size_t>(got);
  }
  return Status::ok();
}

/// The JSON text, without the length in front of it.
Result<std::string> read_header_text(int fd, std::uint64_t file_bytes) {
  if (file_bytes < kLengthBytes) return invalid("it is cut short: no length");
  unsigned char length[kLengthBytes];
  GN_RETURN_IF_ERROR(read_at(fd, 0, reinterpret_cast<char*>(length), kLengthBytes));
  std::uint64_t num_bytes = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    num_bytes |= static_cast<std::uint64_t>(length[i]) << (8 * i);
  }
  if (num_bytes > kMostHeaderBytes) return invalid("it is no safetensors file");
  if (num_bytes > file_bytes - kLengthBytes) return invalid("it is cut short in its header");
  std::string text(num_bytes, '\0');
  GN_RETURN_IF_ERROR(read_at(fd, kLengthBytes, text.data(), text.size()));
  if (text.empty() || text.front() != '{') return invalid("it is no safetensors file");
  return text;
}

bool are_counts(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(),
                                        [](const Json& one) { return one.is_number_unsigned(); });
}

Result<Metadata> read_metadata(const Json& json) {
  Metadata metadata;
  if (!json.is_object()) return invalid("its metadata is no object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return invalid("its metadata " + in_quotes(key) + " is no text");
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

}  // namespace

Status write_safetensors(const std::filesystem::path& file, const std::vector<NamedTensor>& tensors,
                         Metadata metadata) {
  GN_RETURN_IF_ERROR(check_names(tensors));
  const auto order = stored_order(tensors);
  Json complex = Json::array();
  for (const NamedTensor* tensor : order) {
    if (is_complex(tensor->view.dtype)) complex.push_back(tensor->name);
  }
  if (!complex.empty()) metadata[kComplexKey] = base::dump_json(complex);
  metadata[kDigestKey] = digest_of(order);
  const std::string header = header_of(order, metadata);
  std::vector<std::string_view> parts = {header};
  for (const NamedTensor* tensor : order) parts.push_back(bytes_of(tensor->view));
  return base::write_file_atomic(file, parts);
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  GN_ASSIGN_OR_RETURN(base::RegularFile opened, base::open_regular_file(path));
  SafetensorsFile file;
  file.path_ = path;
  Result<std::string> text = read_header_text(opened.fd.get(), opened.num_bytes);
  Status status = text.status();
  if (text.is_ok()) {
    file.data_begin_ = kLengthBytes + text->size();
    status = file.read_header(*text, opened.num_bytes - file.data_begin_);
  }
  if (!status.is_ok()) return invalid("'" + path.string() + "': " + status.message());
  file.fd_ = std::move(opened.fd);
  return file;
}

Status SafetensorsFile::add_entry(const std::string& name, const Json& json) {
  const bool is_whole = json.is_object() && json.contains("dtype") && json["dtype"].is_string() &&
                        json.contains("shape") && are_counts(json["shape"]) &&
                        json.contains("data_offsets") && are_counts(json["data_offsets"]) &&
                        json["data_offsets"].size() == 2;
  if (!is_whole) return invalid("tensor " + in_quotes(name) + " has no type, shape or place");
  const auto type = json["dtype"].get<std::string>();
  const auto dtype = type_from_name(type);
  if (!dtype)
    return invalid("tensor " + in_quotes(name) + " has the element type " + in_quotes(type));
  Entry entry = {name, *dtype, json["shape"].get<std::vector<std::int64_t>>(),
                 json["data_offsets"][0].get<std::uint64_t>(),
                 json["data_offsets"][1].get<std::uint64_t>()};
  const auto num_bytes = num_bytes_of(entry.shape, entry.dtype);
  const bool fits = num_bytes && entry.begin <= entry.end && entry.end - entry.begin == *num_bytes;
  if (!fits) return invalid("tensor " + in_quotes(name) + " does not have the bytes of its shape");
  entries_.push_back(std::move(entry));
  return Status::ok();
}

Status SafetensorsFile::read_header(const std::string& text, std::uint64_t data_bytes) {
  GN_ASSIGN_OR_RETURN(const Json header, base::parse_json(text, "header"));
  for (const auto& [name, json] : header.items()) {
    if (name == kMetadataKey) {
      GN_ASSIGN_OR_RETURN(metadata_, read_metadata(json));
    } else {
      GN_RETURN_IF_ERROR(add_entry(name, json));
    }
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t next = 0;
  for (const Entry& entry : entries_) {
    if (entry.begin != next) {
      return invalid("tensor " + in_quotes(entry.name) + " is not where it must be");
    }
    next = entry.end;
  }
  if (next > data_bytes) {
    return invalid("it is cut short: " + std::to_string(next - data_bytes) + " bytes are missing");
  }
  if (next < data_bytes) return invalid("it is longer than its tensors");
  return restore_complex();
}

Status SafetensorsFile::restore_complex() {
  const auto found = metadata_.find(kComplexKey);
  if (found == metadata_.end()) return Status::ok();
  GN_ASSIGN_OR_RETURN(const Json names, base::parse_json(found->second, kComplexKey));
  for (Entry& entry : entries_) {
    if (std::find(names.begin(), names.end(), Json(entry.name)) == names.end()) continue;
    const auto dtype = complex_of(entry.dtype);
    if (!dtype || entry.shape.empty() || entry.shape.back() != 2) {
      return invalid("tensor " + in_quotes(entry.name) + " cannot be complex");
    }
    entry.dtype = *dtype;
    entry.shape.pop_back();
  }
  return Status::ok();
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries_) all.push_back(entry.name);
  std::sort(all.begin(), all.end());
  return all;
}

Result<base::DenseTensor> SafetensorsFile::read_entry(const Entry& entry) const {
  const std::uint64_t num_bytes = entry.end - entry.begin;
  base::DenseTensor tensor = {entry.dtype, entry.shape, base::AlignedBuffer::allocate(num_bytes)};
  if (tensor.bytes.data() == nullptr) {
    return Status(Code::kEnvironment,
                  "not enough memory for a tensor of " + base::format_bytes(num_bytes));
  }
  GN_RETURN_IF_ERROR(read_at(fd_.get(), data_begin_ + entry.begin,
                             reinterpret_cast<char*>(tensor.bytes.data()), num_bytes));
  return tensor;
}

Result<std::map<std::string, base::DenseTensor>> SafetensorsFile::read() const {
  std::map<std::string, base::DenseTensor> tensors;
  base::Sha256 digest;
  for (const Entry& entry : entries_) {
    Result<base::DenseTensor> tensor = read_entry(entry);
    if (!tensor.is_ok()) {
      return Status(tensor.status().code(),
                    "'" + path_.string() + "': " + tensor.status().message());
    }
    digest.update(tensor->bytes.data(), tensor->bytes.num_bytes());
    tensors.emplace(entry.name, std::move(tensor).value());
  }
  const auto written = metadata_.find(kDigestKey);
  if (written != metadata_.end() && written->second != digest.finish()) {
    return invalid("'" + path_.string() +
                   "': its elements are not those that were written (another SHA-256)");
  }
  return tensors;
}

}  // namespace graphnet::outputs
