// SPDX-License-Identifier: MIT
#include "verify/indices.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/text.h"
#include "verify/outcome_rule.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

using base::DType;

std::int64_t index_at(const TensorView& view, std::int64_t at) {
  if (view.dtype == DType::kInt32) return static_cast<const std::int32_t*>(view.data)[at];
  return static_cast<const std::int64_t*>(view.data)[at];
}

bool is_index_dtype(DType dtype) {
  return dtype == DType::kInt64 || dtype == DType::kInt32;
}

/// Values of shape [outer, extent, inner] and indices of shape [outer, chosen, inner].
struct Layout {
  std::int64_t outer = 1;
  std::int64_t extent = 1;
  std::int64_t chosen = 1;
  std::int64_t inner = 1;
};

std::optional<Layout> layout_of(const std::vector<std::int64_t>& indices,
                                const IndexSource& source) {
  const std::vector<std::int64_t>& values = source.values.shape;
  Layout layout;
  if (!source.dim || values.empty()) {
    layout.extent = count_of(source.values);
    layout.chosen = base::num_elements(indices).value_or(0);
    const bool fits = source.kind == IndexKind::kOne ? layout.chosen == 1 : indices == values;
    return fits ? std::optional(layout) : std::nullopt;
  }
  const std::size_t dim = *source.dim;
  if (dim >= values.size()) return std::nullopt;
  for (std::size_t i = 0; i < dim; ++i) layout.outer *= values[i];
  for (std::size_t i = dim + 1; i < values.size(); ++i) layout.inner *= values[i];
  layout.extent = values[dim];
  std::vector<std::int64_t> expected = values;
  if (source.kind == IndexKind::kOne) {
    expected[dim] = 1;
    if (indices == expected) return layout;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(dim));
    return indices == expected ? std::optional(layout) : std::nullopt;
  }
  if (indices.size() != values.size()) return std::nullopt;
  layout.chosen = expected[dim] = indices[dim];
  return indices == expected ? std::optional(layout) : std::nullopt;
}

// The indices of one slice of the values, and what they select.
struct Selection {
  std::vector<std::int64_t> eager;
  std::vector<std::int64_t> plugin;
};

class Judge {
 public:
  Judge(const TensorView& eager, const TensorView& plugin, const IndexSource& source, Layout layout)
      : eager_(eager), plugin_(plugin), source_(source), layout_(layout) {}

  IndexJudgement run() {
    result_.accepted = true;
    result_.worst_gap = 0;
    for (std::int64_t outer = 0; outer < layout_.outer; ++outer) {
      for (std::int64_t inner = 0; inner < layout_.inner; ++inner) {
        if (!judge_slice(outer, inner)) return result_;
      }
    }
    return result_;
  }

 private:
  std::int64_t output_index(std::int64_t outer, std::int64_t k, std::int64_t inner) const {
    return (outer * layout_.chosen + k) * layout_.inner + inner;
  }

  // False if an index cannot be followed: the rest is not judged.
  bool judge_slice(std::int64_t outer, std::int64_t inner) {
    const std::int64_t differing = result_.differing;
    selection_.eager.clear();
    selection_.plugin.clear();
    for (std::int64_t k = 0; k < layout_.chosen; ++k) {
      const std::int64_t at = output_index(outer, k, inner);
      selection_.eager.push_back(index_at(eager_, at));
      selection_.plugin.push_back(index_at(plugin_, at));
      if (selection_.eager.back() != selection_.plugin.back()) ++result_.differing;
    }
    if (result_.differing == differing) return true;
    if (!in_range(outer, inner)) return false;
    if (source_.kind != IndexKind::kOne && selects_twice()) {
      refuse("an element is selected twice", output_index(outer, 0, inner));
      return false;
    }
    compare_values(outer, inner);
    return true;
  }

  bool in_range(std::int64_t outer, std::int64_t inner) {
    for (std::int64_t k = 0; k < layout_.chosen; ++k) {
      for (const auto* side : {&selection_.eager, &selection_.plugin}) {
        const std::int64_t index = (*side)[static_cast<std::size_t>(k)];
        if (index >= 0 && index < layout_.extent) continue;
        refuse(std::string(side == &selection_.eager ? "eager's " : "") + "index " +
                   std::to_string(index) + " is outside 0 to " + std::to_string(layout_.extent - 1),
               output_index(outer, k, inner));
        return false;
      }
    }
    return true;
  }

