// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/core/MemoryFormat.h>

#include <string>

#include "graph/graph.h"
#include "graph/op_library.h"

namespace graphnet::eager {

/// What a schema argument of this type holds in a graph; an Optional counts as what it may hold.
graph::ArgumentType to_argument_type(const c10::Type& type);

/// An argument that is not a tensor, as a graph writes it. Memory formats become their names,
/// devices and layouts None.
///
/// errors   TraceError kUnsupported for what a graph cannot hold (complex numbers)
graph::Attribute to_attribute(const c10::IValue& value, const c10::Type& type);

/// Inverse of to_attribute; None where the type needs a device is the CPU.
c10::IValue to_ivalue(const graph::Attribute& attribute, const c10::Type& type);

/// "contiguous_format" as torch's own number of it.
///
/// errors   TraceError kInput for a name that torch does not have
at::MemoryFormat memory_format_from_name(const std::string& name);

}  // namespace graphnet::eager
