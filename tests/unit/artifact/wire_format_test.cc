// SPDX-License-Identifier: MIT
#include "artifact/wire_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "artifact/file_digest.h"
#include "support/temp_dir.h"

namespace graphnet::artifact {
namespace wire_format_test {

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

TEST(FileDigest, OfBytesAndOfTheSameBytesInAFile) {
  const tests::TempDir folder;
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(sha256_hex("abc"), abc);
  EXPECT_EQ(sha256_of_file(folder.write("abc", "abc")), abc);
  EXPECT_FALSE(sha256_of_file(folder.path() / "none").has_value());
  EXPECT_FALSE(sha256_of_file(folder.path()).has_value()) << "a folder";
}

}  // namespace wire_format_test
}  // namespace graphnet::artifact
