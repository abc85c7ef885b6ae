// SPDX-License-Identifier: MIT
#include "base/field_reader.h"

#include <charconv>
#include <limits>
#include <utility>

namespace graphnet::base {

namespace {

std::string dotted(const std::string& where, const char* key) {
  return where.empty() ? key : where + "." + key;
}

}  // namespace

FieldReader::FieldReader(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) {
    status_ = Status(Code::kInput, (where_.empty() ? "the value" : "'" + where_ + "'") +
                                       std::string(" is not an object"));
  }
}

const Json* FieldReader::find(const char* key) const {
  if (!status_.is_ok() || !object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void FieldReader::fail(const char* key, std::string_view expected) {
  if (!status_.is_ok()) return;
  status_ = Status(Code::kInput, "'" + dotted(where_, key) + "' is not " + std::string(expected));
}

FieldReader& FieldReader::require(const char* key) {
  if (status_.is_ok() && find(key) == nullptr) {
    status_ = Status(Code::kInput, "'" + dotted(where_, key) + "' is missing");
  }
  return *this;
}

FieldReader& FieldReader::read(const char* key, std::string& value) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (!found->is_string()) {
    fail(key, "a string");
  } else {
    value = *found->get_ptr<const Json::string_t*>();
  }
  return *this;
}

FieldReader& FieldReader::read(const char* key, bool& value) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (!found->is_boolean()) {
    fail(key, "true or false");
  } else {
    value = *found->get_ptr<const Json::boolean_t*>();
  }
  return *this;
}

FieldReader& FieldReader::read(const char* key, MathPolicy& value) {
  const Json* found = object(key);
  if (found == nullptr) return *this;
  FieldReader nested(*found, key);
  nested.read("tf32", value.tf32)
      .read("fast_math", value.fast_math)
      .read("flush_denormals", value.flush_denormals);
  return merge(nested);
}

std::optional<std::int64_t> FieldReader::integer(const char* key, std::int64_t low,
                                                 std::int64_t high) {
  const Json* found = find(key);
  if (found == nullptr) return std::nullopt;
  std::optional<std::int64_t> value;
  if (found->is_number_unsigned()) {
    const auto unsigned_value = *found->get_ptr<const Json::number_unsigned_t*>();
    if (unsigned_value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      value = static_cast<std::int64_t>(unsigned_value);
    }
  } else if (found->is_number_integer()) {
    value = *found->get_ptr<const Json::number_integer_t*>();
  }
  if (value && *value >= low && *value <= high) return value;
  fail(key, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  return std::nullopt;
}

FieldReader& FieldReader::read(const char* key, int& value) {
  const auto number =
      integer(key, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  if (number) value = static_cast<int>(*number);
  return *this;
}

FieldReader& FieldReader::read(const char* key, std::uint32_t& value) {
  const auto number = integer(key, 0, std::numeric_limits<std::uint32_t>::max());
  if (number) value = static_cast<std::uint32_t>(*number);
  return *this;
}

FieldReader& FieldReader::read(const char* key, std::optional<std::int64_t>& value) {
  const auto number = integer(key, std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max());
  if (number) value = number;
  return *this;
}

FieldReader& FieldReader::read(const char* key, std::optional<double>& value) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  if (!found->is_number()) {
    fail(key, "a number");
  } else {
    value = found->get<double>();
  }
  return *this;
}

FieldReader& FieldReader::read(const char* key, std::vector<std::string>& value) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  std::vector<std::string> strings;
  bool valid = found->is_array();
  for (std::size_t i = 0; valid && i < found->size(); ++i) {
    const auto* text = (*found)[i].get_ptr<const Json::string_t*>();
    valid = text != nullptr;
    if (valid) strings.push_back(*text);
  }
  if (valid) {
    value = std::move(strings);
  } else {
    fail(key, "a list of strings");
  }
  return *this;
}

FieldReader& FieldReader::read(const char* key, std::vector<double>& value) {
  const Json* found = find(key);
  if (found == nullptr) return *this;
  std::vector<double> numbers;
  bool valid = found->is_array();
  for (std::size_t i = 0; valid && i < found->size(); ++i) {
    const Json& element = (*found)[i];
    valid = element.is_number() || element.is_null();
    if (!valid) break;
    numbers.push_back(element.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                        : element.get<double>());
  }
  if (valid) {
    value = std::move(numbers);
  } else {
    fail(key, "a list of numbers");
  }
  return *this;
}

FieldReader& FieldReader::read_object(const char* key, Json& value) {
  const Json* found = object(key);
  if (found == nullptr) return *this;
  if (spent_ != nullptr) {
    value = std::move(*spent_->find(key));
  } else {
    value = *found;
  }
  return *this;
}

const Json* FieldReader::object(const char* key) {
  const Json* found = find(key);
  if (found == nullptr || found->is_object()) return found;
  fail(key, "an object");
  return nullptr;
}

FieldReader& FieldReader::merge(const FieldReader& nested) {
  if (status_.is_ok()) status_ = nested.status_;
  return *this;
}

Status check_schema(const Json& json, std::string_view family, int newest) {
  std::string schema;
  FieldReader fields(json);
  fields.require("schema").read("schema", schema);
  GN_RETURN_IF_ERROR(fields.status());
  const std::string prefix = std::string(family) + "/";
  int version = 0;
  const char* end = schema.data() + schema.size();
  const bool matches = schema.size() > prefix.size() && schema.rfind(prefix, 0) == 0;
  if (matches) {
    const auto parsed = std::from_chars(schema.data() + prefix.size(), end, version);
    if (parsed.ec != std::errc() || parsed.ptr != end) version = 0;
  }
  if (version < 1) {
    constexpr std::size_t kMaxShown = 60;
    if (schema.size() > kMaxShown) schema = schema.substr(0, kMaxShown) + "...";
    return Status(Code::kInput, "schema '" + schema + "' is not '" + prefix + "<number>'");
  }
  if (version > newest) {
    return Status(Code::kInput, "schema '" + schema + "' is newer than '" + prefix +
                                    std::to_string(newest) + "', the newest this graphnet reads")
        .add_hint("use the graphnet that wrote it, or a newer one");
  }
  return Status::ok();
}

}  // namespace graphnet::base
