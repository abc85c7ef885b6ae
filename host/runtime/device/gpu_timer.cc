// SPDX-License-Identifier: MIT
#include "device/gpu_timer.h"

#include <ctime>
#include <utility>

namespace graphnet::device {

using base::Result;
using base::Status;

namespace {

constexpr double kNsPerMs = 1e6;
constexpr unsigned int kTimedEvent = 0;

double now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

Result<GpuTimer> GpuTimer::create(Gpu& gpu) {
  GpuTimer timer(gpu.driver());
  for (DriverLibrary::Handle* event : {&timer.start_, &timer.end_}) {
    const int code = gpu.driver().make_event(event, kTimedEvent);
    if (code != 0) return driver_error(gpu.driver(), code, {"cuEventCreate", "make a CUDA event"});
  }
  return timer;
}

GpuTimer::GpuTimer(GpuTimer&& other) noexcept
    : driver_(other.driver_),
      start_(std::exchange(other.start_, nullptr)),
      end_(std::exchange(other.end_, nullptr)) {}

GpuTimer::~GpuTimer() {
  for (DriverLibrary::Handle event : {start_, end_}) {
    if (event != nullptr) driver_->destroy_event(event);
  }
}

Result<GpuTimes> GpuTimer::time(Gpu& gpu, const std::function<Status()>& call) {
  GN_RETURN_IF_ERROR(gpu.synchronize());
  GpuTimes times;
  const double start_ns = now_ns();
  const Status called = span(gpu, call);
  times.host_ns = now_ns() - start_ns;
  GN_RETURN_IF_ERROR(called);
  GN_ASSIGN_OR_RETURN(times.event_ns, span_ns());
  return times;
}

Status GpuTimer::span(Gpu& gpu, const std::function<Status()>& call) {
  int code = driver_->record_event(start_, nullptr);
  const Status called = call();
  if (code == 0) code = driver_->record_event(end_, nullptr);
  const Status waited = gpu.synchronize();
  GN_RETURN_IF_ERROR(called);
  GN_RETURN_IF_ERROR(waited);
  return code == 0 ? Status::ok()
                   : driver_error(*driver_, code,
                                  {"cuEventRecord", "time a call by CUDA events", {}, nullptr});
}

Result<double> GpuTimer::span_ns() const {
  float milliseconds = 0;
  const int code = driver_->elapsed_ms(&milliseconds, start_, end_);
  if (code != 0) return driver_error(*driver_, code, {"cuEventElapsedTime", "read CUDA events"});
  return static_cast<double>(milliseconds) * kNsPerMs;
}

}  // namespace graphnet::device
