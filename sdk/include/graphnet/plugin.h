// SPDX-License-Identifier: MIT
//
// Header-only C++17 over abi.h for plugin authors: strings, the host's math policy, statuses, and
// guard(), which keeps exceptions inside the plugin. Not part of the ABI.
#pragma once

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "graphnet/abi.h"
#include "graphnet/failure.h"

namespace graphnet {

/// Borrowed view of a C++ string.
inline gn_string to_gn(std::string_view text) {
  return {text.data(), text.size()};
}
inline std::string_view from_gn(gn_string text) {
  return text.data ? std::string_view(text.data, text.size) : std::string_view();
}

/// gn_host_api::math_policy by name; abi.h says what each means.
struct MathPolicy {
  bool allows_tf32 = false;
  bool allows_fast_math = false;
  bool flushes_denormals = false;
};
inline MathPolicy math_policy(const gn_host_api* host) {
  const auto has = [&](std::uint32_t flag) { return (host->math_policy & flag) != 0; };
  return {has(GN_MATH_ALLOW_TF32), has(GN_MATH_ALLOW_FAST_MATH), has(GN_MATH_FLUSH_DENORMALS)};
}

/// Makes a failed status in the host; never null.
inline gn_status* fail(const gn_host_api* host, std::uint32_t code, std::string_view message) {
  return host->status_new(host->host, code, to_gn(message));
}

/// Runs `body`, which returns gn_status*, and turns every exception into a status. A Failure keeps
/// its code. Every entry point of a plugin runs in it.
template <typename Body>
gn_status* guard(const gn_host_api* host, Body body) noexcept {
  try {
    return body();
  } catch (const Failure& failure) {
    return fail(host, failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    return fail(host, GN_STATUS_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(host, GN_STATUS_INTERNAL, error.what());
  } catch (...) {
    return fail(host, GN_STATUS_INTERNAL, "unknown exception");
  }
}

/// Fills the answer to gn_plugin_query for a plugin that is built with this header. Refuses a host
/// of another major version, and one that does not serve this minor version.
///
/// errors   non-zero with out->error filled
inline std::int32_t answer_query(const gn_query_in* in, gn_query_out* out, std::string_view name,
                                 std::string_view version, const gn_backend_api* api) {
  out->abi_major = GN_ABI_MAJOR;
  out->abi_minor = GN_ABI_MINOR;
  out->name = to_gn(name);
  out->version = to_gn(version);
  out->api = api;
  const bool served = in->abi_major == GN_ABI_MAJOR && in->abi_minor_min <= GN_ABI_MINOR &&
                      GN_ABI_MINOR <= in->abi_minor_max;
  if (served) return 0;
  const std::string reason = "plugin '" + std::string(name) + "' is built for plugin ABI " +
                             std::to_string(GN_ABI_MAJOR) + "." + std::to_string(GN_ABI_MINOR);
  std::strncpy(out->error, reason.c_str(), sizeof(out->error) - 1);
  return 1;
}

}  // namespace graphnet
