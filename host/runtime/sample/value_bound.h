// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sample/tensor_meta.h"

namespace graphnet::sample {

/// A bound of generated values that the metadata of an argument is to have.
struct ValueBound {
  std::string name;  ///< of the argument
  std::string key;   ///< "min_val" or "max_val"
  double value = 0;
};

/// [{"name": "w", "key": "min_val", "value": 0.0}]
base::Json to_json(const std::vector<ValueBound>& bounds);
/// errors   kInput: no such list
base::Result<std::vector<ValueBound>> bounds_from_json(const base::Json& json);

/// Sets bounds; one that is as tight already stays. They change no draw: generated values are
/// clamped, see arguments.h.
///
/// errors   kInput: no metadata has that name
base::Status set_bounds(const std::vector<ValueBound>& bounds, std::vector<TensorMeta>& metas);

}  // namespace graphnet::sample
