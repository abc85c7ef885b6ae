// SPDX-License-Identifier: MIT
#include "artifact/sealed_message.h"

#include "artifact/file_digest.h"
#include "graphnet/failure.h"

namespace graphnet::artifact {

namespace {

constexpr std::size_t kDigestSize = 64;

[[noreturn]] void refuse(std::string_view noun, const char* reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "stored " + std::string(noun) + " " + reason);
}

}  // namespace

std::string seal(std::string_view magic, std::string_view message) {
  return std::string(magic) + sha256_hex(message) + std::string(message);
}

std::string_view unseal(std::string_view magic, std::string_view noun, std::string_view bytes) {
  if (bytes.substr(0, magic.size()) != magic) refuse(noun, "is none of this version of the plugin");
  bytes.remove_prefix(magic.size());
  const std::string_view digest = bytes.substr(0, kDigestSize);
  bytes.remove_prefix(digest.size());
  if (digest != sha256_hex(bytes)) refuse(noun, "is cut off or damaged");
  return bytes;
}

}  // namespace graphnet::artifact
