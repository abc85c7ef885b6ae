// SPDX-License-Identifier: MIT
#include "proof/tracing_self_test.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/text.h"
#include "base/threads.h"
#include "device/captured_graph.h"
#include "device/own_kernels.h"
#include "proof/device_ledger.h"
#include "proof/raw_rows.h"

namespace graphnet::proof {

using base::Json;
using base::Result;
using base::Status;
using device::CapturedGraph;
using device::Gpu;
using device::SelfTestKernel;
using Stream = device::DriverLibrary::Handle;

namespace {

constexpr std::size_t kLaunches = 3;
// source   CUstream_flags
constexpr unsigned int kNonBlocking = 1;

/// A stream that does not wait for the default one.
class OwnStream {
 public:
  explicit OwnStream(Gpu& gpu) : gpu_(gpu) {}
  ~OwnStream() {
    if (stream_ != nullptr) gpu_.driver().destroy_stream(stream_);
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  Status make() {
    const int code = gpu_.driver().make_stream(&stream_, kNonBlocking);
    if (code == 0) return Status::ok();
    return device::driver_error(gpu_.driver(), code, {"cuStreamCreate", "make a CUDA stream"});
  }
  Stream get() const { return stream_; }

 private:
  Gpu& gpu_;
  Stream stream_ = nullptr;
};

/// What the host's clock says of one way.
struct HostTimes {
  std::uint64_t before_launch_ns = 0;
  std::uint64_t after_launch_ns = 0;  ///< of the first launch
  std::uint64_t end_ns = 0;           ///< the device had been waited for
};

double between(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

bool is_own(const DeviceTrace& trace, const DeviceWork& work) {
  return work.kind == WorkKind::kKernel && trace.records.names[work.name] == SelfTestKernel::kName;
}

/// From the first kernel and the call that launched it.
std::optional<TracingClock> read_clock(const DeviceTrace& trace, const HostTimes& host) {
  const DeviceWork* first = nullptr;
  for (const DeviceWork& work : trace.records.work) {
    const bool is_earlier = first == nullptr || work.correlation < first->correlation;
    if (is_own(trace, work) && is_earlier) first = &work;
  }
  if (first == nullptr) return std::nullopt;
  const DeviceCall* launch = nullptr;
  for (const DeviceCall& call : trace.records.calls) {
    const bool is_outer = launch == nullptr || call.start_ns < launch->start_ns;
    if (call.correlation == first->correlation && is_outer) launch = &call;
  }
  if (launch == nullptr) return std::nullopt;
  TracingClock clock;
  const double before_ns = between(host.before_launch_ns, launch->start_ns);
  const double after_ns = between(launch->end_ns, host.after_launch_ns);
  clock.offset_ns = (before_ns - after_ns) / 2;
  clock.uncertainty_ns = std::abs(before_ns + after_ns) / 2;
  clock.start_after_call_ns = between(launch->start_ns, first->start_ns);
  clock.end_before_return_ns = between(first->end_ns, host.end_ns);
  return clock;
}

/// Tries one way after the other.
class SelfTest {
 public:
  SelfTest(Gpu& gpu, SelfTestKernel& kernel) : gpu_(gpu), kernel_(kernel), stream_(gpu) {}

  TracingSelfTest run(const CuptiSession::Settings& settings) {
    prepare();
    session_ = CuptiSession::start(settings, test_.recording);
    if (session_ == nullptr) return std::move(test_);
    test_.version = session_->library().version;
    test_.library = session_->library().file;
    try_way("default_stream", [&] { return kernel_.launch(); });
    try_way("second_thread", [&] { return launch_on_thread(); });
    try_way("non_blocking_stream",
            [&] { return stream_made_.is_ok() ? kernel_.launch(stream_.get()) : stream_made_; });
    try_way("earlier_graph",
            [&] { return graph_->is_ok() ? (*graph_)->launch() : graph_->status(); });
    return std::move(test_);
  }

 private:
  /// What must be there before CUPTI is started. Code is loaded at its first launch, which a
  /// capture may not allow.
  void prepare() {
    const Status loaded = kernel_.launch();
    stream_made_ = stream_.make();
    if (loaded.is_ok()) {
      graph_.emplace(
          CapturedGraph::capture(gpu_, [&](Stream stream) { return kernel_.launch(stream); }));
    } else {
      graph_.emplace(loaded);
    }
  }

  Status launch_on_thread() {
    Status status;
    auto thread = base::start_thread([&] {
      status = gpu_.use_in_thread();
      if (status.is_ok()) status = kernel_.launch();
    });
    if (!thread) return Status(base::Code::kEnvironment, "there is no thread to launch from");
    thread->join();
    return status;
  }

  Status launch_all(const std::function<Status()>& launch, HostTimes& host) {
    for (std::size_t i = 0; i < kLaunches; ++i) {
      if (i == 0) host.before_launch_ns = CuptiSession::now_ns();
      GN_RETURN_IF_ERROR(launch());
      if (i == 0) host.after_launch_ns = CuptiSession::now_ns();
    }
    const Status waited = gpu_.synchronize();
    host.end_ns = CuptiSession::now_ns();
    return waited;
  }

  void try_way(const char* name, const std::function<Status()>& launch) {
    TracedWay way;
    way.way = name;
    // A flush that hangs takes its whole limit each time.
    if (!lost_.empty()) {
      way.problem = "not tried: " + lost_;
      test_.ways.push_back(std::move(way));
      return;
    }
    HostTimes host;
    Status status = kernel_.clear();
    if (status.is_ok()) {
      session_->begin_call(CallSide::kHost);
      status = launch_all(launch, host);
      session_->end_call();
    }
    if (status.is_ok()) status = kernel_.check();
    if (status.is_ok()) way.asked = kLaunches;
    read(way, host);
    if (!status.is_ok()) way.problem = status.message();
    test_.ways.push_back(std::move(way));
  }

  void read(TracedWay& way, const HostTimes& host) {
    const DeviceTrace trace = session_->finish();
    const CallName call_name = [&](std::uint32_t domain, std::uint32_t id) {
      return session_->call_name(domain, id);
    };
    const DeviceLedger ledger = make_device_ledger(trace, call_name, {});
    for (const LedgerRow& row : ledger.rows) {
      if (row.name != SelfTestKernel::kName) continue;
      way.seen += row.count;
      if (row.owner == WorkOwner::kHost) way.attributed += row.count;
    }
    way.problem = ledger.problem;
    lost_ = trace.problem;
    test_.has_own_clock = trace.has_own_clock;
    test_.refusals = trace.refusals;
    if (test_.ways.empty()) test_.clock = read_clock(trace, host);
    if (!way.is_seen() && test_.raw.is_null()) test_.raw = raw_rows_json(trace, call_name);
  }

  Gpu& gpu_;
  SelfTestKernel& kernel_;
  OwnStream stream_;
  Status stream_made_;
  std::optional<Result<CapturedGraph>> graph_;  // of prepare()
  std::unique_ptr<CuptiSession> session_;
  std::string lost_;  // why CUPTI will not deliver anything more
  TracingSelfTest test_;
};

}  // namespace

std::string TracingSelfTest::problem() const {
  if (!recording.is_ready()) {
    return std::string("CUPTI is ") + cupti_state_name(recording.state) + ": " + recording.reason;
  }
  std::vector<std::string> unseen;
  std::vector<std::string> nobodys;
  for (const TracedWay& way : ways) {
    if (!way.problem.empty()) return way.way + ": " + way.problem;
    if (!way.is_seen()) {
      unseen.push_back(way.way + " " + std::to_string(way.seen) + " of " +
                       std::to_string(way.asked));
    } else if (way.attributed < way.seen) {
      nobodys.push_back(way.way);
    }
  }
  if (!unseen.empty()) {
    return "CUPTI did not record the work of its self-test: " + base::join(unseen, ", ");
  }
  if (nobodys.empty()) return "";
  return "CUPTI did not report which call asked for the work of " + base::join(nobodys, ", ");
}

Result<TracingSelfTest> run_tracing_self_test(Gpu& gpu, const CuptiSession::Settings& settings) {
  GN_ASSIGN_OR_RETURN(SelfTestKernel kernel, SelfTestKernel::create(gpu));
  return SelfTest(gpu, kernel).run(settings);
}

Json tracing_json(const TracingSelfTest& test) {
  Json json = {{"ways", Json::array()}, {"own_clock", test.has_own_clock}};
  for (const TracedWay& way : test.ways) {
    Json entry = {
        {"way", way.way}, {"asked", way.asked}, {"seen", way.seen}, {"attributed", way.attributed}};
    if (!way.problem.empty()) entry["problem"] = way.problem;
    json["ways"].push_back(std::move(entry));
  }
  if (test.clock) {
    json["clock"] = {{"offset_ns", test.clock->offset_ns},
                     {"uncertainty_ns", test.clock->uncertainty_ns},
                     {"start_after_call_ns", test.clock->start_after_call_ns},
                     {"end_before_return_ns", test.clock->end_before_return_ns}};
  }
  if (!test.refusals.empty()) json["refusals"] = test.refusals;
  if (!test.raw.is_null()) json["raw"] = test.raw;
  return json;
}

}  // namespace graphnet::proof
