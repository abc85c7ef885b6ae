// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// Name in the text form: "exp", "convolution", "input"; a composite's operator.
std::string_view name_of(const Operation& operation);

/// The primitive of that name, attributes at their defaults; nothing for an unknown name.
std::optional<Operation> operation_named(std::string_view name);

/// What a node's stage is at least; it is also at least that of each operand.
Stage own_stage(const Operation& operation);

/// Attributes as text, " dims=[0,1] kind=sum"; what is equal has equal text.
std::string attributes_text(const Operation& operation);

/// Sets one attribute from its text.
///
/// errors   false if the operation has no such attribute, or the text is none of its values
bool set_attribute(Operation& operation, std::string_view name, std::string_view text);

/// Types of the results. `given` is the first result's: it decides where operands do not say it
/// (parameters, constants, splats, iota, conversions, broadcasts, reshapes) and is ignored
/// elsewhere.
///
/// errors   LoweringError: operands that the operation cannot take, attributes that do not fit them
std::vector<TensorType> infer(const Operation& operation, const std::vector<TensorType>& operands,
                              const TensorType& given);

}  // namespace graphnet::lowering::ir
