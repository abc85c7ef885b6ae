// SPDX-License-Identifier: MIT
#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>

namespace graphnet::base {

struct Sha256::Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  Context() { EVP_DigestInit_ex(handle, EVP_sha256(), nullptr); }
  ~Context() { EVP_MD_CTX_free(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* bytes, std::size_t num_bytes) {
  EVP_DigestUpdate(context_->handle, bytes, num_bytes);
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_->handle, digest.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(const void* bytes, std::size_t num_bytes) {
  Sha256 hash;
  hash.update(bytes, num_bytes);
  return hash.finish();
}

}  // namespace graphnet::base
