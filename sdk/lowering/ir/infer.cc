// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "lowering/builder.h"
#include "lowering/ir/composite.h"
#include "lowering/ir/operation.h"

namespace graphnet::lowering::ir {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw LoweringError(what);
}

bool is_dim(std::int64_t dim, const TensorType& x) {
  return dim >= 0 && dim < x.rank();
}

bool are_distinct_dims(Shape dims, const TensorType& x) {
  std::sort(dims.begin(), dims.end());
  const bool is_distinct = std::adjacent_find(dims.begin(), dims.end()) == dims.end();
  return is_distinct &&
         std::all_of(dims.begin(), dims.end(), [&x](std::int64_t dim) { return is_dim(dim, x); });
}

bool have_rank(std::initializer_list<const Shape*> lists, std::size_t rank) {
  return std::all_of(lists.begin(), lists.end(),
                     [rank](const Shape* list) { return list->size() == rank; });
}

bool are_at_least(const Shape& list, std::int64_t least) {
  return std::all_of(list.begin(), list.end(),
                     [least](std::int64_t each) { return each >= least; });
}

Type complex_type(Type part) {
  return part == Type::kF64 ? Type::kC128 : Type::kC64;
}

/// Extent of windows that begin `stride` apart and reach over `size` taps.
std::int64_t num_windows(std::int64_t extent, std::int64_t size, std::int64_t stride,
                         std::int64_t dilation) {
  const std::int64_t room = extent - dilation * (size - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

bool is_layout(const Shape& layout, const TensorType& x) {
  return layout.empty() || (layout.size() == x.shape.size() && are_distinct_dims(layout, x));
}

class Inference {
 public:
  Inference(const std::vector<TensorType>& operands, const TensorType& given)
      : in_(operands), given_(given) {}

  using Types = std::vector<TensorType>;

  Types operator()(const Parameter&) const { return leaf(); }
  Types operator()(const Constant& each) const {
    const std::int64_t wanted = num_elements(given_.shape) * bytes_of(given_.type);
    require(static_cast<std::int64_t>(each.bytes.size()) == wanted,
            "a constant has other bytes than its type says");
    return leaf();
  }
  Types operator()(const Splat&) const { return leaf(); }
  Types operator()(const Iota& each) const {
    require(is_dim(each.dim, given_), "iota along a dimension that is not there");
    return leaf();
  }
  Types operator()(const Convert&) const {
    take(1);
    return {{given_.type, in_[0].shape}};
  }
  Types operator()(const UnaryOperation& each) const {
    take(1);
    const bool is_part = each.kind == Unary::kReal || each.kind == Unary::kImag;
    require(!is_part || is_complex(in_[0].type), "a part of numbers that are not complex");
    return {{is_part ? part_type(in_[0].type) : in_[0].type, in_[0].shape}};
  }
  Types operator()(const BinaryOperation& each) const {
    take(2);
    require(in_[0] == in_[1], "operands of other types or shapes");
    const bool makes_complex = each.kind == Binary::kComplex;
    return {{makes_complex ? complex_type(in_[0].type) : in_[0].type, in_[0].shape}};
  }
  Types operator()(const CompareOperation&) const {
    take(2);
    require(in_[0] == in_[1], "operands of other types or shapes");
    return {{Type::kBool, in_[0].shape}};
  }
  Types operator()(const Select&) const {
    take(3);
    require(in_[0].type == Type::kBool && in_[0].shape == in_[1].shape && in_[1] == in_[2],
            "a selection between other types or shapes");
    return {in_[1]};
  }
  Types operator()(const Broadcast& each) const {
    take(1);
    require(each.dims.size() == in_[0].shape.size() && are_distinct_dims(each.dims, given_),
            "dimensions of a broadcast that do not fit");
    for (std::size_t i = 0; i < each.dims.size(); ++i) {
      const std::int64_t to = given_.shape[static_cast<std::size_t>(each.dims[i])];
      require(in_[0].shape[i] == to || in_[0].shape[i] == 1, "a broadcast of an extent above 1");
    }
    return {{in_[0].type, given_.shape}};
  }
  Types operator()(const Reshape&) const {
    take(1);
    require(num_elements(in_[0].shape) == num_elements(given_.shape),
            "a reshape to another number of elements");
    return {{in_[0].type, given_.shape}};
  }
  Types operator()(const Transpose& each) const {
    take(1);
    require(each.permutation.size() == in_[0].shape.size() &&
                are_distinct_dims(each.permutation, in_[0]),
            "no permutation of the dimensions");
    TensorType result = {in_[0].type, {}};
    for (const std::int64_t dim : each.permutation) {
      result.shape.push_back(in_[0].shape[static_cast<std::size_t>(dim)]);
    }
    return {result};
  }
  Types operator()(const Slice& each) const {
    take(1);
    require(have_rank({&each.begin, &each.end, &each.step}, in_[0].shape.size()),
            "a slice of another rank");
    TensorType result = in_[0];
    for (std::size_t i = 0; i < result.shape.size(); ++i) {
      const bool is_inside = each.begin[i] >= 0 && each.begin[i] <= each.end[i] &&
                             each.end[i] <= in_[0].shape[i] && each.step[i] > 0;
      require(is_inside, "a slice beyond its operand");
      result.shape[i] = (each.end[i] - each.begin[i] + each.step[i] - 1) / each.step[i];
    }
    return {result};
  }
  Types operator()(const Pad& each) const {
    take(1);
    require(have_rank({&each.low, &each.high, &each.interior}, in_[0].shape.size()) &&
                are_at_least(each.interior, 0),
            "padding of another rank");
    TensorType result = in_[0];
    for (std::size_t i = 0; i < result.shape.size(); ++i) {
      const std::int64_t gaps = std::max<std::int64_t>(result.shape[i] - 1, 0);
      result.shape[i] += each.low[i] + each.high[i] + gaps * each.interior[i];
    }
    require(are_at_least(result.shape, 0), "padding that cuts more than there is");
    return {result};
  }
  Types operator()(const Concatenate& each) const {
    require(!in_.empty() && is_dim(each.dim, in_[0]), "a concatenation without operands");
    const auto dim = static_cast<std::size_t>(each.dim);
    TensorType result = in_[0];
    result.shape[dim] = 0;
    for (const TensorType& part : in_) {
      require(part.rank() == result.rank(), "a concatenation of other ranks");
      TensorType same = part;
      same.shape[dim] = result.shape[dim];
      require(same == result, "a concatenation of other types or shapes");
      result.shape[dim] += part.shape[dim];
    }
    return {result};
  }
  Types operator()(const Reverse& each) const {
    take(1);
    require(are_distinct_dims(each.dims, in_[0]), "dimensions of a reverse that do not fit");
    return {in_[0]};
  }
  Types operator()(const Reduce& each) const {
    take(1);
    require(are_distinct_dims(each.dims, in_[0]), "dimensions of a reduction that do not fit");
    return {{in_[0].type, without_dims(in_[0].shape, each.dims)}};
  }
  Types operator()(const ReduceIndex& each) const {
    take(1);
    require(is_dim(each.dim, in_[0]), "dimension of a reduction that is not there");
    const Shape shape = without_dims(in_[0].shape, {each.dim});
    return {{in_[0].type, shape}, {Type::kI64, shape}};
  }
  Types operator()(const ReduceWindow& each) const {
    take(1);
    const Window& w = each.window;
    require(have_rank({&w.size, &w.stride, &w.dilation, &w.low, &w.high}, in_[0].shape.size()) &&
                are_at_least(w.stride, 1) && are_at_least(w.size, 1) && are_at_least(w.dilation, 1),
            "a window that does not fit");
    TensorType result = in_[0];
    for (std::size_t i = 0; i < result.shape.size(); ++i) {
      result.shape[i] = num_windows(result.shape[i] + w.low[i] + w.high[i], w.size[i], w.stride[i],
                                    w.dilation[i]);
    }
    return {result};
  }
  Types operator()(const Dot& each) const;
  Types operator()(const Convolution& each) const;
  Types operator()(const PackedDot& each) const;
  Types operator()(const PairedDot& each) const;
  Types operator()(const PackedConvolution& each) const;
  Types operator()(const WinogradInput& each) const;
  Types operator()(const WinogradKernel& each) const;
  Types operator()(const WinogradOutput& each) const;
  Types operator()(const Attention& each) const;
  Types operator()(const Gather& each) const;
  Types operator()(const Scatter& each) const;
  Types operator()(const Sort& each) const {
    take(1);
    require(is_dim(each.dim, in_[0]), "dimension of a sort that is not there");
    return {in_[0], {Type::kI64, in_[0].shape}};
  }
  Types operator()(const FourierTransform& each) const;
  Types operator()(const Composite& each) const {
    take(num_operands(each));
    require(!each.results.empty(), "an operator without results");
    return each.results;
  }

 private:
  void take(std::size_t count) const { require(in_.size() == count, "another number of operands"); }
  Types leaf() const {
    take(0);
    return {given_};
  }

  const std::vector<TensorType>& in_;
  const TensorType& given_;
};

Inference::Types Inference::operator()(const Dot& each) const {
  take(2);
  const Contraction& c = each.contraction;
  const auto used = [](Shape batch, const Shape& contracting) {
    batch.insert(batch.end(), contracting.begin(), contracting.end());
    return batch;
  };
  const Shape left = used(c.left_batch, c.left_contracting);
  const Shape right = used(c.right_batch, c.right_contracting);
  require(in_[0].type == in_[1].type && c.left_batch.size() == c.right_batch.size() &&
              left.size() == right.size() && are_distinct_dims(left, in_[0]) &&
              are_distinct_dims(right, in_[1]),
          "a product of other types or dimensions");
  TensorType result = {compute_type(in_[0].type), {}};
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::int64_t extent = in_[0].shape[static_cast<std::size_t>(left[i])];
    require(extent == in_[1].shape[static_cast<std::size_t>(right[i])],
            "a product over other extents");
    if (i < c.left_batch.size()) result.shape.push_back(extent);
  }
  for (const Shape& free : {without_dims(in_[0].shape, left), without_dims(in_[1].shape, right)}) {
    result.shape.insert(result.shape.end(), free.begin(), free.end());
  }
  return {result};
}

Inference::Types Inference::operator()(const Convolution& each) const {
  take(2);
  const ConvolutionAttributes& w = each.window;
  require(in_[0].rank() >= 2 && in_[1].rank() == in_[0].rank() && in_[1].type == in_[0].type,
          "a convolution of other types or ranks");
  require(is_layout(each.layout, in_[0]) && is_layout(each.kernel_layout, in_[1]),
          "layouts of a convolution that do not fit");
  const TensorType x = {in_[0].type, out_of_layout(in_[0].shape, each.layout)};
  const TensorType kernel = {in_[1].type, out_of_layout(in_[1].shape, each.kernel_layout)};
  require(have_rank({&w.stride, &w.low, &w.high, &w.input_dilation, &w.kernel_dilation},
                    x.shape.size() - 2) &&
              are_at_least(w.stride, 1) && are_at_least(w.input_dilation, 1) &&
              are_at_least(w.kernel_dilation, 1),
          "attributes of a convolution that do not fit");
  require(
      w.groups > 0 && kernel.shape[1] * w.groups == x.shape[1] && kernel.shape[0] % w.groups == 0,
      "channels of a convolution that do not fit");
  TensorType result = {x.type, {x.shape[0], kernel.shape[0]}};
  for (std::size_t i = 0; i < w.stride.size(); ++i) {
    const std::int64_t spread =
        x.shape[i + 2] == 0 ? 0 : (x.shape[i + 2] - 1) * w.input_dilation[i] + 1;
    result.shape.push_back(num_windows(spread + w.low[i] + w.high[i], kernel.shape[i + 2],
                                       w.stride[i], w.kernel_dilation[i]));
  }
  result.shape = into_layout(result.shape, each.layout);
  return {result};
}

Inference::Types Inference::operator()(const PackedDot& each) const {
  take(2);
  const Shape& left = in_[0].shape;
  const Shape& right = in_[1].shape;
  require(left.size() == 3 && right.size() == 4 && in_[0].type == in_[1].type &&
              left[0] == right[0] && left[2] == right[2] && each.columns <= right[1] * right[3],
          "a product with panels that do not fit");
  return {{compute_type(in_[0].type), {left[0], left[1], each.columns}}};
}

Inference::Types Inference::operator()(const PairedDot& each) const {
  take(2);
  const Shape& left = in_[0].shape;
  const Shape& right = in_[1].shape;
  require(left.size() == 3 && right.size() == 5 && in_[0].type == in_[1].type &&
              left[0] == right[0] && right[4] == 2 && left[2] <= 2 * right[2] &&
              each.columns <= right[1] * right[3],
          "a product with panels of pairs that do not fit");
  return {{compute_type(in_[0].type), {left[0], left[1], each.columns}}};
}

Inference::Types Inference::operator()(const PackedConvolution& each) const {
  take(2);
  const Shape& x = in_[0].shape;
  const Shape& kernel = in_[1].shape;
  const std::size_t count = each.stride.size();
  require(x.size() == count + 2 && kernel.size() == count + 3 && in_[0].type == in_[1].type &&
              each.kernel_dilation.size() == count && are_at_least(each.stride, 1) &&
              are_at_least(each.kernel_dilation, 1),
          "a packed convolution of other types or ranks");
  require(each.groups > 0 && kernel[count + 1] * each.groups == x.back() &&
              each.out % each.groups == 0 && each.out <= kernel[0] * kernel.back() &&
              (each.groups == 1 || each.out / each.groups % kernel.back() == 0),
          "channels of a packed convolution that do not fit");
  TensorType result = {compute_type(in_[0].type), {x[0]}};
  for (std::size_t i = 0; i < count; ++i) {
    result.shape.push_back(
        num_windows(x[i + 1], kernel[i + 1], each.stride[i], each.kernel_dilation[i]));
  }
  result.shape.push_back(each.out);
  return {result};
}

Inference::Types Inference::operator()(const WinogradInput& each) const {
  take(1);
  const TensorType& x = in_[0];
  require(x.rank() == 4 && is_float(x.type) && have_rank({&each.low, &each.tiles}, 2) &&
              are_at_least(each.low, 0) && are_at_least(each.tiles, 1),
          "tiles of another image");
  return {{x.type, {kWinogradPoints, x.shape[0] * each.tiles[0] * each.tiles[1], x.shape[3]}}};
}

Inference::Types Inference::operator()(const WinogradKernel& each) const {
  take(1);
  const Shape& kernel = in_[0].shape;
  require(kernel.size() == 4 && is_float(in_[0].type) && kernel[2] == 3 && kernel[3] == 3 &&
              each.lanes > 0,
          "a kernel of other taps than 3 x 3");
  const std::int64_t panels = (kernel[0] + each.lanes - 1) / each.lanes;
  return {{in_[0].type, {kWinogradPoints, panels, kernel[1], each.lanes}}};
}

Inference::Types Inference::operator()(const WinogradOutput& each) const {
  take(1);
  const Shape& sums = in_[0].shape;
  require(sums.size() == 3 && is_float(in_[0].type) && each.extents.size() == 3 &&
              are_at_least(each.extents, 1) && sums[0] == kWinogradPoints &&
              sums[1] == each.extents[0] * num_winograd_tiles(each.extents[1]) *
                             num_winograd_tiles(each.extents[2]),
          "tiles of another image");
  return {{in_[0].type, {each.extents[0], each.extents[1], each.extents[2], sums[2]}}};
}

Inference::Types Inference::operator()(const Attention& each) const {
  const auto are_panels_of = [](const Shape& panels, std::int64_t columns) {
    return panels[3] > 0 && panels[1] == (columns + panels[3] - 1) / panels[3];
  };
  take(each.steps.size() + 3);
  require(in_[0].rank() == 3 && in_[1].rank() == 4 && in_[2].rank() == 4 && is_float(in_[0].type) &&
              in_[1].type == in_[0].type && in_[2].type == in_[0].type,
          "attention over other types or ranks");
  const Shape& queries = in_[0].shape;
  const Shape& keys = in_[1].shape;
  const Shape& values = in_[2].shape;
  const std::int64_t batch = num_elements(each.batch);
  require(queries[0] == batch && keys[0] == batch && values[0] == batch && keys[2] == queries[2] &&
              are_panels_of(keys, values[2]) && are_panels_of(values, each.columns),
          "attention over other extents");
  Shape scores = each.batch;
  scores.insert(scores.end(), {queries[1], values[2]});
  for (std::size_t i = 0; i < each.steps.size(); ++i) {
    const std::int64_t last = static_cast<std::int64_t>(AttentionStep::kDrop);
    require(each.steps[i] >= 0 && each.steps[i] <= last, "a step that attention does not have");
    const auto step = static_cast<AttentionStep>(each.steps[i]);
    const bool is_condition = step >= AttentionStep::kKeep;
    require((step != AttentionStep::kDrop || i + 1 == each.steps.size()),
            "a step that attention does not have there");
    const TensorType& operand = in_[i + 3];
    require(operand.type == (is_condition ? Type::kBool : in_[0].type) &&
                operand.shape.size() == scores.size(),
            "an operand of a step of attention that does not fit");
    for (std::size_t d = 0; d < scores.size(); ++d) {
      require(operand.shape[d] == scores[d] || operand.shape[d] == 1,
              "an operand of a step of attention that does not fit");
    }
  }
  return {{in_[0].type, {batch, queries[1], each.columns}}};
}

Inference::Types Inference::operator()(const Gather& each) const {
  take(2);
  const TensorType& starts = in_[1];
  require(is_integer(starts.type) && starts.rank() >= 1 && are_distinct_dims(each.dims, in_[0]) &&
              starts.shape.back() == static_cast<std::int64_t>(each.dims.size()),
          "positions of a gather that do not fit");
  const Shape rest = without_dims(in_[0].shape, each.dims);
  require(each.batch_position >= 0 && each.batch_position <= static_cast<std::int64_t>(rest.size()),
          "a gather that puts its positions outside the result");
  TensorType result = {in_[0].type, {rest.begin(), rest.begin() + each.batch_position}};
  result.shape.insert(result.shape.end(), starts.shape.begin(), starts.shape.end() - 1);
  result.shape.insert(result.shape.end(), rest.begin() + each.batch_position, rest.end());
  return {result};
}

Inference::Types Inference::operator()(const Scatter& each) const {
  take(3);
  const TensorType& starts = in_[1];
  require(is_integer(starts.type) && starts.rank() >= 1 && are_distinct_dims(each.dims, in_[0]) &&
              starts.shape.back() == static_cast<std::int64_t>(each.dims.size()),
          "positions of a scatter that do not fit");
  TensorType updates = {in_[0].type, {starts.shape.begin(), starts.shape.end() - 1}};
  const Shape rest = without_dims(in_[0].shape, each.dims);
  updates.shape.insert(updates.shape.end(), rest.begin(), rest.end());
  require(in_[2] == updates, "updates of a scatter that do not fit");
  return {in_[0]};
}

Inference::Types Inference::operator()(const FourierTransform& each) const {
  take(1);
  const auto count = static_cast<std::int64_t>(each.lengths.size());
  require(count >= 1 && count <= in_[0].rank() && are_at_least(each.lengths, 1),
          "lengths of a Fourier transform that do not fit");
  const bool takes_real = each.kind == Fourier::kRealForward;
  require(takes_real ? is_float(in_[0].type) && !is_half(in_[0].type) : is_complex(in_[0].type),
          "a Fourier transform of another type");
  Shape given = each.lengths;
  if (each.kind == Fourier::kRealInverse) given.back() = given.back() / 2 + 1;
  require(std::equal(given.begin(), given.end(), in_[0].shape.end() - count),
          "lengths of a Fourier transform that do not fit");
  TensorType result = in_[0];
  if (takes_real) {
    result = {complex_type(in_[0].type), in_[0].shape};
    result.shape.back() = each.lengths.back() / 2 + 1;
  } else if (each.kind == Fourier::kRealInverse) {
    result = {part_type(in_[0].type), in_[0].shape};
    result.shape.back() = each.lengths.back();
  }
  return {result};
}

}  // namespace

std::vector<TensorType> infer(const Operation& operation, const std::vector<TensorType>& operands,
                              const TensorType& given) {
  return std::visit(Inference(operands, given), operation);
}

}  // namespace graphnet::lowering::ir
