// SPDX-License-Identifier: MIT
#include "proof/execute_deny.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <thread>

#include "base/threads.h"
#include "proof/quiet_window.h"
#include "proof/thread_signals.h"
#include "support/mentions.h"
#include "unit/proof/generated_code.h"

namespace graphnet::proof {
namespace execute_deny_test {

using tests::GeneratedCode;
using tests::mentions;

const std::vector<RegionKind> kAll = {RegionKind::kDeny, RegionKind::kWatch, RegionKind::kExpect};

std::unique_ptr<ExecuteDeny> make_tracer(const std::vector<Region>& regions) {
  auto tracer = ExecuteDeny::create(regions);
  EXPECT_TRUE(tracer.is_ok()) << tracer.status().to_string();
  return std::move(tracer).value();
}

TEST(ExecuteDeny, NotesTheFirstEntryIntoEachWindow) {
  const GeneratedCode code(4);
  const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  code.call(2);
  code.call(0);
  code.call(2);
  ASSERT_TRUE(tracer->disarm().is_ok());
  code.call(3);
  const std::vector<Hit> hits = tracer->hits();
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].instruction, code.window(2));
  EXPECT_EQ(hits[0].window, code.window(2));
  EXPECT_EQ(hits[1].instruction, code.window(0));
  EXPECT_EQ(hits[0].thread, static_cast<int>(::syscall(SYS_gettid)));
  const auto mappings = base::read_memory_map();
  const base::Mapping* caller = base::find_mapping(*mappings, hits[0].return_word);
  ASSERT_NE(caller, nullptr);
  EXPECT_EQ(base::module_name(caller->path), "unit_proof");
}

std::int64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

TEST(ExecuteDeny, SaysWhenEachHitWas) {
  const GeneratedCode code(2);
  const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  std::int64_t times[3] = {now_ns()};
  for (std::size_t i = 0; i < 2; ++i) {
    code.call(i);
    times[i + 1] = now_ns();
  }
  ASSERT_TRUE(tracer->disarm().is_ok());
  const std::vector<Hit> hits = tracer->hits();
  ASSERT_EQ(hits.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(hits[i].time_ns, times[i]);
    EXPECT_LE(hits[i].time_ns, times[i + 1]);
  }
}

TEST(ExecuteDeny, SeesEveryTimeAndNothingElse) {
  const GeneratedCode denied(2);
  const GeneratedCode expected(2);
  std::vector<Region> regions = {denied.region(RegionKind::kDeny),
                                 expected.region(RegionKind::kExpect)};
  if (denied.window(0) > expected.window(0)) std::swap(regions[0], regions[1]);
  const auto tracer = make_tracer(regions);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(tracer->arm(kAll).is_ok());
    expected.call(1);
    if (i % 2 == 0) denied.call(1);
    ASSERT_TRUE(tracer->disarm().is_ok());
    const std::vector<Hit> hits = tracer->hits();
    ASSERT_EQ(hits.size(), i % 2 == 0 ? 2U : 1U);
    EXPECT_EQ(tracer->regions()[hits[0].region].kind, RegionKind::kExpect);
  }
}

TEST(ExecuteDeny, SeesOtherThreadsAtTheSameAddress) {
  const GeneratedCode code(1);
  const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(tracer->arm(kAll).is_ok());
    std::thread one([&] { code.call(0); });
    std::thread two([&] { code.call(0); });
    one.join();
    two.join();
    ASSERT_TRUE(tracer->disarm().is_ok());
    ASSERT_GE(tracer->hits().size(), 1U);
  }
}

TEST(ExecuteDeny, ClosesOnlyTheClassesAskedFor) {
  const GeneratedCode code(1);
  const auto tracer = make_tracer({code.region(RegionKind::kWatch)});
  ASSERT_TRUE(tracer->arm({RegionKind::kDeny}).is_ok());
  code.call(0);
  ASSERT_TRUE(tracer->disarm().is_ok());
  EXPECT_TRUE(tracer->hits().empty());
}

TEST(ExecuteDeny, LeavesOutMemoryThatThePluginHasGivenBack) {
  const GeneratedCode code(1);
  Region gone;
  {
    const GeneratedCode given_back(1);
    gone = given_back.region(RegionKind::kExpect);
  }
  std::vector<Region> regions = {code.region(RegionKind::kDeny), gone};
  if (gone.mapping.start < regions[0].mapping.start) std::swap(regions[0], regions[1]);
  const auto tracer = make_tracer(regions);
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  code.call(0);
  ASSERT_TRUE(tracer->disarm().is_ok());
  EXPECT_EQ(tracer->hits().size(), 1U);
}

