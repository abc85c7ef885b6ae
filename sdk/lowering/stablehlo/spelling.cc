// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/spelling.h"

#include <algorithm>

#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

// In the order of the enumerators; each text beside the same of the other dialect.
constexpr Spelling kSpellings[] = {
    {
        "stablehlo",
        "array<i64: {values}>",
        "array<i64: >",
        "{dialect}.iota dim = {dim} : {type}",
        "{dialect}.broadcast_in_dim {x}, dims = [{dims}]{types}",
        "{dialect}.transpose {x}, dims = [{dims}]{types}",
        "{dialect}.slice {x} [{ranges}]{types}",
        "{dialect}.pad {x}, low = [{low}], high = [{high}], interior = [{interior}]{types}",
        "{dialect}.concatenate {x}, dim = {dim}{types}",
        "{dialect}.reverse {x}, dims = [{dims}] : {type}",
        "{dialect}.dot_general {x}{batch}, contracting_dims = [{left}] x [{right}]"
        "{precision}{types}",
        ", batching_dims = [{left}] x [{right}]",
        ", precision = [{precision}, {precision}]",
        "{dialect}.fft {x}, type = {kind}, length = [{lengths}]{types}",
        true,
        Type::kU8,
    },
    {
        "mhlo",
        "dense<[{values}]> : tensor<{count}xi64>",
        "dense<> : tensor<0xi64>",
        "\"{dialect}.iota\"() {iota_dimension = {dim} : i64} : () -> {type}",
        "\"{dialect}.broadcast_in_dim\"({x}) {broadcast_dimensions = {#dims}}{types}",
        "\"{dialect}.transpose\"({x}) {permutation = {#dims}}{types}",
        "\"{dialect}.slice\"({x}) {start_indices = {#begin}, limit_indices = {#end}, strides = "
        "{#step}}{types}",
        "\"{dialect}.pad\"({x}) {edge_padding_low = {#low}, edge_padding_high = {#high}, "
        "interior_padding = {#interior}}{types}",
        "\"{dialect}.concatenate\"({x}) {dimension = {dim} : i64}{types}",
        "\"{dialect}.reverse\"({x}) {dimensions = {#dims}} : ({type}) -> {type}",
        "\"{dialect}.dot_general\"({x}) {dot_dimension_numbers = #{dialect}.dot<{batch}"
        "lhs_contracting_dimensions = [{left}], rhs_contracting_dimensions = "
        "[{right}]>{precision}}{types}",
        "lhs_batching_dimensions = [{left}], rhs_batching_dimensions = [{right}], ",
        ", precision_config = [#{dialect}<precision {precision}>, #{dialect}<precision "
        "{precision}>]",
        "\"{dialect}.fft\"({x}) {fft_length = {#lengths}, fft_type = #{dialect}<fft_type "
        "{kind}>}{types}",
        false,
        Type::kI8,
    },
};

std::string text_of(const Spelling& spelling, const Place& place, bool is_attribute) {
  if (const auto* text = std::get_if<std::string>(&place.second)) return *text;
  const auto& values = std::get<Shape>(place.second);
  return is_attribute ? list_text(spelling, values) : join(values);
}

}  // namespace

const Spelling& spelling_of(Dialect dialect) {
  return kSpellings[static_cast<std::size_t>(dialect)];
}

std::string list_text(const Spelling& spelling, const Shape& values) {
  return fill(spelling, values.empty() ? spelling.empty_list : spelling.list,
              {{"values", join(values)}, {"count", std::to_string(values.size())}});
}

std::string fill(const Spelling& spelling, std::string_view text,
                 const std::vector<Place>& places) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find_first_of("{}= ", at + 1) : text.npos;
    // A brace of the dialect's own is followed by a name and " = ".
    if (end == text.npos || text[end] != '}') {
      filled += text[at++];
      continue;
    }
    std::string_view name = text.substr(at + 1, end - at - 1);
    const bool is_attribute = name.substr(0, 1) == "#";
    if (is_attribute) name.remove_prefix(1);
    const auto found = std::find_if(places.begin(), places.end(),
                                    [name](const Place& place) { return place.first == name; });
    if (found != places.end()) {
      filled += text_of(spelling, *found, is_attribute);
    } else if (name == "dialect") {
      filled += spelling.dialect;
    } else {
      throw LoweringError("a line's text has no place called " + std::string(name));
    }
    at = end + 1;
  }
  return filled;
}

}  // namespace graphnet::lowering::stablehlo
