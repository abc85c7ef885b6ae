// SPDX-License-Identifier: MIT
#include <cmath>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

// What ATen divides by beyond what the transform itself does.
double extra_scale(const std::string& norm, double count, bool is_inverse) {
  if (norm == "ortho") return is_inverse ? std::sqrt(count) : 1 / std::sqrt(count);
  if (norm == "forward") return is_inverse ? count : 1 / count;
  return 1;
}

// Cuts or fills with zeros to the length asked for.
Tensor with_length(Builder& b, const Tensor& x, std::int64_t length) {
  const std::int64_t last = x.rank() - 1;
  if (x.extent(last) > length) return b.slice(x, last, 0, length);
  Shape high(x.shape.size(), 0);
  high.back() = length - x.extent(last);
  return b.pad(x, 0, Shape(x.shape.size(), 0), high);
}

Tensor scaled(Builder& b, const Tensor& x, double factor) {
  if (factor == 1) return x;
  if (!is_complex(x.type)) return b.multiply(x, factor);
  const Tensor real = b.multiply(b.unary(Unary::kReal, x), factor);
  return b.emit.binary(Binary::kComplex, real, b.multiply(b.unary(Unary::kImag, x), factor));
}

// A transform along one dimension, which is moved behind the others for it.
Tensor transform(Builder& b, Fourier kind, const Tensor& x, std::int64_t dim, std::int64_t length) {
  const Tensor moved = b.swap(x, dim, -1);
  const std::int64_t given = kind == Fourier::kRealInverse ? length / 2 + 1 : length;
  return b.swap(b.emit.fourier(kind, with_length(b, moved, given), {length}), dim, -1);
}

}  // namespace

Tensors fft_rfft(Call& call) {
  // Integers are transformed as float32.
  const Tensor x = call.b.convert(call.tensor("self"), part_type(call.result_type()));
  const std::int64_t dim = call.dim("dim", x.rank());
  const std::int64_t length = call.has("n") ? call.integer("n") : x.extent(dim);
  const Tensor result = transform(call.b, Fourier::kRealForward, x, dim, length);
  const double factor = extra_scale(call.text("norm"), static_cast<double>(length), false);
  return {scaled(call.b, result, factor)};
}

Tensors fft_irfft(Call& call) {
  const Tensor x = call.b.convert(call.tensor("self"), Type::kC64);
  const std::int64_t dim = call.dim("dim", x.rank());
  const std::int64_t length = call.has("n") ? call.integer("n") : 2 * (x.extent(dim) - 1);
  const Tensor result = transform(call.b, Fourier::kRealInverse, x, dim, length);
  const double factor = extra_scale(call.text("norm"), static_cast<double>(length), true);
  return {scaled(call.b, result, factor)};
}

Tensors fft_fftn(Call& call) {
  Builder& b = call.b;
  Tensor x = b.convert(call.tensor("self"), call.result_type());
  const Shape sizes = call.integers("s");
  Shape dims = call.integers("dim");
  if (dims.empty()) {
    dims = counting(x.rank());
    if (!sizes.empty())
      dims.erase(dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(sizes.size()));
  }
  double count = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t dim = dims[i] < 0 ? dims[i] + x.rank() : dims[i];
    const std::int64_t length = sizes.empty() || sizes[i] < 0 ? x.extent(dim) : sizes[i];
    x = transform(b, Fourier::kForward, x, dim, length);
    count *= static_cast<double>(length);
  }
  return {scaled(b, x, extra_scale(call.text("norm"), count, false))};
}

}  // namespace graphnet::lowering::decomposition
