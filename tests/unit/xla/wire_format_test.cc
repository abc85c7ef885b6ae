// SPDX-License-Identifier: MIT
#include "xla/wire_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "xla/compile_error.h"
#include "xla/program_report.h"

namespace graphnet::xla {
namespace {

TEST(WireFormat, RoundTrip) {
  WireWriter writer;
  writer.add_varint(1, 0);
  writer.add_varint(2, 300);
  writer.add_varint(17, std::numeric_limits<std::uint64_t>::max());
  writer.add_bytes(3, "");
  writer.add_bytes(4, std::string(200, 'x'));
  // The examples of the encoding's description: field 2 as 300, and where its fixed types stand.
  EXPECT_EQ(writer.bytes().substr(2, 3), "\x10\xAC\x02");
  const std::string bytes =
      writer.bytes() + std::string("\x29\1\0\0\0\0\0\0\0", 9) + std::string("\x35\2\0\0\0", 5);
  WireReader reader(bytes);
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint64_t> values;
  std::vector<std::size_t> sizes;
  for (WireField field; reader.next(field);) {
    numbers.push_back(field.number);
    values.push_back(field.value);
    sizes.push_back(field.bytes.size());
  }
  EXPECT_FALSE(reader.is_damaged());
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 17, 3, 4, 5, 6}));
  EXPECT_EQ(values, (std::vector<std::uint64_t>{0, 300, std::numeric_limits<std::uint64_t>::max(),
                                                0, 0, 1, 2}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 0, 0, 0, 200, 0, 0}));
}

TEST(WireFormat, StopsAtDamage) {
  const std::string damaged[] = {
      "\x08",                                          // a varint that is not there
      "\x08\xFF",                                      // that does not end
      std::string("\x08") + std::string(11, '\xFF'),   // that is too long
      "\x0A\x05ok",                                    // bytes beyond the end
      "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",  // of a size near 2^64
      "\x0B",                                          // a group
      "\x09\1\2",                                      // half a fixed number
  };
  for (const std::string& bytes : damaged) {
    WireReader reader(bytes);
    WireField field;
    EXPECT_FALSE(reader.next(field));
    EXPECT_TRUE(reader.is_damaged());
    EXPECT_FALSE(reader.next(field));
  }
}

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

}  // namespace
}  // namespace graphnet::xla
