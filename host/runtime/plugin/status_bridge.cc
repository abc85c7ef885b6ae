// SPDX-License-Identifier: MIT
#include "plugin/status_bridge.h"

#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace graphnet::plugin {

namespace {

struct CodeRow {
  std::uint32_t abi;
  FailureKind kind;
  base::Code code;
};

constexpr CodeRow kCodes[] = {
    {GN_STATUS_INVALID_ARGUMENT, FailureKind::kFailed, base::Code::kInput},
    {GN_STATUS_UNSUPPORTED, FailureKind::kUnsupported, base::Code::kUnsupported},
    {GN_STATUS_COMPILE_FAILED, FailureKind::kFailed, base::Code::kPlugin},
    {GN_STATUS_RUNTIME_FAILED, FailureKind::kFailed, base::Code::kPlugin},
    {GN_STATUS_OUT_OF_MEMORY, FailureKind::kOutOfMemory, base::Code::kEnvironment},
    {GN_STATUS_UNAVAILABLE, FailureKind::kFailed, base::Code::kEnvironment},
    {GN_STATUS_INTERNAL, FailureKind::kFailed, base::Code::kPlugin},
};

}  // namespace

CallStatus take_status(gn_status* raw, const std::string& call) {
  if (raw == nullptr) return {};
  const std::unique_ptr<gn_status> owned(raw);
  CallStatus result;
  result.kind = FailureKind::kFailed;
  base::Code code = base::Code::kPlugin;
  for (const CodeRow& row : kCodes) {
    if (row.abi != owned->code) continue;
    result.kind = row.kind;
    code = row.code;
  }
  std::string message = owned->message.empty() ? "no reason given" : std::move(owned->message);
  result.status = base::Status(code, std::move(message)).add_context(call);
  return result;
}

CallStatus broken(std::string message) {
  return {FailureKind::kBroken, base::Status(base::Code::kPlugin, std::move(message))};
}

CallStatus take_exception(const std::string& call) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {FailureKind::kOutOfMemory,
            base::Status(base::Code::kEnvironment, call + " ran out of memory")};
  } catch (const std::exception& error) {
    return broken("plugin bug: an exception left " + call + ": " + error.what());
  } catch (...) {
    return broken("plugin bug: an exception of an unknown type left " + call);
  }
}

}  // namespace graphnet::plugin
