// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/math_policy.h"
#include "base/status.h"

namespace graphnet::base {

/// Reads the members of one JSON object into variables and keeps the first error.
///
/// A missing or null member leaves its variable alone, unless it was required. No method throws,
/// whatever the JSON holds. The object must outlive the reader.
///
/// errors   status(): kInput naming the first key that is missing or has the wrong type or range
class FieldReader {
 public:
  /// `where` is put in front of the key in messages: "plugin" gives 'plugin.name'.
  explicit FieldReader(const Json& object, std::string where = "");
  /// For an object that is needed no more: read_object() moves out of it. It must outlive the
  /// reader.
  explicit FieldReader(Json&& object) : FieldReader(object) { spent_ = &object; }

  FieldReader& require(const char* key);

  FieldReader& read(const char* key, std::string& value);
  FieldReader& read(const char* key, bool& value);
  FieldReader& read(const char* key, int& value);
  FieldReader& read(const char* key, std::uint32_t& value);
  FieldReader& read(const char* key, std::optional<std::int64_t>& value);
  FieldReader& read(const char* key, std::optional<double>& value);
  FieldReader& read(const char* key, std::vector<std::string>& value);
  /// A null element is a number that JSON cannot hold (NaN, infinity) and is read as NaN.
  FieldReader& read(const char* key, std::vector<double>& value);
  /// An object of booleans, each of which may be missing.
  FieldReader& read(const char* key, MathPolicy& value);
  /// Copies a member that must be an object.
  FieldReader& read_object(const char* key, Json& value);

  /// The member if it is an object, else null; anything but an object or null is an error.
  const Json* object(const char* key);

  /// Takes over the error of a nested reader.
  FieldReader& merge(const FieldReader& nested);

  const Status& status() const { return status_; }

 private:
  const Json* find(const char* key) const;
  void fail(const char* key, std::string_view expected);
  std::optional<std::int64_t> integer(const char* key, std::int64_t low, std::int64_t high);

  const Json& object_;
  Json* spent_ = nullptr;  // the same object if it may be moved out of
  std::string where_;
  Status status_;
};

/// The version number N of a schema name "<family>/N".
///
/// errors   kInput if `json` is no object, has no such schema, or N is above `newest` (the message
///          names both)
Status check_schema(const Json& json, std::string_view family, int newest);

}  // namespace graphnet::base
