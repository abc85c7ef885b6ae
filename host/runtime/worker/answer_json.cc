// SPDX-License-Identifier: MIT
#include "worker/answer_json.h"

#include <utility>

namespace graphnet::worker {

using base::Json;
using eager::OutputDistance;
using eager::ValueRecord;

Json record_json(const ValueRecord& record) {
  if (record.kind == ValueRecord::Kind::kPlain) return {{"plain", record.plain}};
  if (record.kind == ValueRecord::Kind::kSequence) {
    Json items = Json::array();
    for (const ValueRecord& item : record.items) items.push_back(record_json(item));
    return {{"items", std::move(items)}, {"is_list", record.is_list}};
  }
  return {{"dtype", record.dtype},
          {"shape", record.shape},
          {"mean", base::json_or_null(record.mean)},
          {"deviation", base::json_or_null(record.deviation)},
          {"lowest", base::json_or_null(record.lowest)},
          {"highest", base::json_or_null(record.highest)},
          {"lowest_integer", base::json_or_null(record.lowest_integer)},
          {"highest_integer", base::json_or_null(record.highest_integer)},
          {"elements", record.elements}};
}

Json distance_json(const OutputDistance& distance) {
  return {{"dtype", distance.dtype},
          {"shape", distance.shape},
          {"equal", distance.is_equal},
          {"same_shape", distance.same_shape},
          {"not_finite", distance.num_not_finite},
          {"relative_rms", base::json_number(distance.relative_rms)},
          {"rms", base::json_number(distance.rms)},
          {"floating", distance.is_floating}};
}

}  // namespace graphnet::worker
