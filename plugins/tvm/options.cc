// SPDX-License-Identifier: MIT
#include "tvm_plugin/options.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "graphnet/failure.h"
#include "graphnet/plugin.h"

namespace graphnet::tvm {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' " + reason);
}

// In the order of Schedule, Math, Convolution, AttentionForm and Bfloat16.
constexpr const char* kSchedules[] = {"rules", "none", "tuned"};
constexpr const char* kMaths[] = {"polynomials", "library"};
constexpr const char* kConvolutions[] = {"winograd", "direct"};
constexpr const char* kAttentions[] = {"fused", "separate"};
constexpr const char* kBfloat16s[] = {"native", "float32"};

template <typename Choice, std::size_t count>
Choice read_choice(const char* name, const char* const (&known)[count], const std::string& value) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i) {
    if (value == known[i]) return static_cast<Choice>(i);
    names += (i == 0 ? "" : " or ") + std::string(known[i]);
  }
  refuse(name, "must be " + names + ", got '" + value + "'");
}

/// An option of plugin.yaml.
struct OptionRow {
  const char* name;
  std::uint32_t type;
  const char* form;
  void (*read)(const gn_option&, Options&);
};

std::string text_of(const gn_option& option) {
  return std::string(from_gn(option.text));
}

constexpr OptionRow kRows[] = {
    {"schedule", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) {
       to.schedule = read_choice<Schedule>("schedule", kSchedules, text_of(given));
     }},
    {"math", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) {
       to.math = read_choice<Math>("math", kMaths, text_of(given));
     }},
    {"convolution", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) {
       to.convolution = read_choice<Convolution>("convolution", kConvolutions, text_of(given));
     }},
    {"attention", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) {
       to.attention = read_choice<AttentionForm>("attention", kAttentions, text_of(given));
     }},
    {"bfloat16", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) {
       to.bfloat16 = read_choice<Bfloat16>("bfloat16", kBfloat16s, text_of(given));
     }},
    {"mcpu", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) { to.mcpu = text_of(given); }},
    {"tune_seconds", GN_OPTION_INT, "a whole number",
     [](const gn_option& given, Options& to) { to.tune_seconds = given.integer; }},
    {"tune_database", GN_OPTION_STRING, "text",
     [](const gn_option& given, Options& to) { to.tune_database = text_of(given); }},
    {"profile", GN_OPTION_BOOL, "true or false",
     [](const gn_option& given, Options& to) { to.profile = given.integer != 0; }},
    {"allow_other_tvm", GN_OPTION_BOOL, "true or false",
     [](const gn_option& given, Options& to) { to.allow_other_tvm = given.integer != 0; }},
};

}  // namespace

std::string pinned_packages() {
  return GN_TVM_PINNED_PACKAGES;
}

std::string describe(const Options& options) {
  return std::string("schedule=") + kSchedules[static_cast<std::size_t>(options.schedule)] +
         " math=" + kMaths[static_cast<std::size_t>(options.math)] +
         " convolution=" + kConvolutions[static_cast<std::size_t>(options.convolution)] +
         " attention=" + kAttentions[static_cast<std::size_t>(options.attention)] +
         " bfloat16=" + kBfloat16s[static_cast<std::size_t>(options.bfloat16)];
}

Options read_options(const gn_option* options, std::uint64_t num_options) {
  Options read;
  for (std::uint64_t i = 0; i < num_options; ++i) {
    const std::string name(from_gn(options[i].name));
    const auto* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const OptionRow& each) { return name == each.name; });
    if (row == std::end(kRows)) refuse(name, "is not known");
    if (options[i].type != row->type) refuse(name, std::string("must be ") + row->form);
    row->read(options[i], read);
  }
  return read;
}

}  // namespace graphnet::tvm
