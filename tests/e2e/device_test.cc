// SPDX-License-Identifier: MIT
// Runs on a CUDA device of a machine that has none, and what the programs link.
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace device_test {

namespace fs = std::filesystem;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSmall = source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris";
const std::string kFakes = build_dir() + "/tests/cuda";

ProgramEnd run_on(const std::string& device, const TempDir& folder,
                  const std::vector<std::string>& environment) {
  return run_program({kProgram, "run", kSmall, "--config", "nope.yaml", "--set", "device=" + device,
                      "-o", (folder.path() / "results.jsonl").string()},
                     environment, folder.path() / "log");
}

/// The loader finds this file first when the driver is asked for by name, which is what mappings
/// show, too.
std::vector<std::string> with_driver(const TempDir& folder, const std::string& fake) {
  fs::copy(kFakes + "/" + fake + ".so", folder.path() / "libcuda.so.1");
  return {"LD_LIBRARY_PATH=" + folder.path().string()};
}

TEST(Device, EndsWithTheDriversStateInPlainWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"stub", "device 'cuda:0' cannot be used: what was found is the CUDA toolkit's stub"},
      {"no_device", "cannot be used: the NVIDIA driver is there (CUDA 13.0) and shows 0 devices"},
      {"too_old",
       "cannot be used: the NVIDIA driver knows CUDA up to 12.8, this libtorch needs 13.0"},
      {"unknown", "cannot be used: the NVIDIA driver does not start: error 999"}};
  for (const auto& [driver, message] : cases) {
    const TempDir folder;
    const ProgramEnd end = run_on("cuda:0", folder, with_driver(folder, driver));
    EXPECT_EQ(end.state.exit_code, 5) << end.output;
    EXPECT_NE(end.output.find(message), std::string::npos) << end.output;
    EXPECT_NE(end.output.find("try: device: cpu"), std::string::npos) << end.output;
    EXPECT_FALSE(fs::exists(folder.path() / "results.jsonl"));
  }
}

TEST(Device, NumberThatIsNotThere) {
  const TempDir folder;
  const ProgramEnd end = run_on("cuda:2", folder, with_driver(folder, "ready"));
  EXPECT_EQ(end.state.exit_code, 5) << end.output;
  EXPECT_NE(end.output.find("the driver shows 2 devices, cuda:0 to cuda:1"), std::string::npos)
      << end.output;
}

TEST(Device, OfThisMachine) {
  const TempDir folder;
  const ProgramEnd end = run_on("cuda:0", folder, {});
  // Either nothing can be run, which says why, or the sample is.
  const bool lacks_device = end.output.find("device 'cuda:0' cannot be used") != std::string::npos;
  EXPECT_EQ(end.state.exit_code, lacks_device ? 5 : 0) << end.output;
}

