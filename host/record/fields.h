// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "record/word.h"

namespace graphnet::record {

/// The members of a stored object that have no field in its struct (of a newer version, or of use
/// to readers of the file only), and the order in which all of them stood.
class Remainder {
 public:
  /// A member without a field; null if there is none.
  const base::Json* find(const std::string& key) const;
  base::Json& operator[](const std::string& key) { return object_[key]; }
  /// Null where there is none.
  const base::Json& operator[](const std::string& key) const;
  /// Whether it has no member; fields that are not set are none.
  bool empty() const;

 private:
  friend class FieldsIn;
  friend class FieldsOut;
  base::Json object_ = base::Json::object();  // discarded values: fields that are not set
};

/// Text and numbers of a list of pairs: {"aten::add": 3, ...} or [["arming", 12.5], ...].
using NamedCounts = std::vector<std::pair<std::string, std::int64_t>>;
using NamedTimes = std::vector<std::pair<std::string, double>>;

/// A struct of a record that is stored as an object: it has a Remainder `rest` and
///
///   template <typename Self, typename Visit>
///   static void visit(Self& self, Visit&& field) {
///     field("key", self.member);
///     ...
///   }
///
/// which is its whole codec. Members that are not set (nothing, empty text or list, kNone, null)
/// are not written. A member of another type in the file stays in `rest`
/// and is written back; the member is not set.
template <typename T, typename = void>
struct IsPart : std::false_type {};
template <typename T>
struct IsPart<T, std::void_t<decltype(std::declval<T&>().rest)>> : std::true_type {};

template <typename T>
T part_from_json(base::Json json);
template <typename T>
base::Json part_to_json(const T& part);

/// Each moves a value out of JSON if it has the type and is not empty.
bool take(base::Json& json, std::optional<bool>& value);
bool take(base::Json& json, std::optional<double>& value);
bool take(base::Json& json, std::optional<std::int64_t>& value);
bool take(base::Json& json, std::string& value);
bool take(base::Json& json, std::vector<std::string>& value);
bool take(base::Json& json, NamedCounts& value);
bool take(base::Json& json, NamedTimes& value);
bool take(base::Json& json, base::Json& value);

/// Each is null for what is not set.
base::Json give(const std::optional<bool>& value);
base::Json give(const std::optional<double>& value);
base::Json give(const std::optional<std::int64_t>& value);
base::Json give(const std::string& value);
base::Json give(const std::vector<std::string>& value);
base::Json give(const NamedCounts& value);
base::Json give(const NamedTimes& value);
inline const base::Json& give(const base::Json& value) {
  return value;  // NOLINT(bugprone-return-const-ref-from-parameter): used where it is called
}

template <typename Enum>
bool take(base::Json& json, Word<Enum>& value) {
  std::string text;
  if (!take(json, text)) return false;
  value = Word<Enum>(text);
  return true;
}

template <typename Enum>
base::Json give(const Word<Enum>& value) {
  return give(value.text());
}

template <typename T, typename = std::enable_if_t<IsPart<T>::value>>
bool take(base::Json& json, T& part) {
  if (!json.is_object() || json.empty()) return false;
  part = part_from_json<T>(std::move(json));
  return true;
}

template <typename T, typename = std::enable_if_t<IsPart<T>::value>>
base::Json give(const T& part) {
  base::Json json = part_to_json(part);
  return json.empty() ? base::Json() : json;
}

template <typename T, typename = std::enable_if_t<IsPart<T>::value>>
bool take(base::Json& json, std::vector<T>& parts) {
  if (!json.is_array() || json.empty()) return false;
  for (const base::Json& item : json) {
    if (!item.is_object()) return false;
  }
  for (base::Json& item : json) parts.push_back(part_from_json<T>(std::move(item)));
  return true;
}

template <typename T, typename = std::enable_if_t<IsPart<T>::value>>
base::Json give(const std::vector<T>& parts) {
  if (parts.empty()) return base::Json();
  base::Json json = base::Json::array();
  for (const T& part : parts) json.push_back(part_to_json(part));
  return json;
}

/// Reads members: see IsPart.
class FieldsIn {
 public:
  explicit FieldsIn(base::Json object);

  template <typename T>
  void operator()(const char* key, T& field) {
    base::Json* value = find(key);
    if (value != nullptr && take(*value, field)) leave_place(*value);
  }

  Remainder rest() { return std::move(rest_); }

 private:
  base::Json* find(const char* key);
  static void leave_place(base::Json& value);

  Remainder rest_;
  std::size_t next_ = 0;  // where the member after the one found last is
};

/// Writes members: see IsPart.
class FieldsOut {
 public:
  explicit FieldsOut(const Remainder& rest) : object_(rest.object_) {}

  template <typename T>
  void operator()(const char* key, const T& field) {
    base::Json value = give(field);
    if (!value.is_null()) put(key, std::move(value));
  }

  /// Without the fields that are not set.
  base::Json take_object();

 private:
  void put(const char* key, base::Json value);

  base::Json object_;
};

template <typename T>
T part_from_json(base::Json json) {
  T part;
  FieldsIn fields(std::move(json));
  T::visit(part, fields);
  part.rest = fields.rest();
  return part;
}

template <typename T>
base::Json part_to_json(const T& part) {
  FieldsOut fields(part.rest);
  T::visit(part, fields);
  return fields.take_object();
}

/// Whether it holds nothing: no member is set, and nothing remains.
template <typename T>
bool is_empty(const T& part) {
  bool found = !part.rest.empty();
  T::visit(part, [&](const char*, const auto& field) { found = found || !give(field).is_null(); });
  return !found;
}

}  // namespace graphnet::record