TEST(ExecuteDeny, LeavesMemoryAloneThatTookThePlaceOfCode) {
  Region gone;
  {
    const GeneratedCode given_back(1);
    gone = given_back.region(RegionKind::kExpect);
  }
  const std::size_t num_bytes = gone.mapping.end - gone.mapping.start;
  auto* const others = static_cast<unsigned char*>(
      ::mmap(reinterpret_cast<void*>(gone.mapping.start), num_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  ASSERT_NE(others, MAP_FAILED);
  const auto tracer = make_tracer({gone});
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  *others = 1;  // still writable
  ASSERT_TRUE(tracer->disarm().is_ok());
  ::munmap(others, num_bytes);
}

// Code of one window, of which the first pages are gone.
TEST(ExecuteDeny, OpensNoMoreThanWhatWasCode) {
  const GeneratedCode code(2);
  const std::size_t half = GeneratedCode::kWindow / 2;
  auto* const others = reinterpret_cast<unsigned char*>(code.window(0));
  ASSERT_NE(
      ::mmap(others, half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
      MAP_FAILED);
  const auto tracer = make_tracer({code.region(RegionKind::kExpect)});
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  reinterpret_cast<void (*)()>(code.window(0) + half)();
  *others = 1;  // still writable
  ASSERT_TRUE(tracer->disarm().is_ok());
  *others = 2;
  EXPECT_EQ(tracer->hits().size(), 1U);
  reinterpret_cast<void (*)()>(code.window(0) + half)();
}

TEST(ExecuteDeny, LeavesMemoryThatGotAnotherUseAlone) {
  const GeneratedCode code(1);
  const auto tracer = make_tracer({code.region(RegionKind::kExpect)});
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  ASSERT_EQ(::mprotect(code.data(), code.num_bytes(), PROT_READ | PROT_WRITE), 0);
  ASSERT_TRUE(tracer->disarm().is_ok());
  *code.data() = 1;  // still writable
}

TEST(ExecuteDeny, FindsDeniedCodeThatSomebodyElseOpened) {
  const GeneratedCode code(2);
  const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
  ASSERT_TRUE(tracer->arm(kAll).is_ok());
  ASSERT_EQ(::mprotect(code.data(), code.num_bytes(), PROT_READ | PROT_EXEC), 0);
  code.call(0);
  const base::Status status = tracer->disarm();
  EXPECT_EQ(status.code(), base::Code::kPlugin);
  EXPECT_TRUE(mentions(status.message(), {"pages", "executable"}));
}

TEST(ExecuteDeny, PutsItsHandlerBackInFront) {
  const auto before = ::signal(SIGSEGV, SIG_DFL);
  const GeneratedCode code(1);
  {
    const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
    EXPECT_TRUE(tracer->reclaim_handler());
    ::signal(SIGSEGV, SIG_IGN);
    EXPECT_FALSE(tracer->reclaim_handler());
    EXPECT_TRUE(tracer->reclaim_handler());
    ASSERT_TRUE(tracer->arm(kAll).is_ok());
    code.call(0);
    ASSERT_TRUE(tracer->disarm().is_ok());
    EXPECT_EQ(tracer->hits().size(), 1U);
  }
  EXPECT_EQ(::signal(SIGSEGV, before), SIG_IGN) << "what was there is there again";
}

__attribute__((no_sanitize("address", "undefined"))) void write_to_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;  // NOLINT(clang-analyzer-core.NullDereference): the fault is the test
}

TEST(ExecuteDenyDeathTest, ARealFaultKillsWhileArmed) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        ::signal(SIGSEGV, SIG_DFL);
        const GeneratedCode code(1);
        const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
        static_cast<void>(tracer->arm(kAll));
        write_to_null();
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

[[noreturn]] void leave(int) {
  ::_exit(7);
}

TEST(ExecuteDenyDeathTest, ARealFaultReachesTheHandlerBefore) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        ::signal(SIGSEGV, leave);
        const GeneratedCode code(1);
        const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
        static_cast<void>(tracer->arm(kAll));
        code.call(0);
        write_to_null();
      },
      ::testing::ExitedWithCode(7), "");
}

