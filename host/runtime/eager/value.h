// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace graphnet::eager {

/// Slot of a tensor in the tape: arguments first, then results of instructions.
using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -1;

/// A Python-level value while a program is traced.
struct Value {
  enum class Kind : std::uint8_t {
    kNone,
    kBool,  ///< integer is 0 or 1
    kInteger,
    kFloat,
    kString,
    kEllipsis,
    kDType,         ///< integer is the c10::ScalarType
    kDevice,        ///< every device literal means the run's device
    kMemoryFormat,  ///< integer is the c10::MemoryFormat
    kLayout,        ///< integer is the c10::Layout
    kTensor,
    kTuple,   ///< items
    kList,    ///< items
    kSlice,   ///< three items
    kMarker,  ///< result of a bookkeeping call that has no numeric effect
  };

  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  at::Tensor tensor;
  Slot slot = kNoSlot;
  std::set<Slot>* host_reads = nullptr;  ///< where read() notes the slot; null: nobody asks
  std::vector<Value> items;

  static Value none() { return {}; }
  static Value boolean(bool value);
  static Value from_integer(std::int64_t value);
  static Value from_float(double value);
  static Value string(std::string value);
  static Value dtype(at::ScalarType value);
  static Value device();
  static Value memory_format(at::MemoryFormat value);
  static Value strided();
  static Value from_tensor(at::Tensor tensor, Slot slot, std::set<Slot>* host_reads);
  static Value tuple(std::vector<Value> items);
  static Value list(std::vector<Value> items);
  static Value integers(at::IntArrayRef values);
  static Value marker();

  bool is_none() const { return kind == Kind::kNone; }
  bool is_tensor() const { return kind == Kind::kTensor; }
  bool is_sequence() const { return kind == Kind::kTuple || kind == Kind::kList; }
  /// int or bool, as Python counts a bool as an int.
  bool is_integer() const { return kind == Kind::kInteger || kind == Kind::kBool; }
  bool is_number() const { return is_integer() || kind == Kind::kFloat; }
  bool truth() const;
  /// Numeric value of any number kind.
  double as_double() const { return kind == Kind::kFloat ? number : static_cast<double>(integer); }

  /// The only element of a tensor, read on the host: what follows holds for this content alone.
  c10::Scalar read() const;

  /// "Tensor float32 [1, 4]", "int 3", "tuple of 2", for messages.
  std::string describe() const;
};

}  // namespace graphnet::eager
