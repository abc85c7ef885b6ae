// SPDX-License-Identifier: MIT
#include "base/loaded_objects.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_dir.h"

namespace graphnet::base {
namespace loaded_objects_test {

const LoadedObject* holder_of(const std::vector<LoadedObject>& objects, const void* address) {
  for (const LoadedObject& object : objects) {
    if (object.contains(reinterpret_cast<std::uintptr_t>(address))) return &object;
  }
  return nullptr;
}

TEST(LoadedObjects, ACopyUnderAnotherNameHasTheSameBuildId) {
  void* const library = ::dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "no libz.so.1";
  const void* const original = ::dlsym(library, "compressBound");
  Dl_info info = {};
  ASSERT_NE(::dladdr(original, &info), 0);
  const tests::TempDir folder;
  const std::filesystem::path renamed = folder.path() / "harmless.so";
  std::filesystem::copy_file(std::filesystem::canonical(info.dli_fname), renamed);
  void* const copy = ::dlopen(renamed.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(copy, nullptr) << ::dlerror();
  const auto objects = loaded_objects();
  const LoadedObject* first = holder_of(objects, original);
  const LoadedObject* second = holder_of(objects, ::dlsym(copy, "compressBound"));
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_GE(first->build_id.size(), 16U);
  EXPECT_EQ(first->build_id, second->build_id);
}

TEST(LoadedObjects, HasThisProgramAndTheCLibraryWithTheirIds) {
  const auto objects = loaded_objects();
  const LoadedObject* program = holder_of(objects, reinterpret_cast<const void*>(&holder_of));
  const LoadedObject* c_library = holder_of(objects, ::dlsym(RTLD_DEFAULT, "malloc_usable_size"));
  ASSERT_NE(program, nullptr);
  ASSERT_NE(c_library, nullptr);
  EXPECT_NE(program, c_library);
  EXPECT_NE(c_library->build_id, "");
  EXPECT_NE(program->build_id, c_library->build_id);
}

}  // namespace loaded_objects_test
}  // namespace graphnet::base
