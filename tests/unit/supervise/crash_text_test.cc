// SPDX-License-Identifier: MIT
#include "supervise/crash_text.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "base/memory_map.h"

namespace graphnet::supervise {
namespace crash_text_test {

__attribute__((noinline)) int some_function(int value) {
  return value * 3;
}

Crash::Frame frame_of(std::uintptr_t address) {
  const auto mappings = base::read_memory_map();
  const base::Mapping* mapping = base::find_mapping(*mappings, address);
  return {"0x1", true, mapping->path, address - mapping->start + mapping->file_offset};
}

TEST(CrashText, PlacesAreNamed) {
  Crash crash;
  crash.signal = SIGSEGV;
  crash.address = "0x10";
  EXPECT_EQ(some_function(2), 6);
  crash.frames.push_back(frame_of(reinterpret_cast<std::uintptr_t>(&some_function)));
  crash.frames.push_back({"0x7f01", true, "", 0});
  crash.frames.push_back({"0x7f02", false, "", 0});
  crash.frames.push_back({"0x7f03", true, "/nowhere/libgone.so", 0x20});
  const record::Crash text = describe_crash(crash);
  EXPECT_EQ(text.signal, "SIGSEGV");
  EXPECT_EQ(text.address, "0x10");
  const auto& frames = text.frames;
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[0].rfind("unit_supervise+0x", 0), 0U) << frames[0];
  EXPECT_NE(frames[0].find("some_function"), std::string::npos) << frames[0];
  EXPECT_EQ(frames[1], "0x7f01 (generated code)");
  EXPECT_EQ(frames[2], "0x7f02 (nothing is mapped there)");
  EXPECT_EQ(frames[3], "libgone.so+0x20");
}

TEST(CrashText, AReturnAddressBelongsToTheCallBeforeIt) {
  // The first byte of a function is no return into it; as the address of a crash it is.
  const auto frame = frame_of(reinterpret_cast<std::uintptr_t>(&some_function));
  Crash crash;
  crash.signal = SIGABRT;
  crash.frames = {frame, frame};
  const record::Crash text = describe_crash(crash);
  EXPECT_EQ(text.address, "");
  EXPECT_NE(text.frames.at(0).find("some_function"), std::string::npos);
  EXPECT_EQ(text.frames.at(1).find("some_function"), std::string::npos);
}

}  // namespace crash_text_test
}  // namespace graphnet::supervise
