// SPDX-License-Identifier: MIT
#include "tvm_plugin/tvm_library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lowering/builder.h"
#include "unit/tvm/one_input.h"
#include "unit/tvm/program_compiler_fixture.h"

namespace graphnet::tvm {
namespace tvm_library_test {

using TvmLibraryTest = ProgramCompilerTest;

/// Names of this process's threads beside the calling one.
std::vector<std::string> other_threads() {
  std::vector<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == std::to_string(::getpid())) continue;
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    names.push_back(name);
  }
  return names;
}

// TVM's own pool, which would be on cores after calls, too, does not start.
TEST_F(TvmLibraryTest, KernelsShareTheirLoopsInThePluginsPool) {
  const Shape shape = {20, 1021};
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const lowering::Tensor y = b.softmax(one_input(emitter, shape), 1);
  const CompiledProgram made =
      compiler(Schedule::kRules, 2).compile(legalize(emitter.finish({y}), true).graph);
  OneCall call(lowering::num_elements(shape));
  call.run(*made.executable, shape, shape);
  EXPECT_EQ(other_threads(), std::vector<std::string>{"gn_tvm_pool"});
}

}  // namespace tvm_library_test
}  // namespace graphnet::tvm
