// SPDX-License-Identifier: MIT
#include "artifact/wire_format.h"

#include <cstring>

namespace graphnet::artifact {

namespace {

enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

}  // namespace

void WireWriter::append_varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
  bytes_ += static_cast<char>(value);
}

void WireWriter::add_varint(std::uint32_t field, std::uint64_t value) {
  append_varint(field << 3U | kVarint);
  append_varint(value);
}

void WireWriter::add_bytes(std::uint32_t field, std::string_view bytes) {
  append_varint(field << 3U | kBytes);
  append_varint(bytes.size());
  bytes_ += bytes;
}

bool WireReader::read_varint(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool WireReader::read_fixed(std::size_t size, std::uint64_t& value) {
  if (rest_.size() < size) return false;
  std::memcpy(&value, rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::read_bytes(std::string_view& bytes) {
  std::uint64_t size = 0;
  if (!read_varint(size) || size > rest_.size()) return false;
  bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::next(WireField& field) {
  field = {};
  if (is_damaged_ || rest_.empty()) return false;
  std::uint64_t key = 0;
  bool is_whole = read_varint(key);
  field.number = static_cast<std::uint32_t>(key >> 3U);
  if (is_whole) {
    switch (key & 7U) {
      case kVarint:
        is_whole = read_varint(field.value);
        break;
      case kFixed64:
        is_whole = read_fixed(8, field.value);
        break;
      case kFixed32:
        is_whole = read_fixed(4, field.value);
        break;
      case kBytes:
        is_whole = read_bytes(field.bytes);
        break;
      default:
        is_whole = false;
    }
  }
  is_damaged_ = !is_whole;
  return is_whole;
}

}  // namespace graphnet::artifact
