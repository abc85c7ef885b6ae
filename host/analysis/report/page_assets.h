// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::report {

/// page/style.css and page/script.js, as they were when the program was built.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace graphnet::report
