// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "eager/engine.h"
#include "sample/parser.h"

namespace graphnet::eager {

/// An argument of a test program.
struct TestArgument {
  base::DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// A forward() with arguments a, b, c, ... and its results; keeps everything alive.
class EagerProgram {
 public:
  /// `body`: statements at any indentation of four more than the method's; the last one returns.
  EagerProgram(const std::vector<TestArgument>& arguments, const std::string& body) {
    std::string text =
        "import torch\nfrom torch import device\nfrom torch import inf\n\n\n"
        "class GraphModule(torch.nn.Module):\n    def forward(self";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      text += std::string(", ") + static_cast<char>('a' + i) + ": torch.Tensor";
    }
    text += "):\n";
    std::size_t begin = 0;
    while (begin < body.size()) {
      const std::size_t end = std::min(body.find('\n', begin), body.size());
      text += "        " + body.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
    auto parsed = sample::parse_model(text, "model.py");
    if (!parsed.is_ok()) {
      status = std::move(parsed).status();
      return;
    }
    program_ = std::make_unique<graph::Program>(std::move(parsed).value());
    for (const TestArgument& argument : arguments) add_argument(argument);
    auto made = Engine::create(*program_, views_);
    if (!made.is_ok()) {
      status = std::move(made).status();
      return;
    }
    engine = std::move(made).value();
    run();
  }

  /// Runs (again) and reads the outputs.
  void run() {
    status = engine->prepare();
    if (status.is_ok()) status = engine->run();
    outputs.clear();
    for (std::size_t i = 0; status.is_ok() && i < engine->outputs().size(); ++i) {
      outputs.push_back(read_output(i));
    }
  }

  const std::vector<EngineArgument>& arguments() const { return views_; }
  const graph::Program& program() const { return *program_; }

  base::Status status;
  std::unique_ptr<Engine> engine;
  std::vector<std::vector<double>> outputs;

 private:
  void add_argument(const TestArgument& argument) {
    const std::size_t bytes = argument.values.size() * base::dtype_bytes(argument.dtype);
    buffers_.push_back(base::AlignedBuffer::allocate(bytes));
    for (std::size_t i = 0; i < argument.values.size(); ++i) {
      store(buffers_.back().data(), i, argument.dtype, argument.values[i]);
    }
    views_.push_back(
        {argument.dtype, argument.shape, buffers_.back().data(), views_.size(), false, false});
  }

  template <typename T>
  static void put(std::byte* data, std::size_t index, double value) {
    const T converted = static_cast<T>(value);
    std::memcpy(data + index * sizeof(T), &converted, sizeof(T));
  }

  static void store(std::byte* data, std::size_t index, base::DType dtype, double value) {
    switch (dtype) {
      case base::DType::kBool:
        return put<std::uint8_t>(data, index, value);
      case base::DType::kInt64:
        return put<std::int64_t>(data, index, value);
      case base::DType::kFloat64:
        return put<double>(data, index, value);
      default:
        return put<float>(data, index, value);
    }
  }

  template <typename T>
  static double get(const std::string& bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  }

  std::vector<double> read_output(std::size_t index) const {
    const EngineOutput& output = engine->outputs()[index];
    const auto count = static_cast<std::size_t>(*base::num_elements(output.shape));
    std::string bytes(count * base::dtype_bytes(output.dtype), '\0');
    const base::Status copied = engine->copy_output(index, bytes.data());
    EXPECT_TRUE(copied.is_ok()) << copied.to_string();
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      switch (output.dtype) {
        case base::DType::kBool:
          values.push_back(get<std::uint8_t>(bytes, i));
          break;
        case base::DType::kInt32:
          values.push_back(get<std::int32_t>(bytes, i));
          break;
        case base::DType::kInt64:
          values.push_back(get<std::int64_t>(bytes, i));
          break;
        case base::DType::kFloat64:
          values.push_back(get<double>(bytes, i));
          break;
        default:
          values.push_back(get<float>(bytes, i));
      }
    }
    return values;
  }

  std::unique_ptr<graph::Program> program_;
  std::vector<base::AlignedBuffer> buffers_;
  std::vector<EngineArgument> views_;
};

}  // namespace graphnet::eager
