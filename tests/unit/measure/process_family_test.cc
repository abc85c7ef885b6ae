// SPDX-License-Identifier: MIT
#include "measure/process_family.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "base/processes.h"
#include "measure/clock.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::measure {
namespace process_family_test {

constexpr std::int64_t kWorkNs = 30'000'000;

void work() {
  while (clock_ns_by_syscall(CLOCK_PROCESS_CPUTIME_ID) < kWorkNs) {
  }
}

/// A child that does something, says so, and lives until it is killed.
class Child {
 public:
  explicit Child(const std::function<void()>& what) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      what();
      static_cast<void>(::write(ends[1], "x", 1) == 1);
      ::pause();
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() { end(); }
  void end() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

/// In a process whose parent has no other child: under ctest -j other tests are siblings.
void alone(const std::function<void()>& body) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t child = ::fork();
    if (child == 0) {
      body();
      std::fflush(nullptr);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  int status = -1;
  ::waitpid(parent, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ProcessFamily, CountsAChildWhileItLivesAndAfterwards) {
  alone([] {
    const Child stranger([] {});
    ProcessFamily family;
    family.scan();
    EXPECT_TRUE(family.living().empty()) << "what was there before is somebody else's";
    const std::int64_t before_ns = family.ran_ns();
    Child child(work);
    family.scan();
    EXPECT_EQ(family.living().size(), 1U);
    const std::int64_t living_ns = family.ran_ns() - before_ns;
    EXPECT_GE(living_ns, kWorkNs);
    child.end();
    // Reaped children are counted in microseconds.
    EXPECT_GE(family.ran_ns() - before_ns, living_ns - 100'000);
    EXPECT_LT(family.ran_ns() - before_ns, 2 * living_ns) << "not twice";
    family.scan();
    EXPECT_TRUE(family.living().empty());
  });
}

TEST(ProcessFamily, CountsChildrenOfChildren) {
  alone([] {
    ProcessFamily family;
    const std::int64_t before_ns = family.ran_ns();
    const Child child([] { new Child(work); });
    family.scan();
    EXPECT_EQ(family.living().size(), 2U);
    EXPECT_GE(family.ran_ns() - before_ns, kWorkNs);
  });
}

TEST(ProcessFamily, CountsWhatTheParentAdopts) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t orphan = 0;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  // In the part of a worker: its child makes a child of its own and ends.
  const pid_t worker = ::fork();
  if (worker == 0) {
    ProcessFamily family;
    const std::int64_t before_ns = family.ran_ns();
    const pid_t between = ::fork();
    if (between == 0) {
      const pid_t parent = ::getpid();
      if (::fork() != 0) ::_exit(0);
      while (::getppid() == parent) ::usleep(100);  // its death must not be taken for the worker's
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      const pid_t own = ::getpid();
      static_cast<void>(::write(ends[1], &own, sizeof own) == sizeof own);
      ::pause();
      ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    static_cast<void>(::read(ends[0], &orphan, sizeof orphan) == sizeof orphan);
    family.scan();
    const bool is_seen = family.living().size() == 1 && family.ran_ns() - before_ns >= kWorkNs;
    ::kill(orphan, SIGKILL);
    ::_exit(is_seen ? 0 : 1);
  }
  int status = 0;
  ::waitpid(worker, &status, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  EXPECT_EQ(status, 0);
}

/// Another program, with another worker's mark in its environment; `flags`: of clone(2).
pid_t start_marked(unsigned long flags) {
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
  if (pid != 0) return pid;
  char name[] = "sleep";
  char time[] = "20";
  char mark[] = "GRAPHNET_SLOT=77";
  char* const arguments[] = {name, time, nullptr};
  char* const environment[] = {mark, nullptr};
  ::execve("/bin/sleep", arguments, environment);
  ::_exit(1);
}

// A mark tells workers apart, not what a plugin starts.
TEST(ProcessFamily, BelievesNoMarkOfWhatThisProcessStarted) {
  alone([] {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (const unsigned long flags : {0UL, static_cast<unsigned long>(CLONE_PARENT)}) {
      ProcessFamily family("GRAPHNET_SLOT=1");
      const pid_t pid = start_marked(flags);
      ::usleep(100'000);  // until it is another program
      family.scan();
      EXPECT_EQ(family.living().size(), 1U) << "clone flags " << flags;
      ::kill(pid, SIGKILL);
    }
    ProcessFamily family("GRAPHNET_SLOT=1");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t between = ::fork();
    if (between == 0) {
      const pid_t orphan = start_marked(0);
      static_cast<void>(::write(ends[1], &orphan, sizeof orphan) == sizeof orphan);
      ::_exit(0);
    }
    pid_t orphan = 0;
    ASSERT_EQ(::read(ends[0], &orphan, sizeof orphan), static_cast<ssize_t>(sizeof orphan));
    ::waitpid(between, nullptr, 0);
    ::usleep(100'000);
    family.scan();
    EXPECT_EQ(family.living().size(), 1U) << "an orphan";
    ::kill(orphan, SIGKILL);
  });
}

// A worker is seen for a moment without its mark, between its start and its program.
TEST(ProcessFamily, ForgetsAnotherWorkerThatGetsItsMarkLate) {
  alone([] {
    static constexpr char kMark[] = "GRAPHNET_SLOT=77";
    ProcessFamily family("GRAPHNET_SLOT=1");
    int go[2];
    int done[2];
    ASSERT_EQ(::pipe(go) + ::pipe(done), 0);
    const auto other = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    if (other == 0) {
      char byte = 0;
      static_cast<void>(::read(go[0], &byte, 1) == 1);
      std::memcpy(environ[0], kMark, sizeof kMark);  // where the kernel reads a process's variables
      static_cast<void>(::write(done[1], "x", 1) == 1);
      ::pause();
      ::_exit(0);
    }
    family.scan();
    EXPECT_EQ(family.living().size(), 1U);
    const std::int64_t before_ns = family.ran_ns();
    char byte = 0;
    EXPECT_EQ(::write(go[1], "x", 1), 1);
    EXPECT_EQ(::read(done[0], &byte, 1), 1);
    family.scan();
    EXPECT_TRUE(family.living().empty());
    EXPECT_GE(family.ran_ns(), before_ns);
    ::kill(other, SIGKILL);
  });
}

/// A shell in the part of the supervisor; its first child is a worker. The second one is this
/// shell, without a mark, until somebody opens `start`, as what posix_spawn() makes is until its
/// program begins.
constexpr char kSupervisor[] = R"(
"$1" --gtest_filter=ProcessFamily.WaitsForTheProgramOfAnotherWorker &
worker=$!
read -r line < "$2/go"
GRAPHNET_SLOT=77 /bin/sh -c 'read -r line < "$1/end"' sh "$2" < "$2/start" &
wait $worker
status=$?
kill $!
exit $status
)";
constexpr char kFolderVariable[] = "GRAPHNET_TEST_FAMILY_FOLDER";

/// In the worker.
void scan_while_another_starts(const std::string& folder) {
  ProcessFamily family("GRAPHNET_SLOT=1");
  std::ofstream(folder + "/go") << "\n";
  for (int look = 0; look < 30'000 && base::children_of(::getppid()).size() < 2; ++look) {
    ::usleep(1000);
  }
  std::thread start([&] {
    ::usleep(10'000);
    std::ofstream(folder + "/start") << "\n";
  });
  family.scan();
  start.join();
  EXPECT_TRUE(family.living().empty());
}

TEST(ProcessFamily, WaitsForTheProgramOfAnotherWorker) {
  const char* const given = std::getenv(kFolderVariable);
  if (given != nullptr) return scan_while_another_starts(given);
  const tests::TempDir folder;
  const std::string path = folder.path().string();
  for (const char* name : {"/go", "/start", "/end"}) {
    ASSERT_EQ(::mkfifo((path + name).c_str(), 0600), 0);
  }
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const tests::ProgramEnd end =
      tests::run_program({"/usr/bin/timeout", "60", "/bin/sh", "-c", kSupervisor, "sh", own, path},
                         {std::string(kFolderVariable) + "=" + path}, folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
}

TEST(ProcessFamily, LeavesOutWhatIsExempt) {
  alone([] {
    ProcessFamily family;
    const Child child(work);
    family.exempt(child.pid());
    const std::int64_t before_ns = family.ran_ns();
    family.scan();
    EXPECT_TRUE(family.living().empty());
    EXPECT_EQ(family.ran_ns(), before_ns);
  });
}

TEST(CountFamily, AddsItsTimeToTheCounters) {
  ProcessFamily family;
  Instruments instruments;
  instruments.counters = [] { return DisturbanceCounters{0, 5, 0, 7, 0}; };
  count_family(instruments, family);
  const DisturbanceCounters before = instruments.counters();
  const Child child(work);
  family.scan();
  const DisturbanceCounters after = instruments.counters();
  EXPECT_GE(after.others_ran_ns - before.others_ran_ns, kWorkNs);
  EXPECT_EQ(*after.ran_ns - *before.ran_ns, after.others_ran_ns - before.others_ran_ns);
}

}  // namespace process_family_test
}  // namespace graphnet::measure
