// SPDX-License-Identifier: MIT
// Shapes of Fourier transforms.
#include <algorithm>
#include <utility>

#include "eager/scalar_type.h"
#include "eager/shape_rules.h"

namespace graphnet::eager {

namespace {

using Sizes = std::vector<std::int64_t>;
using Notes = std::set<std::string>;

enum class Spectrum { kFull, kHalf, kInverseHalf };

// Transformed dimensions; the last one of them is halved or doubled.
Sizes dims_of(const SchemaView& call, const at::Tensor& self, const Sizes& lengths) {
  Sizes dims;
  if (!call.is_none("dim")) {
    dims = call.integers("dim");
  } else {
    const auto count = lengths.empty() ? self.dim() : static_cast<std::int64_t>(lengths.size());
    for (std::int64_t i = self.dim() - count; i < self.dim(); ++i) dims.push_back(i);
  }
  for (std::int64_t& dim : dims) dim = c10::maybe_wrap_dim(dim, self.dim());
  return dims;
}

template <Spectrum kKind>
c10::Stack transform(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  const Sizes lengths = call.integers(call.has("n") ? "n" : "s");
  const Sizes dims = dims_of(call, self, lengths);
  Sizes sizes = self.sizes().vec();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] >= 0) sizes[static_cast<std::size_t>(dims[i])] = lengths[i];
  }
  const bool is_given = !lengths.empty() && lengths.back() >= 0;
  std::int64_t& last = sizes[static_cast<std::size_t>(dims.back())];
  if (kKind == Spectrum::kHalf) last = last / 2 + 1;
  if (kKind == Spectrum::kInverseHalf && !is_given) last = 2 * (last - 1);
  const at::ScalarType own =
      at::isIntegralType(self.scalar_type(), true) ? default_scalar_type() : self.scalar_type();
  return {meta_tensor(sizes, kKind == Spectrum::kInverseHalf ? c10::toRealValueType(own)
                                                             : c10::toComplexType(own))};
}

c10::Stack short_time_transform(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  const std::int64_t length = call.integer("n_fft");
  const std::int64_t hop = call.is_none("hop_length") ? length / 4 : call.integer("hop_length");
  const bool centers = call.has("center") && call.flag("center");
  const std::int64_t samples = self.size(-1) + (centers ? length / 2 * 2 : 0);
  const bool is_half = call.is_none("onesided") ? !self.is_complex() : call.flag("onesided");
  const bool gives_complex = !call.is_none("return_complex") && call.flag("return_complex");
  Sizes sizes(self.sizes().begin(), self.sizes().end() - 1);
  sizes.push_back((samples - length) / hop + 1);
  sizes.push_back(is_half ? length / 2 + 1 : length);
  if (!gives_complex) sizes.push_back(2);
  const at::ScalarType type = gives_complex ? c10::toComplexType(self.scalar_type())
                                            : c10::toRealValueType(self.scalar_type());
  const auto frames = static_cast<std::int64_t>(self.dim()) - 1;
  return {meta_tensor(sizes, type).transpose(frames, frames + 1)};
}

}  // namespace

const std::vector<ShapeRow> kSpectralShapes = {
    {"aten::fft_fft", transform<Spectrum::kFull>},
    {"aten::fft_ifft", transform<Spectrum::kFull>},
    {"aten::fft_rfft", transform<Spectrum::kHalf>},
    {"aten::fft_irfft", transform<Spectrum::kInverseHalf>},
    {"aten::fft_fft2", transform<Spectrum::kFull>},
    {"aten::fft_ifft2", transform<Spectrum::kFull>},
    {"aten::fft_rfft2", transform<Spectrum::kHalf>},
    {"aten::fft_irfft2", transform<Spectrum::kInverseHalf>},
    {"aten::fft_fftn", transform<Spectrum::kFull>},
    {"aten::fft_ifftn", transform<Spectrum::kFull>},
    {"aten::fft_rfftn", transform<Spectrum::kHalf>},
    {"aten::fft_irfftn", transform<Spectrum::kInverseHalf>},
    {"aten::stft", short_time_transform},
    {"aten::stft.center", short_time_transform},
};

}  // namespace graphnet::eager
