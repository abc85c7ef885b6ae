// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "config/map_keys.h"

namespace graphnet::config {

/// One option that a plugin declares in its manifest.
struct OptionSpec {
  enum class Type { kBoolean, kInteger, kNumber, kText, kChoice };

  std::string name;
  Type type = Type::kText;
  std::vector<std::string> choices;  ///< kChoice only
  base::Json default_value;          ///< passes its own type and range
  base::Json min;                    ///< kInteger and kNumber; null without limit
  base::Json max;
  std::string help;
  /// kChoice only: choice -> what it adds to the backend's variant ("rewrites" gives
  /// "acme+fast"); a choice without entry adds nothing.
  std::map<std::string, std::string> variants;
};

/// The keys of an option's description, for check_keys() at `path`.
MapKeys option_keys(const std::string& path);

/// Reads the `options` map of a manifest, whose keys were checked. Each option has `default`,
/// `help` and either `enum` or `type` (boolean, integer, number, text); numbers may have `min` and
/// `max`, an enum `variant`, a map from some of its choices to words.
///
/// order    as written
/// errors   kInput with position
base::Result<std::vector<OptionSpec>> read_option_specs(const YamlNode& node,
                                                        const std::string& path);

/// Checks `backend.options` of a run config against the declared options and fills in defaults.
/// `given` may be null: defaults only.
///
/// order    of the declaration, so that equal settings give equal records
/// errors   kInput at the position in the run config: unknown option (nearest suggested), wrong
/// type,
///          out of range
base::Result<base::Json> resolve_options(const std::vector<OptionSpec>& specs,
                                         const YamlNode* given);

/// What tables call a plugin with these options: its name and, in the order of declaration, the
/// words of the choices taken, "acme+fast". Results of different variants are never averaged.
std::string variant_name(const std::string& plugin, const std::vector<OptionSpec>& specs,
                         const base::Json& options);

/// "boolean", "integer", "number", "text", "enum".
const char* option_type_name(OptionSpec::Type type);

}  // namespace graphnet::config
