// SPDX-License-Identifier: MIT
#include "bladedisc/compiler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bladedisc/program_log.h"
#include "support/mentions.h"
#include "support/temp_dir.h"
#include "unit/bladedisc/fakes.h"

namespace graphnet::bladedisc {
namespace compiler_test {

namespace fs = std::filesystem;
using tests::mentions;
using tests::TempDir;

const std::vector<std::string> kPinned = {"TAO_MLIR_ENABLE_AMP=false", "NVIDIA_TF32_OVERRIDE=0"};

Compiled compile_by(const std::string& mode, const Options& options = {}) {
  return compile(kModule, options, fake_compiler(mode), kPinned, [] { return false; });
}

TEST(BladeDiscCompiler, GivesLibraryMetadataAndLog) {
  ::setenv("DISC_OF_THE_TEST", "passed", 1);
  ::setenv("GN_OF_THE_TEST", "not passed", 1);
  Options options;
  options.multi_cc = true;
  const Compiled compiled = compile_by("works", options);
  EXPECT_EQ(library_mistake(compiled.library), "");
  EXPECT_EQ(compiled.metadata,
            "fake: 1\nflag: --mlir-elide-elementsattrs-if-larger=8\nflag: --multi-cc-support\n"
            "TAO_MLIR_ENABLE_AMP: false\nNVIDIA_TF32_OVERRIDE: 0\nDISC_OF_THE_TEST: passed\n"
            "GN_OF_THE_TEST: unset\n");
  EXPECT_EQ(marked_lines(compiled.log), "[DISC] Load Input IR takes: 1.0e-3 s.\n");
  EXPECT_FALSE(compiled.is_cached);
}

TEST(BladeDiscCompiler, SetsVariablesOnTheOtherSideOfALauncher) {
  const TempDir folder;
  Options options;
  options.launcher = {"env", "-i"};
  options.share_folder = folder.path();
  const Compiled compiled = compile_by("works", options);
  EXPECT_TRUE(
      mentions(compiled.metadata, {"TAO_MLIR_ENABLE_AMP: false", "NVIDIA_TF32_OVERRIDE: 0"}));
  EXPECT_TRUE(fs::is_empty(folder.path())) << "the working folder is left behind";
}

struct Fault {
  const char* mode;
  std::uint32_t code;
  const char* says;
};

TEST(BladeDiscCompiler, SaysHowItFailed) {
  const Fault kFaults[] = {
      {"parse_error", GN_STATUS_COMPILE_FAILED, "exit code 1"},
      {"parse_error", GN_STATUS_COMPILE_FAILED, "error: made up"},
      {"silent", GN_STATUS_COMPILE_FAILED, "exit code 7"},
      {"dies", GN_STATUS_COMPILE_FAILED, "killed by signal 6"},
      {"no_library", GN_STATUS_COMPILE_FAILED, "exit code 0 and made no library"},
      {"no_library", GN_STATUS_COMPILE_FAILED, "which may not be on its PATH"},
      {"empty_library", GN_STATUS_COMPILE_FAILED, "made a library that is no ELF file"},
      {"text_library", GN_STATUS_COMPILE_FAILED, "is no ELF file"},
      {"cut_library", GN_STATUS_COMPILE_FAILED, "is cut off"},
      {"no_main", GN_STATUS_COMPILE_FAILED, "does not export main"},
      {"no_metadata", GN_STATUS_COMPILE_FAILED, "no metadata"},
      {"loud", GN_STATUS_COMPILE_FAILED, "error: the last of 100 MiB"},
      {"not_there", GN_STATUS_UNAVAILABLE, "cannot be started"},
  };
  for (const Fault& fault : kFaults) {
    const Ended end = end_of([&] { compile_by(fault.mode); });
    EXPECT_EQ(end.code, fault.code) << fault.mode << ": " << end.message;
    EXPECT_TRUE(mentions(end.message, {fault.says})) << fault.mode;
  }
}

TEST(BladeDiscCompiler, KeepsWhatItPrintedWhenItFailed) {
  std::string log;
  try {
    compile_by("parse_error");
  } catch (const CompilerFailure& failure) {
    log = failure.log();
  }
  EXPECT_TRUE(mentions(log, {"[DISC]", "error: made up", "and so on"}));
}

TEST(BladeDiscCompiler, SaysThatAFileIsNoProgram) {
  const TempDir folder;
  const std::string text = folder.write("disc_compiler_main", "text");
  const Ended end = end_of([&] { compile(kModule, {}, text, kPinned, [] { return false; }); });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_UNAVAILABLE});
  EXPECT_TRUE(mentions(end.message, {"cannot be started: Permission denied"}));
}

