// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "eager/planner.h"
#include "graph/program.h"

namespace graphnet::eager {

/// A program for arguments of other shapes.
struct ResizedProgram {
  graph::Program program;
  std::size_t num_literals = 0;  ///< numbers that changed
};

/// Gives the sizes that a program names the values that arguments of other shapes need. The program
/// is traced twice on the Meta device. In the second trace each statement is mended before it runs,
/// from the shapes that it meets in both:
///
/// - view, reshape: in groups of extents with equal products the one extent of a group follows from
///   the product; of several, the one that other shapes have shown to change, else the only one
///   that divides.
/// - expand, broadcast_to: the operand's extent if it is not 1.
/// - creation, slices, sizes of interpolation and pooling: what other shapes have shown the number
/// to
///   become, if they agree; one more than such a number counts too.
///
/// shapes   arguments, resized: one per parameter, in signature order
/// errors   kUnsupported, kInput: a trace fails, with the position in model.py: no number that this
///          knows makes the statement right
/// source   GraphNet dim_gen_passes, which match literals with the example value of a symbol
base::Result<ResizedProgram> resize_program(const graph::Program& program,
                                            const std::vector<PlanArgument>& arguments,
                                            const std::vector<PlanArgument>& resized);

}  // namespace graphnet::eager
