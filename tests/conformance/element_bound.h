// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "conformance/case_file.h"
#include "verify/tensor_view.h"

namespace graphnet::conformance {

/// What an element of this type may be off.
///
/// source   defaults of torch.testing.assert_close (torch 2.11), which PyTorch's own tests compare
///          devices with; complex numbers as their parts
ElementBound default_bound(base::DType dtype);

/// Looks for a pair of finite elements beyond the bound; integers and bools are not looked at.
///
/// shapes   both the same
/// errors   text that names position, values and bound; nothing if all are within
std::optional<std::string> beyond_bound(const verify::TensorView& eager,
                                        const verify::TensorView& plugin,
                                        const ElementBound& bound);

}  // namespace graphnet::conformance
