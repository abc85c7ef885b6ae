// SPDX-License-Identifier: MIT
#include "tvm_plugin/linked_code.h"

#include "artifact/child_process.h"
#include "artifact/temporary_folder.h"
#include "graphnet/failure.h"

namespace graphnet::tvm {

namespace {

using artifact::TemporaryFolder;

constexpr std::size_t kLongestMessage = 400;

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(GN_STATUS_UNAVAILABLE, "not serialisable: " + reason);
}

void link_objects(const std::vector<std::string>& objects, const std::string& library,
                  const std::string& messages) {
  // All names are looked up when the library is loaded: one that is missing is an error there, not
  // the end of the process in a call.
  artifact::ChildProgram linker = {
      {"ld", "-shared", "-z", "noexecstack", "-z", "now", "-o", library}, {}, messages};
  linker.argv.insert(linker.argv.end(), objects.begin(), objects.end());
  artifact::ChildEnd end;
  try {
    end = artifact::run_child(linker);
  } catch (const Failure& failure) {
    refuse(std::string("the linker 'ld' (Debian: binutils): ") + failure.what());
  }
  if (!end.is_success()) {
    refuse("'ld' failed: " + artifact::read_bytes(messages).substr(0, kLongestMessage));
  }
}

}  // namespace

std::string link_code(const CompiledCode& code) {
  if (code.is_loaded) refuse("the program was loaded, not compiled");
  if (code.libraries.empty()) return "";
  const TemporaryFolder folder("tvm");
  const std::string library = folder.file("program.so");
  std::vector<std::string> objects;
  for (const Ref& kernels : code.libraries) {
    objects.push_back(folder.file("kernels" + std::to_string(objects.size()) + ".o"));
    call("ffi.ModuleWriteToFile", kernels, String(objects.back()), String("o"));
  }
  link_objects(objects, library, folder.file("messages"));
  std::string bytes = artifact::read_bytes(library);
  if (bytes.empty()) refuse("'ld' wrote nothing");
  return bytes;
}

CompiledCode load_code(std::string_view library) {
  if (library.empty()) return {{}, true};
  const TemporaryFolder folder("tvm");
  const std::string file = folder.file("program.so");
  artifact::write_bytes(file, library);
  try {
    CompiledCode code;
    code.libraries = {make("ffi.ModuleLoadFromFile", String(file))};
    code.is_loaded = true;
    return code;
  } catch (const ffi::Error& error) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT,
                  "stored program cannot be loaded: " +
                      std::string(error.message()).substr(0, kLongestMessage));
  }
}

}  // namespace graphnet::tvm
