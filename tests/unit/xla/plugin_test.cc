// SPDX-License-Identifier: MIT
//
// The plugin as the host sees it: its library, its three symbols, its table.
#include "graphnet/plugin.h"

#include <dlfcn.h>

#include "unit/xla/pjrt_fixture.h"

struct gn_status {
  std::uint32_t code = 0;
  std::string message;
};

namespace graphnet::xla {
namespace plugin_test {

/// A host that keeps what the plugin tells it.
struct FakeHost {
  FakeHost() {
    api.struct_size = sizeof(api);
    api.host = reinterpret_cast<gn_host*>(this);
    api.device = {kDLCPU, 0};
    api.num_threads = 1;
    api.status_new = [](gn_host* host, std::uint32_t code, gn_string message) {
      auto* self = reinterpret_cast<FakeHost*>(host);
      self->status = {code, std::string(from_gn(message))};
      return &self->status;
    };
    api.log = [](gn_host* host, std::uint32_t, gn_string text) {
      reinterpret_cast<FakeHost*>(host)->logged += std::string(from_gn(text)) + "\n";
    };
  }

  gn_host_api api = {};
  gn_status status;
  std::string logged;
};

class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    void* library = ::dlopen(GN_XLA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto query = reinterpret_cast<std::int32_t (*)(const gn_query_in*, gn_query_out*)>(
        ::dlsym(library, "gn_plugin_query"));
    const gn_query_in in = {sizeof(gn_query_in), GN_ABI_MAJOR, GN_ABI_MINOR, GN_ABI_MINOR, 0};
    gn_query_out out = {};
    out.struct_size = sizeof(out);
    ASSERT_EQ(query(&in, &out), 0);
    EXPECT_EQ(from_gn(out.name), "xla");
    api_ = out.api;
  }

  gn_status* create(const std::vector<gn_option>& options) {
    gn_create_args args = {};
    args.struct_size = sizeof(args);
    args.host = &host_.api;
    args.options = options.data();
    args.num_options = options.size();
    return api_->create(&args, &backend_);
  }

  static gn_option option(const char* name, const char* value) {
    gn_option made = {};
    made.name = to_gn(name);
    made.type = GN_OPTION_STRING;
    made.text = to_gn(value);
    return made;
  }

  FakeHost host_;
  const gn_backend_api* api_ = nullptr;
  gn_backend* backend_ = nullptr;
};

TEST_F(PluginTest, FailuresBecomeStatuses) {
  ASSERT_NE(create({option("pjrt", "/no/such/file.so")}), nullptr);
  EXPECT_EQ(host_.status.code, GN_STATUS_UNAVAILABLE + 0u);
  EXPECT_TRUE(contains(host_.status.message, "/no/such/file.so")) << host_.status.message;
  ASSERT_NE(create({option("rewrites", "some")}), nullptr);
  EXPECT_EQ(host_.status.code, GN_STATUS_INVALID_ARGUMENT + 0u);
  host_.api.device = {static_cast<DLDeviceType>(8), 0};  // Metal
  ASSERT_NE(create({}), nullptr);
  EXPECT_EQ(host_.status.code, GN_STATUS_UNAVAILABLE + 0u);
  host_.api.device = {kDLCUDA, 0};
  ASSERT_NE(create({}), nullptr);
  EXPECT_EQ(host_.status.code, GN_STATUS_INVALID_ARGUMENT + 0u) << "no file is named";
  ASSERT_NE(create({option("pjrt", "/no/such/file.so")}), nullptr);
  EXPECT_EQ(host_.status.code, GN_STATUS_UNAVAILABLE + 0u);
  EXPECT_EQ(backend_, nullptr);
}

TEST_F(PluginTest, DescribesItselfAndRefusesJunk) {
  if (pjrt_file(true).empty()) GTEST_SKIP() << why_skipped(true);
  ::setenv("XLA_FLAGS", "--xla_no_such_flag", 1);  // would end the process
  ASSERT_EQ(create({option("pjrt", ""), option("rewrites", "all")}), nullptr)
      << host_.status.message;
  EXPECT_TRUE(contains(host_.logged, "XLA_FLAGS is ignored")) << host_.logged;
  gn_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(api_->info(backend_, nullptr, &info), nullptr);
  const std::string text(from_gn(info.text));
  EXPECT_TRUE(contains(text, "threads: 1\n")) << text;
  EXPECT_TRUE(contains(text, "pjrt_package: " + pinned_pjrt_package() + " (unofficial build)\n"));
  EXPECT_TRUE(contains(text, "\npjrt_sha256: ")) << text;
  gn_executable* executable = nullptr;
  ASSERT_NE(api_->deserialize(backend_, to_gn("junk"), &executable), nullptr);
  EXPECT_EQ(host_.status.code, GN_STATUS_INVALID_ARGUMENT + 0u);
  api_->destroy(backend_);
}

}  // namespace plugin_test
}  // namespace graphnet::xla
