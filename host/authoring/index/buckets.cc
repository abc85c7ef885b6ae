// SPDX-License-Identifier: MIT
#include "index/buckets.h"

#include "base/json.h"
#include "base/text.h"

namespace graphnet::index {

std::int64_t extent_bucket(std::int64_t extent) {
  if (extent <= 0) return -1;
  std::int64_t log2 = 0;
  while (extent >>= 1) ++log2;
  return log2 / 4;
}

std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(base::dump_json(text));
  return "[" + base::join(quoted, ", ") + "]";
}

Bucket bucket_of(const Entry& entry) {
  std::vector<std::string> shapes;
  std::vector<std::string> dtypes;
  for (const Tensor& tensor : entry.tensors) {
    std::vector<std::int64_t> extents;
    for (const std::int64_t extent : tensor.shape) extents.push_back(extent_bucket(extent));
    shapes.push_back(base::shape_text(extents));
    dtypes.emplace_back(base::dtype_name(tensor.dtype));
  }
  return {json_list(entry.op_names), "[" + base::join(shapes, ", ") + "]", json_list(dtypes)};
}

}  // namespace graphnet::index
