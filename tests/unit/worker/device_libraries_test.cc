// SPDX-License-Identifier: MIT
#include "worker/device_libraries.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "support/temp_dir.h"

namespace graphnet::worker {
namespace device_libraries_test {

namespace fs = std::filesystem;

base::Json row_named(const base::Json& rows, const std::string& name) {
  for (const base::Json& row : rows) {
    if (row["name"] == name) return row;
  }
  return nullptr;
}

TEST(CudaLibraries, SayTheirVersions) {
  const tests::TempDir folder;
  // A copy: the kernel shows the name of the file, not of a link to it.
  const fs::path driver = folder.path() / "libcuda.so.580.159.04";
  fs::copy(fs::path(GRAPHNET_FAKE_CUDA) / "ready.so", driver);
  ASSERT_NE(::dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << ::dlerror();
  const auto mappings = base::read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  const base::Json row = row_named(cuda_libraries(*mappings), "libcuda.so.580.159.04");
  ASSERT_TRUE(row.is_object());
  EXPECT_EQ(row["version"], "13.0");
  EXPECT_EQ(row["release"], "580.159.04");
  EXPECT_EQ(row["file"], driver.string());
}

TEST(CudaLibraries, AreFoundByNameOnce) {
  const std::vector<base::Mapping> mappings = {{0, 1, 0, 0, "/x/libcublas.so.13.1.0"},
                                               {1, 2, 0, 1, "/x/libcublas.so.13.1.0"},
                                               {2, 3, 0, 0, "/x/libcurl.so.4.8"},
                                               {3, 4, 0, 0, "/x/libcudnn.so.9"},
                                               {4, 5, 0, 0, "[heap]"}};
  const base::Json rows = cuda_libraries(mappings);
  ASSERT_EQ(rows.size(), 2U) << base::dump_json(rows);
  EXPECT_EQ(rows[0]["name"], "libcublas.so.13.1.0");
  EXPECT_EQ(rows[0]["version"], "13.1.0");
  EXPECT_EQ(rows[1]["name"], "libcudnn.so.9");
  EXPECT_FALSE(rows[1].contains("version")) << "its name holds a major number only";
}

TEST(CudaTools, AreLookedForBesideLibtorchAndInTheToolkit) {
  const tests::TempDir folder;
  const std::string site = (folder.path() / "site").string();
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  ::setenv("CUDA_HOME", (folder.path() / "toolkit").c_str(), 1);
  folder.write("toolkit/bin/ptxas", "");
  folder.write("toolkit/nvvm/libdevice/libdevice.10.bc", "");
  const std::vector<base::Mapping> mappings = {{0, 1, 0, 0, site + "/torch/lib/libtorch_cpu.so"}};
  EXPECT_EQ(cuda_tools(mappings)["ptxas"], (folder.path() / "toolkit/bin/ptxas").string());
  const fs::path beside = folder.write("site/nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "");
  EXPECT_EQ(cuda_tools(mappings)["libdevice"], beside.string());
  ::unsetenv("CUDA_HOME");
  ::setenv("PATH", path.c_str(), 1);
}

TEST(ThreadSignals, ThatAreBlockedHaveNames) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  bool may_end = false;
  std::thread thread([&] {
    ::pthread_setname_np(::pthread_self(), "blocker");
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGSEGV);
    ::sigaddset(&signals, SIGUSR2);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::unique_lock<std::mutex> lock(mutex);
    is_ready = true;
    changed.notify_all();
    changed.wait(lock, [&] { return may_end; });
  });
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return is_ready; });
  const base::Json row = row_named(thread_signals(), "blocker");
  may_end = true;
  changed.notify_all();
  lock.unlock();
  thread.join();
  ASSERT_TRUE(row.is_object());
  EXPECT_EQ(row["blocked"], (base::Json{"SIGSEGV", "SIGUSR2"})) << base::dump_json(row);
}

}  // namespace device_libraries_test
}  // namespace graphnet::worker
