// SPDX-License-Identifier: MIT
#include "tvm_plugin/schedule.h"

#include <algorithm>
#include <utility>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/prefetch.h"

namespace graphnet::tvm {

namespace {

// Work that pays for handing parts to other cores, in elements.
constexpr std::int64_t kWorthParallel = 1 << 14;
constexpr std::int64_t kChunk = 256;
// Their sums in a tile of rows stay in the first-level cache.
constexpr std::int64_t kFewPanels = 4;
// Of a right side that each tile of rows may read anew, in elements.
constexpr std::int64_t kSmallSide = 1 << 16;
constexpr std::int64_t kDepthUnroll = 4;
constexpr std::int64_t kTilesPerBlock = 16;
constexpr const char* kPrefetching = "graphnet.prefetching";

/// TVM's schedule of one function.
class Loops {
 public:
  /// threads   that a call may use
  explicit Loops(Ref module, int threads = 1)
      : module_(std::move(module)),
        threads_(threads),
        // Arguments: seed, debug mask, how errors are rendered (0 would print the function),
        // checks.
        schedule_(make("s_tir.schedule.TracedSchedule", module_, -1, 0, 1, true)) {}

  template <typename... Args>
  Any apply(const char* primitive, Args&&... args) const {
    return call(std::string("s_tir.schedule.Schedule") + primitive, schedule_,
                std::forward<Args>(args)...);
  }
  Ref block(const std::string& name) const {
    return apply("GetSBlock", String(name), String("main")).cast<Ref>();
  }
  Ref block(BlockRole role) const { return block(block_name(role)); }
  std::vector<std::string> block_names() const {
    std::vector<std::string> names;
    for (const Ref& child : apply("GetChildBlocks", block("root")).cast<Array<Ref>>()) {
      names.push_back(field(apply("Get", child).cast<Ref>(), "name_hint").cast<String>());
    }
    return names;
  }
  std::vector<Ref> of(const Ref& block) const {
    const auto loops = apply("GetLoops", block).cast<Array<Ref>>();
    return {loops.begin(), loops.end()};
  }
  Ref first_reduction(const Ref& block) const {
    const std::vector<Ref> list = of(block);
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Ref& loop) { return is_reduction(loop); });
    return found == list.end() ? list.back() : *found;
  }
  bool is_reduction(const Ref& loop) const {
    return call("s_tir.schedule.GetLoopIterType", schedule_, loop).cast<String>() != "S";
  }
  std::int64_t extent(const Ref& loop) const {
    const Ref extent = field(apply("Get", loop).cast<Ref>(), "extent").cast<Ref>();
    std::int64_t value = 0;
    return is_constant(extent, value) ? value : -1;
  }
  /// Outer and inner; the inner of `factor`.
  std::pair<Ref, Ref> split(const Ref& loop, std::int64_t factor) const {
    const Ref inner = make("ir.IntImm", DLDataType{kDLInt, 32, 1}, factor, nullptr);
    const auto parts =
        apply("Split", loop, Array<Any>{nullptr, inner}, true, false).cast<Array<Ref>>();
    return {parts[0], parts[1]};
  }
  /// Makes loops of it, one after the other, of these extents and of what is left.
  std::vector<Ref> cut(const Ref& loop, const std::vector<std::int64_t>& counts) const {
    Array<Any> extents;
    for (const std::int64_t count : counts) {
      extents.push_back(make("ir.IntImm", DLDataType{kDLInt, 32, 1}, count, nullptr));
    }
    extents.push_back(nullptr);
    const auto parts = apply("LoopPartition", loop, extents, true).cast<Array<Ref>>();
    return {parts.begin(), parts.end()};
  }
  void reorder(const std::vector<Ref>& loops) const { apply("Reorder", to_array(loops)); }
  Ref fuse(const std::vector<Ref>& loops) const {
    return loops.size() == 1 ? loops[0] : apply("Fuse", to_array(loops), true).cast<Ref>();
  }
  /// Whether loops are shared out to cores. Each that is becomes a function of its own beside the
  /// one that hands its parts out, which takes LLVM 10 to 20 % longer.
  bool has_cores() const { return threads_ > 1; }
  void parallel(const Ref& loop) const {
    if (has_cores() && extent(loop) != 1) apply("Parallel", loop);
  }
  /// Shares out what the loops do together.
  void parallel(const std::vector<Ref>& loops) const {
    if (has_cores()) parallel(fuse(loops));
  }
  void vectorize(const Ref& loop) const {
    if (extent(loop) > 1) apply("Vectorize", loop);
  }
  void unroll(const Ref& loop) const { apply("Unroll", loop); }
  Ref decompose(const Ref& block, const Ref& loop) const {
    return apply("DecomposeReduction", block, loop).cast<Ref>();
  }
  /// Has a step of a product or convolution prefetch its right side; last of all. The trace, which
  /// the tuning database stores, keeps the mark alone.
  void prefetch(const Ref& step) const {
    apply("Annotate", step, String(kPrefetching), 1);
    prefetch_right_side(schedule_, step);
  }
  bool is_marked(const Ref& loop) const {
    const auto marks =
        field(apply("Get", loop).cast<Ref>(), "annotations").cast<Map<String, Any>>();
    return marks.count(String(kPrefetching)) > 0;
  }
  const Ref& handle() const { return schedule_; }

