// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "base/result.h"

namespace graphnet::report {

/// The program that turns SVG into PNG: `rsvg-convert` of Debian's librsvg2-bin, found on PATH when
/// it is asked for. It is the smallest that sets text and needs no display (1.6 MB beside the
/// libraries of any desktop); linking librsvg or cairo would put both into every installation.
///
/// errors   kEnvironment with the package to install
base::Result<std::filesystem::path> find_svg_converter();

/// Writes `png` from `svg` at twice the size, for sharp print.
///
/// errors   kEnvironment if the converter fails
base::Status write_png(const std::filesystem::path& converter, const std::filesystem::path& svg,
                       const std::filesystem::path& png);

}  // namespace graphnet::report
