// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphnet::report {

/// Text that is safe to show: control characters and line breaks become single blanks, bytes that
/// are no UTF-8 become U+FFFD. Names and messages come from samples and plugins, and must not move
/// the cursor or forge a row.
std::string printable(std::string_view text);
/// The same of each line; line breaks stay.
std::string printable_lines(std::string_view text);

/// A message in one line: printable(), without the source line that a caret below it points into.
/// Its position is in the message.
std::string in_one_line(std::string_view message);

/// Columns that `text` takes on a terminal.
///
/// units    terminal cells: 2 for East Asian wide characters and emoji, 0 for combining marks
/// source   Unicode 15 East Asian Width W and F, the blocks that matter
int display_width(std::string_view text);

/// At most `width` cells of `text`; a cut is shown by a final "…". Never splits a character.
std::string cut_to_width(std::string_view text, int width);

/// At most `width` cells of `text`; what a cut takes from the middle is shown by "…". Never splits
/// a character.
std::string cut_middle(std::string_view text, int width);

/// Lines of at most `width` cells, broken at blanks, or within words that are longer than a line;
/// all lines but the first are indented. `width` 0: one line.
std::vector<std::string> wrapped(std::string_view text, int width, int indent);

/// Fills with blanks up to `width` cells; longer text is left alone.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

/// The four uses of colour. Decoration only: the word is always there.
enum class Colour { kOk, kFailed, kWarning, kDim };

/// Wraps in an ANSI colour if `enabled`.
std::string coloured(std::string_view text, Colour colour, bool enabled);

/// A duration of the whole run for people: "4.1 s", "58 s", "4 min 12 s", "2 h 03 min".
///
/// units    seconds
std::string format_elapsed(double seconds);

}  // namespace graphnet::report
