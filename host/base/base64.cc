// SPDX-License-Identifier: MIT
#include "base/base64.h"

#include <openssl/evp.h>

#include <limits>

namespace graphnet::base {

Result<std::string> decode_base64(std::string_view text) {
  const auto refused = [] { return Status(Code::kInput, "is no base64 text"); };
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return std::string();
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  // EVP_DecodeBlock would skip blanks within the text and count padding as bytes.
  const std::size_t num_digits = text.find_last_not_of('=') + 1;
  const std::size_t num_padding = text.size() - num_digits;
  if (text.size() % 4 != 0 || num_padding > 2 || num_digits == 0 ||
      text.size() > std::numeric_limits<int>::max() ||
      text.find_first_of(kBlanks) != std::string_view::npos ||
      text.substr(0, num_digits).find('=') != std::string_view::npos) {
    return refused();
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int num_bytes = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                          reinterpret_cast<const unsigned char*>(text.data()),
                                          static_cast<int>(text.size()));
  if (num_bytes < 0) return refused();
  bytes.resize(static_cast<std::size_t>(num_bytes) - num_padding);
  return bytes;
}

}  // namespace graphnet::base
