// SPDX-License-Identifier: MIT
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "measure/paired_settings.h"

namespace graphnet::measure {

/// The parameters of a measurement as they travel to the worker and stand in records: one key per
/// field of PairedSettings, under the field's name.
base::Json to_json(const PairedSettings& settings);

/// Keys that are missing keep their initial value.
///
/// errors   kInput for a mistyped key or an unknown cache mode
base::Result<PairedSettings> paired_settings_from_json(const base::Json& json);

}  // namespace graphnet::measure
