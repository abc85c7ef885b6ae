// SPDX-License-Identifier: MIT
#include "record/fields.h"

#include <algorithm>
#include <limits>

namespace graphnet::record {

using base::Json;

const Json* Remainder::find(const std::string& key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_discarded() ? nullptr : &*found;
}

const Json& Remainder::operator[](const std::string& key) const {
  static const Json kNone;
  const Json* found = find(key);
  return found == nullptr ? kNone : *found;
}

bool Remainder::empty() const {
  return std::all_of(object_.begin(), object_.end(),
                     [](const Json& value) { return value.is_discarded(); });
}

FieldsIn::FieldsIn(Json object) {
  if (object.is_object()) rest_.object_ = std::move(object);
}

// Members mostly stand in the order of the fields, so the next one is looked at first.
Json* FieldsIn::find(const char* key) {
  auto& members = rest_.object_.get_ref<Json::object_t&>();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t at = (next_ + i) % members.size();
    auto& [name, value] = *(members.begin() + static_cast<std::ptrdiff_t>(at));
    if (name != key) continue;
    next_ = at + 1;
    return value.is_discarded() ? nullptr : &value;
  }
  return nullptr;
}

void FieldsIn::leave_place(Json& value) {
  value = Json(Json::value_t::discarded);
}

void FieldsOut::put(const char* key, Json value) {
  object_[key] = std::move(value);
}

Json FieldsOut::take_object() {
  const auto& members = object_.get_ref<const Json::object_t&>();
  const bool has_unset = std::any_of(members.begin(), members.end(),
                                     [](const auto& one) { return one.second.is_discarded(); });
  if (!has_unset) return std::move(object_);
  Json object = Json::object();
  for (auto& [key, value] : object_.get_ref<Json::object_t&>()) {
    if (!value.is_discarded()) object[key] = std::move(value);
  }
  return object;
}

bool take(Json& json, std::optional<bool>& value) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

bool take(Json& json, std::optional<double>& value) {
  if (!json.is_number()) return false;
  value = json.get<double>();
  return true;
}

bool take(Json& json, std::optional<std::int64_t>& value) {
  if (!json.is_number_integer()) return false;
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kLargest) return false;
  value = json.get<std::int64_t>();
  return true;
}

bool take(Json& json, std::string& value) {
  if (!json.is_string() || json.get_ref<const std::string&>().empty()) return false;
  value = std::move(json.get_ref<std::string&>());
  return true;
}

bool take(Json& json, std::vector<std::string>& value) {
  if (!json.is_array() || json.empty()) return false;
  const bool are_texts =
      std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_string(); });
  if (!are_texts) return false;
  for (Json& item : json) value.push_back(std::move(item.get_ref<std::string&>()));
  return true;
}

bool take(Json& json, NamedCounts& value) {
  if (!json.is_object() || json.empty()) return false;
  NamedCounts counts;
  for (auto& [name, item] : json.get_ref<Json::object_t&>()) {
    std::optional<std::int64_t> count;
    if (!take(item, count)) return false;
    counts.emplace_back(name, *count);
  }
  value = std::move(counts);
  return true;
}

bool take(Json& json, NamedTimes& value) {
  if (!json.is_array() || json.empty()) return false;
  NamedTimes times;
  for (const Json& item : json) {
    const bool is_pair =
        item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_number();
    if (!is_pair) return false;
    times.emplace_back(item[0].get<std::string>(), item[1].get<double>());
  }
  value = std::move(times);
  return true;
}

bool take(Json& json, Json& value) {
  if (json.is_null()) return false;
  value = std::move(json);
  return true;
}

Json give(const std::optional<bool>& value) {
  return value ? Json(*value) : Json();
}

Json give(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json give(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}

Json give(const std::string& value) {
  return value.empty() ? Json() : Json(value);
}

Json give(const std::vector<std::string>& value) {
  return value.empty() ? Json() : Json(value);
}

Json give(const NamedCounts& value) {
  Json object;
  for (const auto& [name, count] : value) object[name] = count;
  return object;
}

Json give(const NamedTimes& value) {
  Json list;
  for (const auto& [name, time] : value) list.push_back(Json::array({name, time}));
  return list;
}

}  // namespace graphnet::record
