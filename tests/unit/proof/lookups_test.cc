// SPDX-License-Identifier: MIT
#include "proof/lookups.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "proof/imports.h"

namespace graphnet::proof {
namespace {

/// How often a name was noted.
std::ptrdiff_t times_noted(const std::string& name) {
  const std::vector<Lookup> lookups = noted_lookups();
  return std::count_if(lookups.begin(), lookups.end(),
                       [&](const Lookup& lookup) { return lookup.name == name; });
}

/// The regions of this program, its own as of a plugin and libc's as of libtorch.
std::vector<Region> pretended_regions() {
  std::vector<Region> regions = MapHistory().regions(*base::read_memory_map());
  for (Region& region : regions) {
    const std::string module = base::module_name(region.mapping.path);
    if (module == "unit_proof") region.kind = RegionKind::kExpect;
    if (module == "libc.so.6") region.kind = RegionKind::kDeny;
  }
  return regions;
}

TEST(Lookups, AreNotedOnceForEachPlace) {
  ASSERT_NE(::dlsym(RTLD_DEFAULT, "getsid"), nullptr);
  EXPECT_EQ(times_noted("getsid"), 0) << "nobody asked for it yet";
  note_lookups();
  for (int i = 0; i < 3; ++i) ASSERT_NE(::dlsym(RTLD_DEFAULT, "getpgid"), nullptr);
  EXPECT_EQ(times_noted("getpgid"), 1);
  EXPECT_EQ(::dlsym(RTLD_DEFAULT, "gn_there_is_no_such_name"), nullptr);
  EXPECT_EQ(times_noted("gn_there_is_no_such_name"), 1);
}

// libc must see who asked: what comes next after this program is libc's own.
TEST(Lookups, AreMadeInTheNameOfTheCaller) {
  note_lookups();
  void* const next = ::dlsym(RTLD_NEXT, "dlsym");
  ASSERT_NE(next, nullptr);
  EXPECT_NE(next, ::dlsym(RTLD_DEFAULT, "dlsym")) << "this program's is the first";
  Dl_info place = {};
  ASSERT_NE(::dladdr(next, &place), 0);
  EXPECT_NE(std::string(place.dli_fname).find("libc.so.6"), std::string::npos) << place.dli_fname;
}

TEST(Lookups, OfManyThreadsAreAllNoted) {
  note_lookups();
  const auto look_up = [](const std::string& prefix) {
    for (int i = 0; i < 200; ++i) {
      ::dlsym(RTLD_DEFAULT, (prefix + std::to_string(i)).c_str());
    }
  };
  std::thread one(look_up, "gn_one_");
  std::thread two(look_up, "gn_two_");
  one.join();
  two.join();
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(times_noted("gn_one_" + std::to_string(i)), 1) << i;
    EXPECT_EQ(times_noted("gn_two_" + std::to_string(i)), 1) << i;
  }
}

TEST(Lookups, AreAuditedByModule) {
  note_lookups();
  ASSERT_NE(::dlsym(RTLD_DEFAULT, "setpgid"), nullptr);
  ::dlsym(RTLD_DEFAULT, "gn_nowhere");
  const auto audit = audit_lookups(noted_lookups(), pretended_regions());
  ASSERT_EQ(audit.size(), 1U);
  EXPECT_EQ(audit[0].module, "unit_proof");
  EXPECT_GT(audit[0].num_names, audit[0].denied.size());
  const auto& denied = audit[0].denied;
  EXPECT_NE(std::find(denied.begin(), denied.end(), "setpgid"), denied.end());
  EXPECT_EQ(std::find(denied.begin(), denied.end(), "gn_nowhere"), denied.end());
}

}  // namespace
}  // namespace graphnet::proof