/// Exit code 0 if the kernel's refusal is reported as it should be.
int refused_by_kernel() {
  // mprotect with PROT_EXEC is not permitted any more.
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  const GeneratedCode code(1);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 2;
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 3;
  const auto tracer = ExecuteDeny::create({code.region(RegionKind::kDeny)});
  if (tracer.is_ok()) return 4;
  code.call(0);
  return tracer.status().message() ==
                 "the kernel refuses to change the right to execute: Operation not permitted"
             ? 0
             : 5;
}

TEST(ExecuteDenyDeathTest, ReportsAKernelThatRefuses) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(::_exit(refused_by_kernel()), ::testing::ExitedWithCode(0), "");
}

TEST(ExecuteDeny, RefusesWhereAThreadBlocksTheSignal) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto tracer = ExecuteDeny::create({});
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_FALSE(tracer.is_ok());
  EXPECT_NE(tracer.status().message().find("blocks SIGSEGV"), std::string::npos);
}

/// Blocks every signal for a moment, as the C library does in a thread that begins or ends.
TEST(ExecuteDeny, WaitsForAThreadThatBeginsOrEnds) {
  std::promise<void> ready;
  std::promise<void> end;
  std::thread beginning([&] {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    ready.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    end.get_future().wait();
  });
  ready.get_future().wait();
  const auto tracer = ExecuteDeny::create({});
  end.set_value();
  beginning.join();
  ASSERT_TRUE(tracer.is_ok()) << tracer.status().to_string();
  EXPECT_TRUE((*tracer)->tolerated_threads().empty());
}

/// A thread of a name that blocks every signal, as those of the CUDA driver do.
class BlockingThread {
 public:
  explicit BlockingThread(const char* name) {
    std::promise<void> ready;
    thread_ = std::thread([&, name] {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
      ::pthread_setname_np(::pthread_self(), name);
      ready.set_value();
      end_.get_future().wait();
    });
    ready.get_future().wait();
  }
  ~BlockingThread() {
    end_.set_value();
    thread_.join();
  }

 private:
  std::promise<void> end_;
  std::thread thread_;
};

TEST(ExecuteDeny, ToleratesThreadsOfTheDriver) {
  const BlockingThread events("cuda-EvtHandlr");
  const auto tracer = ExecuteDeny::create({});
  ASSERT_TRUE(tracer.is_ok()) << tracer.status().to_string();
  ASSERT_EQ((*tracer)->tolerated_threads().size(), 1U);
  EXPECT_EQ((*tracer)->tolerated_threads()[0].rfind("thread 'cuda-EvtHandlr' (", 0), 0U);
}

TEST(ExecuteDeny, RefusesOthersBesideThem) {
  const BlockingThread events("cuda-EvtHandlr");
  const BlockingThread other("barracuda");
  const auto tracer = ExecuteDeny::create({});
  ASSERT_FALSE(tracer.is_ok());
  EXPECT_EQ(tracer.status().message().rfind("thread 'barracuda' (", 0), 0U)
      << tracer.status().message();
}

TEST(QuietWindow, NeedsOneLookWhereNothingRuns) {
  const GeneratedCode code(1);
  const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
  std::promise<void> begun;
  std::promise<void> end;
  std::thread waiting([&] {
    begun.set_value();
    end.get_future().wait();
  });
  begun.get_future().wait();
  while (base::other_threads_run()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto looks = wait_until_quiet(*tracer);
  end.set_value();
  waiting.join();
  ASSERT_TRUE(looks.is_ok());
  EXPECT_EQ(*looks, 1);
}

TEST(QuietWindow, NeedsNoneWhereNobodyElseIs) {
  const GeneratedCode code(1);
  const auto tracer = make_tracer({code.region(RegionKind::kDeny)});
  const auto looks = wait_until_quiet(*tracer);
  ASSERT_TRUE(looks.is_ok());
  EXPECT_EQ(*looks, 0);
}

TEST(ThreadStatus, IsReadAsTheKernelWritesIt) {
  const ThreadState thread = parse_thread_status(
      "Name:\tpool thread\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t12\nPid:\t34\n"
      "SigPnd:\t0000000000000000\nSigBlk:\t0000000000000400\n");
  EXPECT_EQ(thread.id, 34);
  EXPECT_EQ(thread.name, "pool thread");
  EXPECT_EQ(thread.state, 'S');
  EXPECT_TRUE(blocks(thread, SIGSEGV));
  EXPECT_FALSE(blocks(thread, SIGBUS));
  EXPECT_EQ(parse_thread_status("").id, 0);
  EXPECT_EQ(describe_thread(-1), "thread -1");
}

}  // namespace execute_deny_test
}  // namespace graphnet::proof
