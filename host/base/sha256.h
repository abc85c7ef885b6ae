// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace graphnet::base {

/// Incremental SHA-256; results are lower-case hexadecimal.
///
/// source   FIPS 180-4, computed by libcrypto (which uses the processor's SHA instructions)
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(const void* bytes, std::size_t num_bytes);
  /// Digest of everything so far; the object is spent afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Digest of one block of memory.
std::string sha256_hex(const void* bytes, std::size_t num_bytes);

}  // namespace graphnet::base
