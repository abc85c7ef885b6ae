// SPDX-License-Identifier: MIT
// torch.nn.functional.interpolate and grid_sample.
//
// source   torch 2.11 nn/functional.py
#include <array>
#include <utility>

#include "eager/call_table.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using Kind = Value::Kind;

struct ResizeRow {
  const char* mode;
  std::int64_t rank;
  bool antialias;
  bool takes_align_corners;
  const char* operator_name;
};

constexpr std::array<ResizeRow, 12> kResizes = {{
    {"nearest", 3, false, false, "aten::upsample_nearest1d"},
    {"nearest", 4, false, false, "aten::upsample_nearest2d"},
    {"nearest", 5, false, false, "aten::upsample_nearest3d"},
    {"nearest-exact", 3, false, false, "aten::_upsample_nearest_exact1d"},
    {"nearest-exact", 4, false, false, "aten::_upsample_nearest_exact2d"},
    {"nearest-exact", 5, false, false, "aten::_upsample_nearest_exact3d"},
    {"linear", 3, false, true, "aten::upsample_linear1d"},
    {"bilinear", 4, false, true, "aten::upsample_bilinear2d"},
    {"bilinear", 4, true, true, "aten::_upsample_bilinear2d_aa"},
    {"bicubic", 4, false, true, "aten::upsample_bicubic2d"},
    {"bicubic", 4, true, true, "aten::_upsample_bicubic2d_aa"},
    {"trilinear", 5, false, true, "aten::upsample_trilinear3d"},
}};

// One number stands for every spatial dimension.
Value per_dimension(const Value& value, std::int64_t dims) {
  if (value.is_sequence()) return value;
  return Value::list(std::vector<Value>(static_cast<std::size_t>(dims), value));
}

Value interpolate(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("interpolate",
                              {"input", "size", "scale_factor", "mode", "align_corners",
                               "recompute_scale_factor", "antialias"},
                              std::move(arguments));
  const Value& input = given["input"];
  const std::int64_t rank = input.tensor.dim();
  const Value none;
  Value size = given.get("size", none);
  Value scales = given.get("scale_factor", none);
  if (size.is_none() == scales.is_none()) {
    fail_input("interpolate needs exactly one of size and scale_factor");
  }
  if (given.get_bool("recompute_scale_factor", false)) {
    fail_unsupported("interpolate with recompute_scale_factor=True");
  }
  // The scale itself goes to the kernel, not the size that follows from it: other numbers result.
  if (!size.is_none()) size = Value::integers(to_integers(per_dimension(size, rank - 2)));
  if (!scales.is_none()) scales = per_dimension(scales, rank - 2);
  const std::string mode = given.get("mode", Value::string("nearest")).text;
  const bool antialias = given.get_bool("antialias", false);
  for (const ResizeRow& row : kResizes) {
    if (mode != row.mode || rank != row.rank || antialias != row.antialias) continue;
    if (!row.takes_align_corners) return tracer.call_with(row.operator_name, input, size, scales);
    const Value corners = Value::boolean(given.get_bool("align_corners", false));
    return tracer.call_with(row.operator_name, input, size, corners, scales);
  }
  fail_unsupported("interpolate mode " + mode + " on rank " + std::to_string(rank));
}

std::int64_t position(const std::array<const char*, 3>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<std::int64_t>(i);
  }
  fail_unsupported("grid_sample with '" + name + "'");
}

Value grid_sample(Tracer& tracer, CallArguments arguments) {
  static constexpr std::array<const char*, 3> kModes = {"bilinear", "nearest", "bicubic"};
  static constexpr std::array<const char*, 3> kPaddings = {"zeros", "border", "reflection"};
  const PythonArguments given("grid_sample",
                              {"input", "grid", "mode", "padding_mode", "align_corners"},
                              std::move(arguments));
  const std::int64_t mode = position(kModes, given.get("mode", Value::string("bilinear")).text);
  const std::int64_t padding =
      position(kPaddings, given.get("padding_mode", Value::string("zeros")).text);
  return tracer.call_with("aten::grid_sampler", given["input"], given["grid"],
                          Value::from_integer(mode), Value::from_integer(padding),
                          Value::boolean(given.get_bool("align_corners", false)));
}

}  // namespace

const std::vector<CallRow> kResizeCalls = {
    {"torch.nn.functional.interpolate", interpolate},
    {"torch.nn.functional.grid_sample", grid_sample},
};

}  // namespace graphnet::eager
