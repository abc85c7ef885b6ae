// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "sample/sample.h"

namespace graphnet::sample {

/// Numbers of statements after which the program can be cut into at most `num_parts` ranges with
/// about as many computing statements each. Statements that only release variables belong to the
/// range before them. A statement after which nothing lives but parameters, sizes and constants is
/// no cut.
///
/// order    ascending; the last one is the whole program
std::vector<std::size_t> choose_cuts(const graph::Program& program, std::size_t num_parts);

/// Variables that hold tensors made by the first `num_statements` statements and read by the rest,
/// results included. Sizes, constants and other names of parameters are left out: the rest of the
/// program would not get them from a compiler.
///
/// order    of their numbers
std::vector<graph::VariableId> live_tensors(const graph::Program& program,
                                            std::size_t num_statements);

/// The line of model.py with which the first `num_statements` statements end, at least one of them.
int last_line(const graph::Program& program, std::size_t num_statements);

/// What the statements [first, last) call, by name without its module, operators included.
std::map<std::string, int> count_calls(const graph::Program& program, std::size_t first,
                                       std::size_t last);

/// Copies a sample's files but model.py into a folder, which is made.
///
/// errors   kEnvironment: a file cannot be read or written
base::Status copy_other_files(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes a sample of the first statements, whose results are live_tensors(); all statements give
/// the sample as it is. Its other files are copied.
///
/// errors   kInput: a file of the sample cannot be read; kEnvironment: one cannot be written
base::Status write_beginning(const Sample& sample, std::size_t num_statements,
                             const std::filesystem::path& folder);

}  // namespace graphnet::sample