 private:
  // A schedule changes a module that nobody else holds in place, loops that its function shares
  // with the kernel's own among it.
  Ref module_;
  int threads_;
  Ref schedule_;
};

std::int64_t largest_divisor(std::int64_t value, std::int64_t most) {
  std::int64_t divisor = std::min(value, most);
  while (divisor > 1 && value % divisor != 0) --divisor;
  return std::max<std::int64_t>(divisor, 1);
}

std::int64_t total(const Loops& loops, const std::vector<Ref>& list) {
  std::int64_t product = 1;
  for (const Ref& loop : list) product *= loops.extent(loop);
  return product;
}

std::vector<Ref> first_of(const std::vector<Ref>& list, std::size_t count) {
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// Vectors that divide the loop; 1 if there are none.
std::int64_t vector_of(std::int64_t extent) {
  for (const std::int64_t lanes : {kLanes, kLanes / 2, kLanes / 4}) {
    if (extent % lanes == 0) return lanes;
  }
  return 1;
}

/// The innermost loop in vectors, what is outside of it spread over cores. A short one is in
/// vectors together with those around it, unless its elements would be collected one by one.
void arrange_elements(const Loops& loops, const Ref& block, bool moves_columns) {
  std::vector<Ref> list = loops.of(block);
  const std::int64_t count = total(loops, list);
  const std::int64_t innermost = loops.extent(list.back());
  std::int64_t lanes = vector_of(innermost);
  if (lanes == 1 && innermost <= kLanes && !moves_columns) lanes = vector_of(count);
  const bool is_split = innermost % lanes == 0 && innermost > lanes;
  Ref vector;
  if (innermost % lanes != 0) {
    std::tie(list.front(), vector) = loops.split(loops.fuse(list), lanes);
    list.resize(1);
  } else if (is_split) {
    std::tie(list.back(), vector) = loops.split(list.back(), lanes);
  } else {
    vector = list.back();
    list.pop_back();
  }
  if (lanes == 1 && !is_split) vector = Ref();
  if (lanes > 1) loops.vectorize(vector);
  if (list.empty() || !loops.has_cores()) return;
  // Positions within a chunk are counted by loops of their own; those of one loop over everything
  // are divided again for each vector.
  std::size_t kept = list.size();
  std::int64_t chunk = lanes;
  while (kept > 1 && chunk * loops.extent(list[kept - 1]) <= kChunk * kLanes) {
    chunk *= loops.extent(list[--kept]);
  }
  const Ref outer = loops.fuse(first_of(list, kept));
  if (count < kWorthParallel) return;
  const std::int64_t chunks =
      largest_divisor(loops.extent(outer), std::max<std::int64_t>(kChunk * kLanes / chunk, 1));
  loops.parallel(chunks == 1 ? outer : loops.split(outer, chunks).first);
}

Ref result_block(const Loops& loops) {
  const std::vector<std::string> names = loops.block_names();
  return loops.block(names.back());
}

bool has_block(const std::vector<std::string>& names, BlockRole role) {
  return std::find(names.begin(), names.end(), block_name(role)) != names.end();
}

// ---- rows: one row after the other, all blocks of a row together ----

// What fills no vector of one width is in vectors of the next.
void vectorize_columns(const Loops& loops, const Ref& block) {
  const Ref columns = loops.of(block).back();
  std::int64_t rest = loops.extent(columns);
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> lanes;
  for (const std::int64_t width : {kLanes, kLanes / 2, kLanes / 4}) {
    if (rest < width) continue;
    lanes.push_back(width);
    counts.push_back(rest / width * width);
    rest %= width;
  }
  if (counts.empty()) return;
  if (rest == 0) counts.pop_back();
  const std::vector<Ref> parts =
      counts.empty() ? std::vector<Ref>{columns} : loops.cut(columns, counts);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const bool is_one = loops.extent(parts[i]) == lanes[i];
    loops.vectorize(is_one ? parts[i] : loops.split(parts[i], lanes[i]).second);
  }
}

