// SPDX-License-Identifier: MIT
#include "device/captured_graph.h"

#include <utility>

namespace graphnet::device {

using base::Code;
using base::Result;
using base::Status;

namespace {

// source   CUstream_flags, CUstreamCaptureMode
constexpr unsigned int kDefaultFlags = 0;
constexpr int kThreadLocal = 1;

// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED to CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: what was done
// during the capture, not the device, is to blame.
//
// source   CUresult
constexpr int kFirstCaptureError = 900;
constexpr int kLastCaptureError = 908;
// The capture was ended by somebody else.
constexpr int kIllegalState = 401;

bool is_of_the_call(int code) {
  return (code >= kFirstCaptureError && code <= kLastCaptureError) || code == kIllegalState;
}

}  // namespace

Result<CapturedGraph> CapturedGraph::capture(Gpu& gpu, const Call& call) {
  CapturedGraph captured(gpu.driver());
  GN_RETURN_IF_ERROR(captured.record(call));
  GN_RETURN_IF_ERROR(captured.instantiate());
  return captured;
}

Status CapturedGraph::record(const Call& call) {
  int code = driver_->make_stream(&stream_, kDefaultFlags);
  if (code != 0) return driver_error(*driver_, code, {"cuStreamCreate", "make a CUDA stream"});
  code = driver_->begin_capture(stream_, kThreadLocal);
  if (code != 0)
    return driver_error(*driver_, code,
                        {"cuStreamBeginCapture_v2", "begin to capture a CUDA stream", {}, stream_});
  Status called = call(stream_);
  // Whatever became of the call: a stream that is left in capture spoils what comes after.
  code = driver_->end_capture(stream_, &graph_);
  if (code == 0) return called;
  const Status ended = driver_error(
      *driver_, code, {"cuStreamEndCapture", "capture the call in a CUDA graph", {}, stream_});
  if (!called.is_ok()) return std::move(called).add_context(ended.message());
  return is_of_the_call(code) ? Status(Code::kPlugin, ended.message()) : ended;
}

Status CapturedGraph::instantiate() {
  int code = driver_->graph_nodes(graph_, nullptr, &num_nodes_);
  if (code != 0) return driver_error(*driver_, code, {"cuGraphGetNodes", "read a CUDA graph"});
  if (num_nodes_ == 0) {
    return {Code::kPlugin, "the captured call asked nothing of the stream that it was given"};
  }
  code = driver_->instantiate_graph(&executable_, graph_, 0);
  return code == 0 ? Status::ok()
                   : driver_error(*driver_, code,
                                  {"cuGraphInstantiateWithFlags", "instantiate a CUDA graph"});
}

CapturedGraph::CapturedGraph(CapturedGraph&& other) noexcept
    : driver_(other.driver_),
      stream_(std::exchange(other.stream_, nullptr)),
      graph_(std::exchange(other.graph_, nullptr)),
      executable_(std::exchange(other.executable_, nullptr)),
      num_nodes_(other.num_nodes_) {}

CapturedGraph::~CapturedGraph() {
  if (executable_ != nullptr) driver_->destroy_executable_graph(executable_);
  if (graph_ != nullptr) driver_->destroy_graph(graph_);
  if (stream_ != nullptr) driver_->destroy_stream(stream_);
}

Status CapturedGraph::launch() {
  const int code = driver_->launch_graph(executable_, nullptr);
  return code == 0
             ? Status::ok()
             : driver_error(*driver_, code, {"cuGraphLaunch", "launch a CUDA graph", {}, nullptr});
}

}  // namespace graphnet::device
