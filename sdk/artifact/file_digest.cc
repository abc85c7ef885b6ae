// SPDX-License-Identifier: MIT
#include "artifact/file_digest.h"

#include <openssl/evp.h>

#include <fstream>
#include <memory>
#include <vector>

namespace graphnet::artifact {

namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context start() {
  Context context(EVP_MD_CTX_new());
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  return context;
}

std::string finish(const Context& context) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4U];
    text += kDigits[digest[i] & 15U];
  }
  return text;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  const Context context = start();
  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size());
  return finish(context);
}

std::optional<std::string> sha256_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const Context context = start();
  std::vector<char> block(std::size_t{1} << 20U);
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(stream.gcount()));
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