void arrange_rows(const Loops& loops, const Kernel& kernel) {
  const std::vector<std::string> names = loops.block_names();
  const Ref out = loops.block(names.back());
  const Ref row = loops.of(out)[0];
  if (kernel.rows > 1) {
    for (std::size_t i = names.size() - 1; i-- > 0;) {
      loops.apply("ComputeAt", loops.block(names[i]), row, true, -1);
    }
  }
  std::vector<std::pair<Ref, Ref>> reductions;
  for (const std::string& name : names) {
    const Ref block = loops.block(name);
    const BlockRole role = role_of(name);
    if (role == BlockRole::kPartial) {
      const std::vector<Ref> list = loops.of(block);
      const Ref& lane = list[list.size() - 2];
      loops.reorder({list.back(), lane});
      loops.vectorize(lane);
      if (kernel.rows == 1) loops.parallel(list[list.size() - 3]);
      reductions.emplace_back(block, list.back());
    } else if (role == BlockRole::kReduced || role == BlockRole::kRest) {
      reductions.emplace_back(block, loops.first_reduction(block));
    } else if (loops.of(block).size() > 1 || kernel.rows == 1) {
      vectorize_columns(loops, block);
    }
  }
  if (kernel.rows > 1) loops.parallel(row);
  // Last: other primitives refuse a function whose reductions are in two parts.
  for (const auto& [block, loop] : reductions) loops.decompose(block, loop);
}

// ---- products ----

/// Few panels, the last of which is not full, of a small right side. What follows the product then
/// takes whole rows of a tile: in panels each element has a condition, which makes no vectors. Not
/// where cores would have less to share.
bool has_small_rest(const Loops& loops, const Ref& out, const std::vector<Ref>& acc,
                    const Ref& row_tiles) {
  const std::int64_t panels = loops.extent(acc[2]);
  const std::int64_t elements = total(loops, {acc[2], acc[3], acc[4]});
  return panels <= kFewPanels && elements <= kSmallSide &&
         loops.extent(loops.of(out).back()) < panels * loops.extent(acc[3]) &&
         (!loops.has_cores() || loops.extent(acc[0]) * loops.extent(row_tiles) >= panels);
}

/// acc [batch, rows, panels, panel | depth].
void arrange_dot(const Loops& loops, const KernelFunction& function) {
  const Ref acc = loops.block(BlockRole::kAcc);
  const std::vector<Ref> list = loops.of(acc);
  const auto [row_tiles, row] = loops.split(list[1], function.shape.row_tile);
  const Ref out = loops.block(BlockRole::kOut);
  const bool takes_rows = has_small_rest(loops, out, list, row_tiles);
  const auto [depth, step] =
      loops.split(list[4], largest_divisor(loops.extent(list[4]), kDepthUnroll));
  if (takes_rows) {
    loops.reorder({row_tiles, list[2], depth, step, row, list[3]});
    loops.apply("ReverseComputeAt", out, row_tiles, true, -1);
    loops.parallel({list[0], row_tiles});
  } else {
    const std::int64_t per_block = largest_divisor(loops.extent(row_tiles), kTilesPerBlock);
    const auto [row_blocks, tile] = loops.split(row_tiles, per_block);
    loops.reorder({row_blocks, list[2], tile, depth, step, row, list[3]});
    loops.apply("ReverseComputeAt", out, tile, true, -1);
    loops.parallel({list[0], row_blocks, list[2]});
  }
  loops.unroll(row);
  loops.unroll(step);
  loops.vectorize(list[3]);
  vectorize_columns(loops, out);
  loops.decompose(acc, depth);
  loops.prefetch(step);
}

/// Of a depthwise convolution, at most `most`. Vectors of 5 or 6 are taken apart by LLVM.
std::int64_t lanes_of_channels(std::int64_t channels, std::int64_t most) {
  for (std::int64_t lanes = most; lanes > 2; lanes /= 2) {
    if (channels % lanes == 0) return lanes;
  }
  return largest_divisor(channels, most);
}

/// acc [n, positions..., panels, panel | taps..., channels]; depthwise [n, positions..., c |
/// taps...].
void arrange_convolution(const Loops& loops, const KernelFunction& function) {
  const Ref acc = loops.block(BlockRole::kAcc);
  std::vector<Ref> list = loops.of(acc);
  const auto spatial = static_cast<std::size_t>(function.shape.num_spatial);
  const bool is_depthwise = function.shape.anchor == AnchorKind::kDepthwise;
  const std::size_t columns = spatial - (is_depthwise ? 1 : 2);  // position of the channel loop
  const auto [tiles, position] = loops.split(list[columns - 1], function.shape.row_tile);
  Ref panel = list[columns];
  Ref lane;
  if (is_depthwise) {
    std::tie(panel, lane) =
        loops.split(panel, lanes_of_channels(loops.extent(panel), function.shape.lanes));
  } else {
    lane = list[columns + 1];
  }
  std::vector<Ref> outer = first_of(list, columns - 1);
  // The panels of a kernel are large: each stays in a cache for the whole image. Of a depthwise
  // kernel they are small, and a panel of the image is a part of each of its cache lines.
  outer.insert(is_depthwise ? outer.end() : outer.begin() + 1, panel);
  std::vector<Ref> order = outer;
  order.push_back(tiles);
  order.insert(order.end(), list.begin() + static_cast<std::ptrdiff_t>(spatial), list.end());
  Ref step;
  if (!is_depthwise) {
    std::tie(order.back(), step) =
        loops.split(order.back(), largest_divisor(loops.extent(order.back()), kDepthUnroll));
    order.push_back(step);
    loops.unroll(step);
  }
  order.insert(order.end(), {position, lane});
  loops.reorder(order);
  loops.apply("ReverseComputeAt", loops.block(BlockRole::kOut), tiles, true, -1);
  loops.parallel(outer);
  loops.unroll(position);
  loops.vectorize(lane);
  vectorize_columns(loops, loops.block(BlockRole::kOut));
  loops.decompose(acc, list[spatial]);
  if (!is_depthwise) loops.prefetch(step);
}

