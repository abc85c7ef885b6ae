// SPDX-License-Identifier: MIT
#include "eager/value.h"

#include <c10/core/ScalarType.h>

#include <sstream>
#include <utility>

namespace graphnet::eager {

namespace {

/// A value whose whole content is its kind and an integer.
template <typename Integer>
Value of_kind(Value::Kind kind, Integer integer) {
  Value made;
  made.kind = kind;
  made.integer = static_cast<std::int64_t>(integer);
  return made;
}

}  // namespace

Value Value::boolean(bool value) {
  return of_kind(Kind::kBool, value ? 1 : 0);
}

Value Value::from_integer(std::int64_t value) {
  return of_kind(Kind::kInteger, value);
}

Value Value::from_float(double value) {
  Value made;
  made.kind = Kind::kFloat;
  made.number = value;
  return made;
}

Value Value::string(std::string value) {
  Value made;
  made.kind = Kind::kString;
  made.text = std::move(value);
  return made;
}

Value Value::dtype(at::ScalarType value) {
  return of_kind(Kind::kDType, value);
}

Value Value::device() {
  return of_kind(Kind::kDevice, 0);
}

Value Value::memory_format(at::MemoryFormat value) {
  return of_kind(Kind::kMemoryFormat, value);
}

Value Value::strided() {
  return of_kind(Kind::kLayout, at::Layout::Strided);
}

Value Value::from_tensor(at::Tensor tensor, Slot slot, std::set<Slot>* host_reads) {
  Value made;
  made.kind = Kind::kTensor;
  made.tensor = std::move(tensor);
  made.slot = slot;
  made.host_reads = host_reads;
  return made;
}

Value Value::tuple(std::vector<Value> items) {
  Value made;
  made.kind = Kind::kTuple;
  made.items = std::move(items);
  return made;
}

Value Value::list(std::vector<Value> items) {
  Value made = tuple(std::move(items));
  made.kind = Kind::kList;
  return made;
}

Value Value::integers(at::IntArrayRef values) {
  std::vector<Value> items;
  items.reserve(values.size());
  for (const std::int64_t value : values) items.push_back(from_integer(value));
  return tuple(std::move(items));
}

Value Value::marker() {
  return of_kind(Kind::kMarker, 0);
}

bool Value::truth() const {
  if (kind == Kind::kFloat) return number != 0;
  if (kind == Kind::kString) return !text.empty();
  if (is_sequence()) return !items.empty();
  return integer != 0;
}

c10::Scalar Value::read() const {
  if (host_reads != nullptr) host_reads->insert(slot);
  return tensor.item();
}

std::string Value::describe() const {
  switch (kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return integer ? "True" : "False";
    case Kind::kInteger:
      return "int " + std::to_string(integer);
    case Kind::kFloat:
      return "float " + std::to_string(number);
    case Kind::kString:
      return "str \"" + text + "\"";
    case Kind::kEllipsis:
      return "Ellipsis";
    case Kind::kDType:
      return std::string("dtype ") + c10::toString(static_cast<at::ScalarType>(integer));
    case Kind::kDevice:
      return "device";
    case Kind::kMemoryFormat:
      return "memory format";
    case Kind::kLayout:
      return "layout";
    case Kind::kTensor: {
      std::ostringstream shape;
      shape << "Tensor " << c10::toString(tensor.scalar_type()) << " " << tensor.sizes();
      return shape.str();
    }
    case Kind::kTuple:
      return "tuple of " + std::to_string(items.size());
    case Kind::kList:
      return "list of " + std::to_string(items.size());
    case Kind::kSlice:
      return "slice";
    case Kind::kMarker:
      return "bookkeeping value";
  }
  return "?";
}

}  // namespace graphnet::eager
