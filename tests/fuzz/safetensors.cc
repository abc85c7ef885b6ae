// SPDX-License-Identifier: MIT
// Files of kept outputs, which other programs write, too.
#include "outputs/safetensors.h"

#include <algorithm>
#include <cstring>

#include "fuzz/promise.h"

namespace graphnet::fuzz {
namespace {

using Tensors = std::map<std::string, base::DenseTensor>;

void check_failure(const base::Status& status) {
  expect(status.code() == base::Code::kInput, "a bad file is an input error");
  expect_clear_failure(status, "", "", /*needs_location=*/false);
}

void check_sizes(const Tensors& tensors, std::size_t file_bytes) {
  std::size_t left = file_bytes;
  for (const auto& [name, tensor] : tensors) {
    const auto count = base::num_elements(tensor.shape);
    expect(count.has_value(), "a shape has a number of elements");
    const std::size_t element = base::dtype_bytes(tensor.dtype);
    expect(static_cast<std::size_t>(*count) <= left / element, "the file has all elements");
    const std::size_t num_bytes = static_cast<std::size_t>(*count) * element;
    expect(tensor.bytes.num_bytes() == num_bytes, "memory has the size of its shape");
    left -= num_bytes;
  }
}

bool are_alike(const base::DenseTensor& a, const base::DenseTensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape &&
         std::equal(a.bytes.data(), a.bytes.data() + a.bytes.num_bytes(), b.bytes.data());
}

void check_written(const Scratch& scratch, const Tensors& tensors,
                   const outputs::Metadata& metadata) {
  std::vector<outputs::NamedTensor> named;
  for (const auto& [name, tensor] : tensors) {
    named.push_back({name, {tensor.dtype, tensor.shape, tensor.bytes.data()}});
  }
  const auto file = scratch.folder() / "written";
  expect(outputs::write_safetensors(file, named, metadata).is_ok(), "what was read can be written");
  const auto opened = outputs::SafetensorsFile::open(file);
  expect(opened.is_ok(), "what was written can be opened");
  const auto read = opened->read();
  expect(read.is_ok() && read->size() == tensors.size(), "what was written can be read");
  for (const auto& [name, tensor] : tensors) {
    const auto found = read->find(name);
    expect(found != read->end() && are_alike(found->second, tensor), "a tensor comes back");
  }
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  static const fuzz::Scratch scratch;
  const auto file = scratch.write("file", fuzz::as_text(data, size));
  const auto opened = outputs::SafetensorsFile::open(file);
  if (!opened.is_ok()) {
    fuzz::check_failure(opened.status());
    return 0;
  }
  const auto tensors = opened->read();
  if (!tensors.is_ok()) {
    fuzz::check_failure(tensors.status());
    return 0;
  }
  fuzz::expect(tensors->size() == opened->names().size(), "each name has a tensor");
  fuzz::check_sizes(*tensors, size);
  fuzz::check_written(scratch, *tensors, opened->metadata());
  return 0;
}
