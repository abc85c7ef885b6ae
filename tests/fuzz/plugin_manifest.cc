// SPDX-License-Identifier: MIT
// plugin.yaml beside a library called libgn_x.so.
#include "config/manifest.h"
#include "fuzz/promise.h"

namespace graphnet::fuzz {
namespace {

void check_manifest(const config::Manifest& manifest, const std::filesystem::path& folder) {
  expect(config::is_plugin_name(manifest.name), "a plugin has a proper name");
  const std::string root = std::filesystem::canonical(folder).string();
  expect(manifest.library.string().rfind(root, 0) == 0, "the library lies in the plugin's folder");
  expect(!manifest.devices.empty() && !manifest.weights.empty(), "lists are not empty");
  const auto defaults = config::resolve_options(manifest.options, nullptr);
  expect(defaults.is_ok(), "the defaults pass their own checks");
  expect(defaults->size() == manifest.options.size(), "each option has a default");
  for (const config::OptionSpec& option : manifest.options) {
    expect(defaults->contains(option.name), "an option is called as declared");
  }
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  static const fuzz::Scratch scratch;
  static const auto library = scratch.write("libgn_x.so",
                                            "\x7f"
                                            "ELF");
  const std::string_view text = fuzz::as_text(data, size);
  const auto file = scratch.write("plugin.yaml", text);
  const auto manifest = config::read_manifest(file);
  if (manifest.is_ok()) {
    fuzz::check_manifest(*manifest, library.parent_path());
    return 0;
  }
  fuzz::expect(manifest.status().code() == base::Code::kInput, "a bad manifest is an input error");
  fuzz::expect_clear_failure(manifest.status(), file.string(), text, /*needs_location=*/false);
  return 0;
}
