// SPDX-License-Identifier: MIT
#include "xla/program_report.h"

#include <gtest/gtest.h>

#include "artifact/wire_format.h"
#include "xla/compile_error.h"

namespace graphnet::xla {
namespace program_report_test {

using artifact::WireWriter;

/// A module whose entry has a fusion, a custom call and a parameter, beside another computation.
TEST(ProgramReport, CountsOperationsOfTheEntry) {
  const auto instruction = [](const char* opcode, std::uint32_t detail, const char* text) {
    WireWriter out;
    out.add_bytes(2, opcode);
    if (detail != 0) out.add_bytes(detail, text);
    return out.bytes();
  };
  WireWriter entry;
  entry.add_bytes(1, "main.5");
  entry.add_bytes(2, instruction("parameter", 0, ""));
  entry.add_bytes(2, instruction("fusion", 11, "kLoop"));
  entry.add_bytes(2, instruction("fusion", 11, "kLoop"));
  entry.add_bytes(2, instruction("custom-call", 28, "TopK"));
  WireWriter fused;
  fused.add_bytes(1, "fused_computation");
  fused.add_bytes(2, instruction("add", 0, ""));
  WireWriter module;
  module.add_bytes(2, "main.5");
  module.add_bytes(3, fused.bytes());
  module.add_bytes(3, entry.bytes());
  WireWriter program;
  program.add_bytes(1, module.bytes());
  const OptimizedProgram read = read_optimized_program(program.bytes());
  EXPECT_EQ(read.operations,
            (std::map<std::string, std::size_t>{{"fusion:kLoop", 2}, {"custom-call:TopK", 1}}));
  EXPECT_EQ(read.num_computations, 2u);
  EXPECT_EQ(read.num_instructions, 5u);
  // Any part of it is read without harm.
  for (std::size_t size = 0; size < program.bytes().size(); ++size) {
    EXPECT_LE(read_optimized_program(program.bytes().substr(0, size)).num_instructions, 5u);
  }
}

TEST(ProgramReport, SaysWhereTheTimeOfCallsWent) {
  EXPECT_EQ(report_times({}), "");
  EXPECT_EQ(report_times({4, 48000, 160000, 12400}),
            "call_times: launch 12.0 us, await 40.0 us, copies 3.1 us (means of 4 calls)\n");
}

TEST(CallClock, LeavesTheFirstCallOut) {
  for (const bool is_on : {true, false}) {
    CallClock clock(is_on);
    for (int call = 0; call < 3; ++call) {
      clock.start();
      clock.lap(&CallTimes::launch_ns);
      if (call == 0) {
        EXPECT_EQ(clock.times().launch_ns, 0);
      }
      clock.finish();
    }
    EXPECT_EQ(clock.times().num_calls, is_on ? 2U : 0U);
    if (!is_on) {
      EXPECT_EQ(clock.times().launch_ns, 0);
    }
    EXPECT_EQ(clock.times().copy_ns, 0);
  }
}

TEST(CompileError, ShowsTheLine) {
  EXPECT_EQ(explain_compile_error("Cannot parse:\n-:2:5: error: no such thing\n more", "a\nb c\nd"),
            "line 2:5: error: no such thing\n  b c");
  EXPECT_EQ(explain_compile_error("-:9:1: error: late", "a"), "line 9:1: error: late\n  ");
  const std::string wide(2000, 'x');
  const std::string shown = explain_compile_error("-:1:1500: error: e", wide);
  EXPECT_LT(shown.size(), 400u);
  EXPECT_NE(shown.find("..."), std::string::npos);
}

TEST(CompileError, LeavesOtherMessages) {
  for (const char* message :
       {"", "-:", "-:x", "-:0:0: error: e", "out of memory", "a-:1", "-:1:"}) {
    EXPECT_EQ(explain_compile_error(message, "text"), message);
  }
}

}  // namespace program_report_test
}  // namespace graphnet::xla
