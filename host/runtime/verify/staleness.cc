// SPDX-License-Identifier: MIT
#include "verify/staleness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "verify/element_errors.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

constexpr int kStalenessBlock = 1024;
// Integers and bools have no tolerance to take ten times.
constexpr double kSensitiveShare = 0.01;

struct Sums {
  double before = 0;      // squares, of eager
  double change = 0;      // of eager
  double unfollowed = 0;  // of the plugin's change less eager's
  double moved = 0;       // of the plugin's change
  std::int64_t differing = 0;
  std::int64_t left = 0;  // differing in eager, the same in the plugin
  std::int64_t count = 0;
};

using Block = std::array<double, kStalenessBlock>;

void load(const TensorView& view, std::int64_t begin, int count, Block& out) {
  load_as_double(view.dtype, view.data, begin, count, out.data());
}

void add_block(const std::array<Block, 4>& blocks, int count, double limit, Sums& sums) {
  for (int i = 0; i < count; ++i) {
    const double eager = blocks[1][i] - blocks[0][i];
    const double plugin = blocks[3][i] - blocks[2][i];
    if (!std::isfinite(eager) || !std::isfinite(plugin)) continue;
    if (std::fabs(blocks[0][i]) > limit || std::fabs(blocks[1][i]) > limit) continue;
    sums.before += blocks[0][i] * blocks[0][i];
    sums.change += eager * eager;
    sums.unfollowed += (plugin - eager) * (plugin - eager);
    sums.moved += plugin * plugin;
    sums.differing += eager != 0 ? 1 : 0;
    sums.left += eager != 0 && plugin == 0 ? 1 : 0;
    ++sums.count;
  }
}

Sums sums_within(const FourViews& views, double limit) {
  std::array<Block, 4> blocks;
  Sums sums;
  const std::int64_t total = count_of(views.eager_before);
  for (std::int64_t begin = 0; begin < total; begin += kStalenessBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kStalenessBlock, total - begin));
    load(views.eager_before, begin, count, blocks[0]);
    load(views.eager_after, begin, count, blocks[1]);
    load(views.plugin_before, begin, count, blocks[2]);
    load(views.plugin_after, begin, count, blocks[3]);
    add_block(blocks, count, limit, sums);
  }
  return sums;
}

double share(std::int64_t part, std::int64_t of) {
  return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

double root_ratio(double squares, double of) {
  if (squares == 0) return 0;
  return of > 0 ? std::sqrt(squares / of) : std::numeric_limits<double>::infinity();
}

double change_of(base::DType dtype, const Sums& sums) {
  return is_exact(dtype) ? share(sums.differing, sums.count) : root_ratio(sums.change, sums.before);
}

/// Looks for outsize elements, which would hide all others, where the change seems small.
Sums sums_of(const FourViews& views) {
  const TensorView& eager = views.eager_before;
  const Sums all = sums_within(views, std::numeric_limits<double>::infinity());
  const bool may_hide = base::is_floating(eager.dtype) && all.change > 0 &&
                        !is_sensitive(eager.dtype, change_of(eager.dtype, all));
  if (!may_hide) return all;
  const double median = median_magnitude(eager.dtype, eager.data, count_of(eager));
  return median > 0 ? sums_within(views, kOutsizeFactor * median) : all;
}

}  // namespace

double relative_change(const TensorView& before, const TensorView& after) {
  return change_of(before.dtype, sums_of({before, after, before, after}));
}

bool is_sensitive(base::DType dtype, double change) {
  return change >= (is_exact(dtype) ? kSensitiveShare : kSensitiveFactor * rms_limit(dtype));
}

OutputChange compare_changes(const FourViews& views, double accepted_error) {
  const base::DType dtype = views.eager_before.dtype;
  const Sums sums = sums_of(views);
  OutputChange result;
  result.eager = change_of(dtype, sums);
  if (is_exact(dtype)) {
    result.unfollowed = share(sums.left, sums.differing);
    result.moved = 1 - result.unfollowed;
    if (!is_sensitive(dtype, result.eager)) return result;
    // Indices of values that tie may stay where eager's move; all of them do not.
    result.following = sums.left == sums.differing ? Following::kStale : Following::kFollows;
    return result;
  }
  result.unfollowed = root_ratio(sums.unfollowed, sums.change);
  result.moved = root_ratio(sums.moved, sums.change);
  const double tolerance = std::max(rms_limit(dtype), accepted_error);
  // Written so that a NaN is no evidence.
  if (!(result.eager >= kSensitiveFactor * tolerance)) return result;
  const double most = std::max(kMostUnfollowed, 2 * tolerance / result.eager);
  result.following = result.unfollowed <= most ? Following::kFollows : Following::kStale;
  return result;
}

}  // namespace graphnet::verify