  bool selects_twice() const {
    std::vector<std::int64_t> sorted = selection_.plugin;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }

  double value_at(std::int64_t outer, std::int64_t index, std::int64_t inner) const {
    return element_as_double(source_.values.dtype, source_.values.data,
                             (outer * layout_.extent + index) * layout_.inner + inner);
  }

  std::vector<double> values_of(const std::vector<std::int64_t>& indices, std::int64_t outer,
                                std::int64_t inner) const {
    std::vector<double> values;
    for (const std::int64_t index : indices) values.push_back(value_at(outer, index, inner));
    if (source_.kind == IndexKind::kUnordered) {
      std::sort(values.begin(), values.end(), [](double a, double b) {
        return std::isnan(b) ? !std::isnan(a) : a < b;  // NaN last
      });
    }
    return values;
  }

  void compare_values(std::int64_t outer, std::int64_t inner) {
    const std::vector<double> eager = values_of(selection_.eager, outer, inner);
    const std::vector<double> plugin = values_of(selection_.plugin, outer, inner);
    std::optional<double> rms;
    for (std::size_t k = 0; k < eager.size(); ++k) {
      const bool alike = eager[k] == plugin[k] || (std::isnan(eager[k]) && std::isnan(plugin[k]));
      if (alike) continue;
      if (!rms) rms = slice_rms(outer, inner);
      add_gap(eager[k], plugin[k], *rms, output_index(outer, static_cast<std::int64_t>(k), inner));
    }
  }

  void add_gap(double eager, double plugin, double rms, std::int64_t at) {
    const bool finite = std::isfinite(eager) && std::isfinite(plugin);
    const double gap = finite ? std::abs(plugin - eager) : std::numeric_limits<double>::infinity();
    const DType dtype = source_.values.dtype;
    const double scale = std::max(std::abs(eager), rms);
    const double allowed = is_exact(dtype) ? 0 : rms_limit(dtype) * scale;
    const bool refused = !finite || gap > allowed;
    const bool worst = refused == result_.accepted ? refused : gap > *result_.worst_gap;
    if (refused) result_.accepted = false;
    if (!worst) return;
    result_.worst_gap = gap;
    result_.worst_index = at;
    if (refused) {
      char text[80];
      std::snprintf(text, sizeof text, "selects %.9g instead of %.9g", plugin, eager);
      result_.message = text;
    }
  }

  double slice_rms(std::int64_t outer, std::int64_t inner) const {
    double sum = 0;
    std::int64_t finite = 0;
    for (std::int64_t i = 0; i < layout_.extent; ++i) {
      const double value = value_at(outer, i, inner);
      if (!std::isfinite(value)) continue;
      sum += value * value;
      ++finite;
    }
    return finite > 0 ? std::sqrt(sum / static_cast<double>(finite)) : 0;
  }

  void refuse(std::string message, std::int64_t at) {
    result_.accepted = false;
    result_.worst_gap.reset();
    result_.worst_index = at;
    result_.message = std::move(message);
  }

  const TensorView& eager_;
  const TensorView& plugin_;
  const IndexSource& source_;
  Layout layout_;
  Selection selection_;
  IndexJudgement result_;
};

}  // namespace

IndexJudgement judge_indices(const TensorView& eager, const TensorView& plugin,
                             const IndexSource& source) {
  IndexJudgement refused;
  const bool comparable = eager.dtype == plugin.dtype && eager.shape == plugin.shape;
  if (!comparable || !is_index_dtype(eager.dtype)) {
    refused.message = "not two int64 or int32 tensors of one shape";
    return refused;
  }
  const std::optional<Layout> layout = layout_of(eager.shape, source);
  if (!layout || (count_of(source.values) > 0 && source.values.data == nullptr)) {
    refused.message = "indices of shape " + base::shape_text(eager.shape) +
                      " do not select from values of shape " +
                      base::shape_text(source.values.shape);
    return refused;
  }
  return Judge(eager, plugin, source, *layout).run();
}

}  // namespace graphnet::verify
