// SPDX-License-Identifier: MIT
//
// Protocol Buffers' wire format, as much of it as stored programs and XLA's messages need.
//
// source   protobuf.dev/programming-guides/encoding
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphnet::artifact {

/// Appends fields to a message.
class WireWriter {
 public:
  void add_varint(std::uint32_t field, std::uint64_t value);
  /// A string, bytes or message.
  void add_bytes(std::uint32_t field, std::string_view bytes);

  const std::string& bytes() const { return bytes_; }

 private:
  void append_varint(std::uint64_t value);

  std::string bytes_;
};

struct WireField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;  ///< varint or fixed
  std::string_view bytes;   ///< string, bytes or message; empty for others
};

/// Reads the fields of one message in order. Never reads beyond its end, also if the bytes are
/// damaged.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// False at the end or at damage; see is_damaged().
  bool next(WireField& field);
  bool is_damaged() const { return is_damaged_; }

 private:
  bool read_varint(std::uint64_t& value);
  bool read_fixed(std::size_t size, std::uint64_t& value);
  bool read_bytes(std::string_view& bytes);

  std::string_view rest_;
  bool is_damaged_ = false;
};

}  // namespace graphnet::artifact
