// SPDX-License-Identifier: MIT
#include "base/sha256.h"

// The functions of one algorithm: the digest interface would link every algorithm there is (4 MB in
// each program and plugin) and read the machine's OpenSSL configuration.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>

#include "base/text.h"

namespace graphnet::base {

struct Sha256::Context {
  SHA256_CTX state;
  Context() { SHA256_Init(&state); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* bytes, std::size_t num_bytes) {
  SHA256_Update(&context_->state, bytes, num_bytes);
}

std::string Sha256::finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256_Final(digest.data(), &context_->state);
  return hexadecimal({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string sha256_hex(const void* bytes, std::size_t num_bytes) {
  Sha256 hash;
  hash.update(bytes, num_bytes);
  return hash.finish();
}

}  // namespace graphnet::base
