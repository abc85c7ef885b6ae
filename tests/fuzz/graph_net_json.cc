// SPDX-License-Identifier: MIT
// graph_net.json, read as the first file of a sample whose other files are good.
#include "fuzz/promise.h"
#include "sample/sample.h"

namespace graphnet::fuzz {
namespace {

constexpr const char* kModel =
    "import torch\n\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, x: "
    "torch.Tensor):\n"
    "        y = torch.relu(x)\n        return (y,)\n";
constexpr const char* kMeta =
    "class Program_weight_tensor_meta_x:\n    name = \"x\"\n    shape = [2]\n"
    "    dtype = \"torch.float32\"\n    device = \"cpu\"\n    mean = 0.0\n    std = 1.0\n"
    "    data = None\n";

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  static const fuzz::Scratch scratch;
  static const bool is_ready = [] {
    scratch.write("model.py", fuzz::kModel);
    scratch.write("weight_meta.py", fuzz::kMeta);
    return true;
  }();
  fuzz::expect(is_ready, "the sample is there");
  const std::string_view text = fuzz::as_text(data, size);
  const auto file = scratch.write("graph_net.json", text);
  fuzz::expect(sample::is_sample(scratch.folder()), "the folder is a sample");
  const auto loaded = sample::load_sample(scratch.folder());
  if (loaded.is_ok()) {
    fuzz::expect(loaded->program.results.size() == 1, "the program is read");
    return 0;
  }
  fuzz::expect(loaded.status().code() == base::Code::kInput, "a bad file is an input error");
  fuzz::expect_clear_failure(loaded.status(), file.string(), text, /*needs_location=*/false);
  return 0;
}
