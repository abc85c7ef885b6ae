// SPDX-License-Identifier: MIT
#include "cli/version_text.h"

namespace graphnet::cli {

namespace {

std::string or_none(const std::string& text) {
  return text.empty() ? "none" : text;
}

}  // namespace

std::string version_number() {
  return GRAPHNET_VERSION;
}

std::string version_text(const config::Installation& installation, bool verbose) {
  std::string text = "graphnet " + version_number() + "\n";
  if (!verbose) return text;
  text += "  build type        " + or_none(GRAPHNET_BUILD_TYPE) + "\n";
  text += std::string("  compiler          ") + GRAPHNET_COMPILER + "\n";
  text += std::string("  libtorch worker   ") + GRAPHNET_TORCH_CHOICE + "\n";
  text += "  sanitizers        " + or_none(GRAPHNET_SANITIZE_CHOICE) + "\n";
  text += "  plugins built     " + or_none(GRAPHNET_PLUGIN_CHOICE) + "\n";
  text += "  installed in      " + installation.executable_folder.string() + "\n";
  text += "  source tree       " +
          (installation.source_tree ? installation.source_tree->string() : "none") + "\n";
  return text;
}

}  // namespace graphnet::cli
