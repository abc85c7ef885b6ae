// SPDX-License-Identifier: MIT
#pragma once

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "base/status.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

/// The wall: every public function of this folder runs inside it, so that nothing that libtorch or
/// a lowering throws leaves the folder.
template <typename Function>
base::Status guarded(Function function) {
  using base::Code;
  using base::Status;
  try {
    function();
    return Status::ok();
  } catch (const TraceError& error) {
    return Status(error.code(), error.what());
  } catch (const c10::OutOfMemoryError& error) {
    return Status(Code::kEnvironment,
                  std::string("out of memory: ") + error.what_without_backtrace());
  } catch (const c10::Error& error) {
    return Status(Code::kEnvironment, error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    return Status(Code::kEnvironment, "out of memory");
  } catch (const std::exception& error) {
    return Status(Code::kInternal, error.what());
  }
}

}  // namespace graphnet::eager
