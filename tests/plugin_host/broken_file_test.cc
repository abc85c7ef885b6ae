// SPDX-License-Identifier: MIT
//
// Plugins that are refused before any of their code runs: a run with nothing else does not begin
// (exit code 4), beside healthy ones they cost their own samples.
#include <elf.h>
#include <sys/stat.h>

#include "plugin_host/zoo.h"
#include "support/folders.h"

namespace graphnet::tests {
namespace broken_file_test {

namespace fs = std::filesystem;

/// The plugin without a fault, copied to a folder of its own to be broken.
class BrokenFile : public ::testing::Test {
 protected:
  BrokenFile() {
    fs::create_directories(folder_.path() / "healthy");
    fs::copy(zoo_library("healthy").parent_path(), folder_.path() / "healthy");
  }

  fs::path library() const { return folder_.path() / "healthy" / "libgn_healthy.so"; }

  void patch(std::size_t offset, const std::string& bytes) {
    std::fstream file(library(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file << bytes;
  }

  /// Runs it alone and checks that nothing ran and that all parts are in the message; then beside
  /// the control, which runs.
  static void expect_refused(const fs::path& file, const std::vector<std::string>& parts) {
    const ZooRun alone(file, "", false);
    EXPECT_EQ(alone.exit_code(), 4) << alone.output();
    EXPECT_TRUE(alone.records().empty());
    EXPECT_LT(alone.seconds(), 5);
    EXPECT_EQ(alone.num_left_processes(), 0);
    expect_parts(alone.output(), parts);
    expect_beside(ZooRun(file), parts);
  }

  static void expect_beside(const ZooRun& both, const std::vector<std::string>& parts) {
    EXPECT_EQ(both.exit_code(), 1) << both.output();
    expect_parts(both.output(), parts);
    ASSERT_EQ(both.records().size(), 2U) << both.output();
    const record::Record& refused = both.records()[0];
    EXPECT_EQ(refused.outcome, record::Outcome::kPluginFailed);
    EXPECT_EQ(refused.phase, record::Phase::kNone);
    EXPECT_NE(both.output().find(refused.message), std::string::npos) << refused.message;
    EXPECT_FALSE(refused.plugin.empty());
    EXPECT_EQ(both.records()[1].plugin, "nope");
    EXPECT_EQ(both.records()[1].outcome, record::Outcome::kOk) << both.records()[1].message;
  }

  static void expect_parts(const std::string& output, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(output.find(part), std::string::npos) << "'" << part << "' is not in:\n" << output;
    }
  }

  TempDir folder_;
};

TEST_F(BrokenFile, TextInPlaceOfALibrary) {
  std::ofstream(library(), std::ios::trunc) << "<!DOCTYPE html><html>404</html>";
  expect_refused(library(), {"is not an ELF shared library (starts with '<!DOCTYPE ht')",
                             "was the download an error page?"});
}

TEST_F(BrokenFile, OtherMachine) {
  patch(offsetof(Elf64_Ehdr, e_machine), std::string("\xF3\0", 2));  // RISC-V
  expect_refused(library(), {"is built for riscv, this host is"});
}

TEST_F(BrokenFile, Narrow) {
  patch(EI_CLASS, std::string(1, ELFCLASS32));
  expect_refused(library(), {"32-bit"});
}

TEST_F(BrokenFile, Truncated) {
  fs::resize_file(library(), fs::file_size(library()) / 2);
  expect_refused(library(), {"libgn_healthy.so", "cut off"});
}

TEST_F(BrokenFile, MissingSymbol) {
  for (const char* symbol : {"query", "compile", "run"}) {
    const std::string name =
        std::string(symbol) == "query" ? "gn_plugin_query" : std::string("gn_backend_") + symbol;
    expect_refused(zoo_library(std::string("missing_") + symbol),
                   {"does not export " + name + "; exports found: gn_", "C++ name found: _ZN3zoo",
                    "add extern \"C\""});
  }
}

TEST_F(BrokenFile, MissingLibraries) {
  expect_refused(
      zoo_library("missing_dependency"),
      {"plugin 'missing_dependency' needs libraries that were not found: libgn_zoo_absent_one.so.2 "
       "(needed by libgn_missing_dependency.so), libgn_zoo_absent_two.so.2",
       "install the zoo's first library"});
}

TEST_F(BrokenFile, OthersCanWriteIt) {
  ASSERT_EQ(::chmod(library().c_str(), 0666), 0);
  expect_refused(library(), {"plugin 'healthy' is not trusted: '" +
                                 fs::canonical(library()).string() + "' is writable by others",
                             "--trust-file " + fs::canonical(library()).string()});
}

TEST_F(BrokenFile, AnotherBuildThanThePinnedOne) {
  const std::string pin(64, 'a');
  const auto config = folder_.write("pin.yaml", "schema: graphnet/run/v1\nbackend:\n  library: " +
                                                    library().string() + "\n  sha256: " + pin);
  const ProgramEnd end =
      run_program({build_dir() + "/bin/graphnet", "run", "--config", config.string()}, {},
                  folder_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  expect_parts(end.output, {"the library of plugin 'healthy' has SHA-256 ",
                            ", the config pins " + pin + " (", "pin.yaml:4:11)"});
}

TEST_F(BrokenFile, BrokenManifest) {
  std::ofstream(library().parent_path() / "plugin.yaml", std::ios::app) << "colour: red\n";
  const ZooRun alone(library(), "", false);
  EXPECT_EQ(alone.exit_code(), 3) << alone.output();
  EXPECT_TRUE(alone.records().empty());
  expect_beside(ZooRun(library()), {"unknown key 'colour'"});
}

TEST_F(BrokenFile, TwoOfOneName) {
  fs::copy(folder_.path() / "healthy", folder_.path() / "again");
  const auto config = folder_.write("two.yaml",
                                    "schema: graphnet/run/v1\nbackend: {name: healthy}\n"
                                    "plugins: {search_paths: [.]}\n");
  const ProgramEnd end =
      run_program({build_dir() + "/bin/graphnet", "run", "--config", config.string()}, {},
                  folder_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 4) << end.output;
  EXPECT_NE(end.output.find("two plugins named 'healthy' in one folder"), std::string::npos);
}

TEST_F(BrokenFile, ListShowsEachAsARowWithItsReason) {
  std::ofstream(library(), std::ios::trunc) << "text";
  const ProgramEnd end = run_program(
      {build_dir() + "/bin/graphnet", "plugin", "list", "--plugin-path", folder_.path().string(),
       "--plugin-path", (fs::path(build_dir()) / "tests/plugins").string()},
      {}, folder_.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  for (const char* part :
       {"healthy: '", "is not an ELF shared library", "missing_run: ", "does not export",
        "missing_dependency: ", "libgn_zoo_absent_two.so.2", "crash_in_constructor", "nope"}) {
    EXPECT_NE(end.output.find(part), std::string::npos) << part << " is not in\n" << end.output;
  }
}

}  // namespace broken_file_test
}  // namespace graphnet::tests