/// acc [kept... | reduced...], its last kept dimension in vectors.
void arrange_columns(const Loops& loops, const KernelFunction& function) {
  const std::vector<std::string> names = loops.block_names();
  const Ref acc = loops.block(names.front());
  std::vector<Ref> list = loops.of(acc);
  const auto spatial = static_cast<std::size_t>(function.shape.num_spatial);
  if (spatial == 0 || list.size() == spatial) return;
  const std::int64_t lanes = vector_of(loops.extent(list[spatial - 1]));
  const std::int64_t count = total(loops, list);
  std::vector<Ref> outer = first_of(list, spatial);
  std::vector<Ref> order;
  if (lanes > 1) {
    Ref lane;
    std::tie(outer.back(), lane) = loops.split(outer.back(), lanes);
    order = outer;
    order.insert(order.end(), list.begin() + static_cast<std::ptrdiff_t>(spatial), list.end());
    order.push_back(lane);
    loops.reorder(order);
    loops.vectorize(lane);
  }
  if (count >= kWorthParallel) loops.parallel(outer);
  if (has_block(names, BlockRole::kOut))
    arrange_elements(loops, loops.block(BlockRole::kOut), /*moves_columns=*/false);
  const Ref start = loops.decompose(acc, list[spatial]);
  if (lanes > 1) loops.vectorize(loops.of(start).back());
}

}  // namespace

Ref module_of(const Ref& function) {
  Any moved(function);
  const Ref named = make("ir.BaseFuncWithAttr", ffi::RValueRef<Ref>(std::move(moved).cast<Ref>()),
                         String("global_symbol"), String("main"));
  Map<Ref, Ref> functions;
  functions.Set(make("ir.GlobalVar", String("main")), named);
  return make("ir.IRModule", functions, nullptr, Map<String, Any>{});
}

Ref function_of(const Ref& module) {
  Any moved(make("ir.Module_Lookup_str", module, String("main")));
  return make("ir.BaseFuncWithoutAttr", ffi::RValueRef<Ref>(std::move(moved).cast<Ref>()),
              String("global_symbol"));
}

Ref schedule_kernel(const Kernel& kernel, const KernelFunction& function, int threads,
                    std::string& rule) {
  const Loops loops(module_of(function.function), threads);
  if (kernel.kind == KernelKind::kSpatial) {
    rule = "elements";
    arrange_elements(loops, result_block(loops), function.shape.moves_columns);
  } else if (kernel.kind == KernelKind::kRows) {
    rule = "rows";
    arrange_rows(loops, kernel);
  } else if (kernel.kind == KernelKind::kPair) {
    rule = "pairs";
  } else if (function.shape.anchor == AnchorKind::kProduct && function.shape.has_panels) {
    rule = "product";
    arrange_dot(loops, function);
  } else if (function.shape.anchor == AnchorKind::kConvolution ||
             function.shape.anchor == AnchorKind::kDepthwise) {
    rule = function.shape.anchor == AnchorKind::kDepthwise ? "depthwise" : "convolution";
    arrange_convolution(loops, function);
  } else {
    rule = "columns";
    arrange_columns(loops, function);
  }
  return loops.handle();
}

Ref plain_schedule(const KernelFunction& function) {
  return Loops(module_of(function.function)).handle();
}

Ref module_with(const Ref& schedule) {
  return make("s_tir.schedule.ScheduleGetMod", schedule);
}

Ref with_prefetching(const Ref& module) {
  const Loops loops(module);
  for (const std::string& name : loops.block_names()) {
    for (const Ref& loop : loops.of(loops.block(name))) {
      if (loops.is_marked(loop)) prefetch_right_side(loops.handle(), loop);
    }
  }
  return module_with(loops.handle());
}

}  // namespace graphnet::tvm
