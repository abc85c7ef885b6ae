// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"
#include "eager/program_distance.h"
#include "eager/value_record.h"

namespace graphnet::worker {

/// A value as the requests record_values and differentiate answer it.
base::Json record_json(const eager::ValueRecord& record);

/// An output beside another, as the requests try_form and check_gradients answer it.
base::Json distance_json(const eager::OutputDistance& distance);

}  // namespace graphnet::worker
