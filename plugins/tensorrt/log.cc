// SPDX-License-Identifier: MIT
#include "tensorrt/log.h"

#include <string_view>

namespace graphnet::tensorrt {

namespace {

constexpr std::size_t kMostLines = 100;

// The compiler lays out the tables of virtual functions of these classes as it does those of
// TensorRT's own: only the order of declaration counts.

/// source   ILogger of 10: one function, then the destructor
class PlainLogger {
 public:
  virtual void log(nv::Severity severity, const char* line) noexcept {
    process_log().add(severity, line);
  }
  virtual ~PlainLogger() = default;
};

/// source   ILogger of 11 and RTX: behind those of IVersionedInterface
class VersionedLogger {
 public:
  virtual std::int32_t language() const noexcept { return 0; }
  virtual nv::InterfaceInfo info() const noexcept { return {"ILogger", 1, 0}; }
  virtual ~VersionedLogger() = default;
  virtual void log(nv::Severity severity, const char* line) noexcept {
    process_log().add(severity, line);
  }
};

void keep(std::deque<std::string>& lines, const char* line) {
  if (lines.size() == kMostLines) lines.pop_front();
  lines.emplace_back(line);
}

}  // namespace

void Log::add(nv::Severity severity, const char* line) {
  if (severity > nv::Severity::kWarning || line == nullptr) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (severity == nv::Severity::kWarning) return keep(warnings_, line);
  ++num_errors_;
  keep(errors_, line);
}

std::size_t Log::num_errors() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return num_errors_;
}

std::string Log::take_reason() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string reason;
  for (const auto* lines : {&warnings_, &errors_}) {
    if (lines->empty()) continue;
    reason += (reason.empty() ? "" : "; ") + lines->back();
    while (!reason.empty() && (reason.back() == '\n' || reason.back() == ' ')) reason.pop_back();
  }
  errors_.clear();
  warnings_.clear();
  return reason;
}

void Log::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  errors_.clear();
  warnings_.clear();
}

Log& process_log() {
  static Log* const log = new Log;
  return *log;
}

void* logger_object(Flavour flavour) {
  static PlainLogger* const plain = new PlainLogger;
  static VersionedLogger* const versioned = new VersionedLogger;
  if (facts_of(flavour).logger_is_versioned) return versioned;
  return plain;
}

}  // namespace graphnet::tensorrt
