// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace graphnet::cli {

/// --color
enum class ColorMode { kAuto, kAlways, kNever };

/// errors   kUsage for another word
base::Result<ColorMode> parse_color_mode(const std::string& text);

/// What a standard stream is connected to.
struct Terminal {
  bool is_terminal = false;
  int width = 0;  ///< cells; 0 if it is no terminal
  bool color = false;
};

/// Looks at descriptor 1 or 2. Colour: --color wins, then NO_COLOR (off), CLICOLOR_FORCE (on),
/// TERM=dumb (off), then whether it is a terminal.
///
/// source   no-color.org; bixense.com/clicolors
Terminal examine_terminal(int fd, ColorMode mode);

/// True if a pipe or socket has nobody at its other end any more: the reason of a failed write that
/// is no error (`| head`).
bool is_reader_gone(int fd);

/// Opens /dev/null on descriptors 0 to 2 that are closed: else a results file could get number 1
/// and receive what is meant for the screen.
void open_standard_descriptors();

}  // namespace graphnet::cli