TEST(BladeDiscCompiler, TakesNoPartOfALibrary) {
  const std::string whole = compile_by("works").library;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_NE(library_mistake(whole.substr(0, size)), "") << size << " of " << whole.size();
  }
}

TEST(BladeDiscCompiler, RefusesAModuleThatIsNone) {
  const Ended end = end_of([] {
    compile("module @m {\n}\n", {}, fake_compiler("works"), kPinned, [] { return false; });
  });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_COMPILE_FAILED});
  EXPECT_TRUE(mentions(end.message, {"no @main that returns"}));
}

/// A zombie until whoever adopts it has reaped it.
bool is_alive(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
  std::string state;
  std::getline(stream, state);
  return !state.empty() && state.find(" Z ") == std::string::npos &&
         state.find(" X ") == std::string::npos;
}

void expect_end_of_child(const fs::path& folder) {
  std::ifstream stream(folder / "child");
  pid_t child = 0;
  ASSERT_TRUE(stream >> child);
  for (int look = 0; look < 500 && is_alive(child); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(is_alive(child)) << "what the compiler had started goes on";
}

TEST(BladeDiscCompiler, IsKilledWithAllThatItStartedWhenItsTimeIsUp) {
  const TempDir folder;
  Options options;
  options.share_folder = folder.path();
  options.compile_timeout = std::chrono::seconds(1);
  const Ended end = end_of([&] { compile_by("hang", options); });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_COMPILE_FAILED});
  EXPECT_TRUE(mentions(end.message, {"after 1 s", "compile_timeout_s"}));
  expect_end_of_child(folder.path());
}

TEST(BladeDiscCompiler, IsKilledIfTheHostWantsToStop) {
  const TempDir folder;
  Options options;
  options.share_folder = folder.path();
  const Ended end = end_of([&] {
    compile(kModule, options, fake_compiler("hang"), kPinned,
            [&] { return fs::exists(folder.path() / "child"); });
  });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_COMPILE_FAILED});
  EXPECT_TRUE(mentions(end.message, {"was cancelled"}));
}

TEST(BladeDiscCompiler, KeepsLibrariesWhereAFolderIsNamed) {
  const TempDir folder;
  Options options;
  options.cache_folder = folder.path() / "cache";
  const Compiled first = compile_by("works", options);
  const Compiled second = compile_by("works", options);
  EXPECT_FALSE(first.is_cached);
  EXPECT_TRUE(second.is_cached);
  EXPECT_EQ(second.library, first.library);
  EXPECT_EQ(second.metadata, first.metadata);
  options.multi_cc = true;
  EXPECT_FALSE(compile_by("works", options).is_cached) << "other flags, another library";
  options.multi_cc = false;
  for (const auto& entry : fs::directory_iterator(options.cache_folder)) {
    if (entry.path().extension() == ".pbtxt") std::ofstream(entry.path(), std::ios::app) << "x";
  }
  const Compiled again = compile_by("works", options);
  EXPECT_FALSE(again.is_cached) << "a damaged file is not taken";
  EXPECT_EQ(again.metadata, first.metadata);
  EXPECT_TRUE(compile_by("works", options).is_cached);
}

TEST(BladeDiscCompiler, SaysWhereItsCacheCannotBe) {
  const TempDir folder;
  Options options;
  options.cache_folder = folder.write("file", "") / "cache";
  const Ended end = end_of([&] { compile_by("works", options); });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_UNAVAILABLE});
  EXPECT_TRUE(mentions(end.message, {"cache_folder"}));
}

}  // namespace compiler_test
}  // namespace graphnet::bladedisc
