// SPDX-License-Identifier: MIT
// What is declared of CUPTI against its own header and library, where libtorch's packages bring
// them.
#include <gtest/gtest.h>

#include "proof/cupti_session.h"

#ifdef GRAPHNET_CUPTI_LIBRARY
#include <cupti.h>

#include <cstddef>
#include <set>
#endif

namespace graphnet::proof {
namespace cupti_header_test {

#ifdef GRAPHNET_CUPTI_LIBRARY

#define SAME_PLACE(fields, mine, theirs, member) \
  static_assert(cupti::fields::mine == offsetof(theirs, member), #member)

#define SAME_NUMBER(mine, theirs) static_assert(cupti::mine == int{theirs}, #mine)

SAME_PLACE(KernelFields, kStart, CUpti_ActivityKernel10, start);
SAME_PLACE(KernelFields, kEnd, CUpti_ActivityKernel10, end);
SAME_PLACE(KernelFields, kDevice, CUpti_ActivityKernel10, deviceId);
SAME_PLACE(KernelFields, kContext, CUpti_ActivityKernel10, contextId);
SAME_PLACE(KernelFields, kStream, CUpti_ActivityKernel10, streamId);
SAME_PLACE(KernelFields, kCorrelation, CUpti_ActivityKernel10, correlationId);
SAME_PLACE(KernelFields, kName, CUpti_ActivityKernel10, name);
SAME_PLACE(KernelFields, kGraphNode, CUpti_ActivityKernel10, graphNodeId);
SAME_PLACE(CopyFields, kSize, CUpti_ActivityMemcpy6, bytes);
SAME_PLACE(CopyFields, kStart, CUpti_ActivityMemcpy6, start);
SAME_PLACE(CopyFields, kEnd, CUpti_ActivityMemcpy6, end);
SAME_PLACE(CopyFields, kDevice, CUpti_ActivityMemcpy6, deviceId);
SAME_PLACE(CopyFields, kContext, CUpti_ActivityMemcpy6, contextId);
SAME_PLACE(CopyFields, kStream, CUpti_ActivityMemcpy6, streamId);
SAME_PLACE(CopyFields, kCorrelation, CUpti_ActivityMemcpy6, correlationId);
SAME_PLACE(CopyFields, kSize, CUpti_ActivityMemset4, bytes);
SAME_PLACE(CopyFields, kStart, CUpti_ActivityMemset4, start);
SAME_PLACE(CopyFields, kEnd, CUpti_ActivityMemset4, end);
SAME_PLACE(CopyFields, kDevice, CUpti_ActivityMemset4, deviceId);
SAME_PLACE(CopyFields, kContext, CUpti_ActivityMemset4, contextId);
SAME_PLACE(CopyFields, kStream, CUpti_ActivityMemset4, streamId);
SAME_PLACE(CopyFields, kCorrelation, CUpti_ActivityMemset4, correlationId);
SAME_PLACE(PeerCopyFields, kSize, CUpti_ActivityMemcpyPtoP4, bytes);
SAME_PLACE(PeerCopyFields, kStart, CUpti_ActivityMemcpyPtoP4, start);
SAME_PLACE(PeerCopyFields, kEnd, CUpti_ActivityMemcpyPtoP4, end);
SAME_PLACE(PeerCopyFields, kDevice, CUpti_ActivityMemcpyPtoP4, deviceId);
SAME_PLACE(PeerCopyFields, kContext, CUpti_ActivityMemcpyPtoP4, contextId);
SAME_PLACE(PeerCopyFields, kStream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME_PLACE(PeerCopyFields, kCorrelation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME_PLACE(CallFields, kId, CUpti_ActivityAPI, cbid);
SAME_PLACE(CallFields, kStart, CUpti_ActivityAPI, start);
SAME_PLACE(CallFields, kEnd, CUpti_ActivityAPI, end);
SAME_PLACE(CallFields, kThread, CUpti_ActivityAPI, threadId);
SAME_PLACE(CallFields, kCorrelation, CUpti_ActivityAPI, correlationId);
SAME_PLACE(ExternalIdFields, kFamily, CUpti_ActivityExternalCorrelation, externalKind);
SAME_PLACE(ExternalIdFields, kId, CUpti_ActivityExternalCorrelation, externalId);
SAME_PLACE(ExternalIdFields, kCorrelation, CUpti_ActivityExternalCorrelation, correlationId);
SAME_PLACE(OverheadFields, kWhat, CUpti_ActivityOverhead3, overheadKind);
SAME_PLACE(OverheadFields, kStart, CUpti_ActivityOverhead3, start);
SAME_PLACE(OverheadFields, kEnd, CUpti_ActivityOverhead3, end);

SAME_NUMBER(kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME_NUMBER(kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME_NUMBER(kDriverCall, CUPTI_ACTIVITY_KIND_DRIVER);
SAME_NUMBER(kRuntimeCall, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME_NUMBER(kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_NUMBER(kOverhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME_NUMBER(kMemcpyPeer, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME_NUMBER(kExternalId, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
SAME_NUMBER(kInternalCall, CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API);

SAME_NUMBER(kNoMoreRecords, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_NUMBER(kNotInitialized, CUPTI_ERROR_NOT_INITIALIZED);
SAME_NUMBER(kBadRecord, CUPTI_ERROR_INVALID_KIND);
SAME_NUMBER(kVirtualMachine, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
SAME_NUMBER(kNoPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME_NUMBER(kOtherSubscriber, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME_NUMBER(kFirstRefusedDevice, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME_NUMBER(kLastRefusedDevice, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
SAME_NUMBER(kUnknown, CUPTI_ERROR_UNKNOWN);

SAME_NUMBER(kDriverDomain, CUPTI_CB_DOMAIN_DRIVER_API);
SAME_NUMBER(kRuntimeDomain, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME_NUMBER(kIdFamily, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
SAME_NUMBER(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(sizeof(cupti::SubscriberNames) == sizeof(CUpti_SubscriberParams));
static_assert(offsetof(cupti::SubscriberNames, other) ==
              offsetof(CUpti_SubscriberParams, oldSubscriberName));

CuptiSession::Settings real_settings() {
  CuptiSession::Settings settings;
  const std::filesystem::path file = GRAPHNET_CUPTI_LIBRARY;
  settings.search = {{file.filename().string()}, {file.parent_path()}};
  return settings;
}

/// The real library opens without a driver, and says why it records nothing.
TEST(CuptiHeader, LibraryOpensAndSaysItsState) {
  CuptiLibrary library;
  const CuptiStatus opened = open_cupti(real_settings().search, library);
  ASSERT_TRUE(opened.is_ready()) << opened.reason;
  EXPECT_EQ(library.version, static_cast<std::uint32_t>(CUPTI_API_VERSION));
  CuptiStatus status;
  const auto session = CuptiSession::start(real_settings(), status);
  const device::DriverState driver = device::probe_driver();
  EXPECT_EQ(session != nullptr, status.is_ready());
  if (!driver.is_ready()) {
    EXPECT_EQ(status.state, CuptiState::kNoDevice) << status.reason;
    EXPECT_NE(status.reason.find(driver.reason), std::string::npos) << status.reason;
  }
}

/// Every call whose name has "launch" in it is a launch, and no other.
TEST(CuptiHeader, AllLaunchesAreKnown) {
  CuptiLibrary library;
  ASSERT_TRUE(open_cupti(real_settings().search, library).is_ready());
  std::multiset<std::uint32_t> launches;
  for (const std::uint32_t domain : {cupti::kDriverDomain, cupti::kRuntimeDomain}) {
    const char* name = nullptr;
    for (std::uint32_t id = 1;
         library.functions.callback_name(domain, id, &name) == cupti::kSuccess; ++id) {
      const bool is_named_so = std::string_view(name).find("Launch") != std::string_view::npos;
      EXPECT_EQ(is_launch_call(name), is_named_so) << name;
      if (is_launch_call(name)) launches.insert(domain);
    }
  }
  // Those of CUDA 13.0: two more than its documents count, __cudaLaunchKernel, which nvcc's own
  // launches call since then, with and without a default stream a thread.
  EXPECT_EQ(launches.count(cupti::kDriverDomain), 14U);
  EXPECT_EQ(launches.count(cupti::kRuntimeDomain), 15U);
}

#else

TEST(CuptiHeader, LibraryOpensAndSaysItsState) {
  GTEST_SKIP() << "built without libtorch's packages, which bring CUPTI and its header";
}

#endif

}  // namespace cupti_header_test
}  // namespace graphnet::proof