TEST(Device, DoctorSaysTheDriversState) {
  const TempDir folder;
  const ProgramEnd end =
      run_program({kProgram, "doctor"}, with_driver(folder, "no_device"), folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << "the processor is enough\n" << end.output;
  EXPECT_NE(end.output.find("\n  cuda        none: the NVIDIA driver is there (CUDA 13.0) and "
                            "shows 0 devices"),
            std::string::npos)
      << end.output;
}

// CUPTI is the real one, which does not take the made-up driver for one.
TEST(Device, DoctorExaminesTheFirstDevice) {
  const TempDir folder;
  const ProgramEnd end =
      run_program({kProgram, "doctor"}, with_driver(folder, "ready"), folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  for (const char* part : {"\n  cuda        2 devices, the first: Made-up GPU, self-test ",
                           "\n              tracing by CUPTI: failed: CUPTI error "}) {
    EXPECT_NE(end.output.find(part), std::string::npos) << part << " is not in\n" << end.output;
  }
}

// The made-up driver's devices can be opened, but no libtorch computes on them.
TEST(Device, NeedsACudaPartOfLibtorch) {
  const TempDir folder;
  const ProgramEnd end = run_on("cuda:1", folder, with_driver(folder, "ready"));
  EXPECT_EQ(end.state.exit_code, 5) << end.output;
  EXPECT_NE(end.output.find("device 'cuda:1' cannot be used: "), std::string::npos) << end.output;
}

std::string devices_of_plan(const std::string& output) {
  const auto plan = base::parse_json(output, "plan");
  if (!plan.is_ok()) return output;
  std::string devices;
  for (const base::Json& task : (*plan)["tasks"]) {
    devices += (devices.empty() ? "" : " ") + task["device"].get<std::string>();
  }
  return devices;
}

TEST(Devices, SamplesAreSpreadAndKeepTheirDevice) {
  const TempDir folder;
  const std::string other = source_dir() + "/samples/torchgeometric/GAT";
  const auto plan = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {kProgram,   "run",       kSmall,      other,
                                    "--config", "nope.yaml", "--dry-run", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    return devices_of_plan(run_program(all, {}, folder.path() / "log").output);
  };
  EXPECT_EQ(plan({"--devices", "cuda:0,cuda:1"}).size(), std::string("cuda:0 cuda:1").size());
  EXPECT_NE(plan({"--devices", "cuda:0,cuda:1"}), "cuda:0 cuda:0");
  EXPECT_NE(plan({"--devices", "cuda:0,cuda:1"}), "cuda:1 cuda:1");
  EXPECT_EQ(plan({"--devices", "cuda:3"}), "cuda:3 cuda:3");
  EXPECT_EQ(plan({}), "cpu cpu");
}

TEST(Devices, MistakesAreNamed) {
  const std::pair<std::vector<std::string>, std::vector<std::string>> mistakes[] = {
      {{"--devices", "cuda:0,cuda:0"}, {"--devices", "cuda:0 twice"}},
      {{"--devices", "cpu"}, {"--devices", "'cpu'"}},
      {{"--devices", "cuda:0", "--jobs", "2"}, {"--jobs", "--devices"}}};
  for (const auto& [words, parts] : mistakes) {
    const TempDir folder;
    std::vector<std::string> all = {kProgram, "run", kSmall, "--config", "nope.yaml"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramEnd end = run_program(all, {}, folder.path() / "log");
    EXPECT_EQ(end.state.exit_code, 2) << end.output;
    for (const std::string& part : parts) EXPECT_TRUE(contains(end.output, part)) << end.output;
  }
}

ProgramEnd diagnose(const TempDir& folder, const std::string& fake,
                    const std::vector<std::string>& words) {
  std::vector<std::string> all = {kProgram, "doctor"};
  all.insert(all.end(), words.begin(), words.end());
  return run_program(all, with_driver(folder, fake), folder.path() / "log");
}

TEST(DoctorDevice, SaysTheDriversStateFirst) {
  const TempDir folder;
  const ProgramEnd end = diagnose(folder, "no_device", {"--device"});
  EXPECT_EQ(end.state.exit_code, 5) << end.output;
  for (const char* part :
       {"device cuda:0\n  driver      no_device: the NVIDIA driver is there (CUDA 13.0)",
        "\n  libtorch    CUDA part ", "\n  libraries   libcuda.so.1 ", "\n  ptxas       ",
        "\n  libdevice   ", "\n  threads     ",
        "\nnot usable: device 'cuda:0' cannot be used: the NVIDIA driver is there"}) {
    EXPECT_NE(end.output.find(part), std::string::npos) << part << " is not in\n" << end.output;
  }
}

TEST(DoctorDevice, AnswersAsJson) {
  const TempDir folder;
  const ProgramEnd end = diagnose(folder, "ready", {"--device", "cuda:1", "--json"});
  const auto json = base::parse_json(end.output, "doctor");
  ASSERT_TRUE(json.is_ok()) << end.output;
  EXPECT_EQ((*json)["schema"], "graphnet.doctor-device/1");
  EXPECT_EQ((*json)["name"], "cuda:1");
  EXPECT_EQ((*json)["driver"]["state"], "ready");
  EXPECT_EQ((*json)["driver"]["devices"], 2);
  // Whether this libtorch has a CUDA part or not, it computes on no made-up device.
  EXPECT_EQ((*json)["usable"], end.state.exit_code == 0);
  EXPECT_EQ(json->contains("problem"), end.state.exit_code == 5) << end.output;
  EXPECT_EQ((*json)["libraries"][0]["version"], "13.0") << end.output;
  EXPECT_FALSE((*json)["threads"].empty());
}

TEST(DoctorDevice, TakesACudaDeviceOnly) {
  const TempDir folder;
  const ProgramEnd end = diagnose(folder, "ready", {"--device", "cpu"});
  EXPECT_EQ(end.state.exit_code, 2) << end.output;
  EXPECT_TRUE(mentions(end.output, {"--device", "'cpu'"})) << end.output;
}

TEST(Device, UpstreamsFlags) {
  const TempDir folder;
  const ProgramEnd end = run_program({kProgram, "test-compiler", "--model-path", kSmall,
                                      "--compiler", "nope", "--device", "cuda", "--kernel-time"},
                                     with_driver(folder, "no_device"), folder.path() / "log");
  EXPECT_EQ(end.state.exit_code, 5) << end.output;
  EXPECT_NE(end.output.find("device 'cuda:0' cannot be used"), std::string::npos) << end.output;
}

}  // namespace device_test
}  // namespace graphnet::tests
