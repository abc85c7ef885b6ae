// SPDX-License-Identifier: MIT
#include "report/png.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/subprocess.h"

namespace graphnet::report {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr const char* kConverter = "rsvg-convert";

}  // namespace

Result<fs::path> find_svg_converter() {
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "" : variable;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const fs::path candidate = fs::path(path.substr(start, end - start)) / kConverter;
    // An empty part would mean the current folder: programs must not be run from there.
    if (end > start && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    start = end + 1;
  }
  return Status(Code::kEnvironment, std::string("no program '") + kConverter + "' for PNG files")
      .add_hint("apt-get install librsvg2-bin, or use the SVG files");
}

Status write_png(const fs::path& converter, const fs::path& svg, const fs::path& png) {
  base::Subprocess::Options options;
  options.arguments = {converter.string(), "--zoom=2", "--output=" + png.string(), svg.string()};
  GN_ASSIGN_OR_RETURN(base::Subprocess child, base::Subprocess::start(options));
  const base::ExitState end = child.wait();
  if (end.exit_code && *end.exit_code == 0) return Status::ok();
  return Status(Code::kEnvironment, "cannot make '" + png.string() + "': " + kConverter +
                                        " ended with " + end.to_string());
}

}  // namespace graphnet::report
