// SPDX-License-Identifier: MIT
#include "verify/float64_truth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "verify/scan.h"

namespace graphnet::verify {

namespace {

constexpr int kBlock = 1024;

struct Triple {
  double eager = 0;
  double plugin = 0;
  double truth = 0;
};

// Three arrays of one length, read as float64 in blocks.
class Triples {
 public:
  Triples(base::DType dtype, const void* eager, const void* plugin, const double* truth,
          std::int64_t count)
      : dtype_(dtype), eager_(eager), plugin_(plugin), truth_(truth), count_(count) {}

  // Calls visit(index, triple) where both sides are finite.
  template <typename Visit>
  void for_each(Visit visit) const {
    double eager[kBlock];
    double plugin[kBlock];
    for (std::int64_t begin = 0; begin < count_; begin += kBlock) {
      const int extent = static_cast<int>(std::min<std::int64_t>(kBlock, count_ - begin));
      load_as_double(dtype_, eager_, begin, extent, eager);
      load_as_double(dtype_, plugin_, begin, extent, plugin);
      for (int i = 0; i < extent; ++i) {
        if (!std::isfinite(eager[i]) || !std::isfinite(plugin[i])) continue;
        visit(begin + i, Triple{eager[i], plugin[i], truth_[begin + i]});
      }
    }
  }

 private:
  base::DType dtype_;
  const void* eager_;
  const void* plugin_;
  const double* truth_;
  std::int64_t count_;
};

double ratio_of(double plugin, double eager) {
  if (eager > 0) return plugin / eager;
  return plugin > 0 ? std::numeric_limits<double>::infinity() : 1;
}

double excess_of(double error, double allowed) {
  return error == 0 ? 0 : error / allowed;
}

double usual_error(const ElementRule& rule, const Triples& triples, std::int64_t compared) {
  std::vector<double> errors;
  errors.reserve(static_cast<std::size_t>(compared));
  triples.for_each([&](std::int64_t, const Triple& at) {
    if (rule.is_outsize(at.eager) || !std::isfinite(at.truth)) return;
    errors.push_back(std::abs(at.eager - at.truth));
  });
  if (errors.empty()) return 0;
  const double below = std::ceil(kUsualErrorShare * static_cast<double>(errors.size()));
  const auto usual = errors.begin() + static_cast<std::ptrdiff_t>(below) - 1;
  std::nth_element(errors.begin(), usual, errors.end());
  return *usual;
}

void judge_elements(const ElementRule& rule, const Triples& triples, Float64Errors& errors) {
  errors.usual_error = usual_error(rule, triples, errors.compared);
  triples.for_each([&](std::int64_t index, const Triple& at) {
    double excess = excess_of(std::abs(at.plugin - at.eager), rule.from_eager(at.eager));
    if (excess > 1 && std::isfinite(at.truth)) {
      const double allowed = rule.from_float64(at.eager, at.truth, errors.usual_error);
      excess = std::min(excess, excess_of(std::abs(at.plugin - at.truth), allowed));
    }
    if (excess <= errors.element_excess) return;
    errors.element_excess = excess;
    errors.worst_index = index;
  });
}

}  // namespace

std::optional<TruthFacts> Float64Errors::facts() const {
  if (compared == 0) return std::nullopt;
  return TruthFacts{excess_of(eager_rms, truth_rms), ratio, element_excess};
}

Float64Errors errors_against_float64(const ElementRule& rule, const void* eager, const void* plugin,
                                     const double* truth, std::int64_t count) {
  const Triples triples(rule.dtype, eager, plugin, truth, count);
  Float64Errors errors;
  Triple sums;
  bool is_far = false;
  triples.for_each([&](std::int64_t, const Triple& at) {
    is_far = is_far || std::abs(at.plugin - at.eager) > rule.from_eager(at.eager);
    if (rule.is_outsize(at.eager) || !std::isfinite(at.truth)) return;
    sums.plugin += (at.plugin - at.truth) * (at.plugin - at.truth);
    sums.eager += (at.eager - at.truth) * (at.eager - at.truth);
    sums.truth += at.truth * at.truth;
    ++errors.compared;
  });
  if (errors.compared == 0) return errors;
  const auto compared = static_cast<double>(errors.compared);
  errors.plugin_rms = std::sqrt(sums.plugin / compared);
  errors.eager_rms = std::sqrt(sums.eager / compared);
  errors.truth_rms = std::sqrt(sums.truth / compared);
  errors.ratio = ratio_of(errors.plugin_rms, errors.eager_rms);
  errors.closer_than_eager = errors.plugin_rms < errors.eager_rms;
  if (is_far) judge_elements(rule, triples, errors);
  return errors;
}

}  // namespace graphnet::verify
