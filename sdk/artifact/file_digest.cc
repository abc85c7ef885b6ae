// SPDX-License-Identifier: MIT
#include "artifact/file_digest.h"

// Not the digest interface, which would link every algorithm there is (4 MB in each plugin).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <fstream>
#include <vector>

namespace graphnet::artifact {

namespace {

SHA256_CTX start() {
  SHA256_CTX context;
  SHA256_Init(&context);
  return context;
}

std::string finish(SHA256_CTX& context) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256_Final(digest.data(), &context);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  SHA256_CTX context = start();
  SHA256_Update(&context, bytes.data(), bytes.size());
  return finish(context);
}

std::optional<std::string> sha256_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  SHA256_CTX context = start();
  std::vector<char> block(std::size_t{1} << 20U);
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    SHA256_Update(&context, block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof()) return std::nullopt;
  return finish(context);
}

std::string processor_digest() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("flags", 0) == 0) return sha256_hex(line);
  }
  return sha256_hex("");
}

}  // namespace graphnet::artifact
