// SPDX-License-Identifier: MIT
#include "xla/pjrt_library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace graphnet::xla {

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw Failure(GN_STATUS_UNAVAILABLE, "PJRT file '" + file + "' " + reason);
}

void require_file(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) == 0) return;
  refuse(file, std::string("cannot be opened: ") + std::strerror(errno) +
                   "; './graphnet run --config xla.yaml' fetches the pinned one, option 'pjrt' "
                   "names another");
}

void check_table(const std::string& file, const pjrt::ApiHead* head) {
  if (head == nullptr) refuse(file, "has no PJRT function table");
  // The size is checked first: nothing behind it may be read.
  if (head->struct_size >= sizeof(pjrt::ApiHead) && head->major_version != 0) {
    refuse(file, "has PJRT C API " + std::to_string(head->major_version) + "." +
                     std::to_string(head->minor_version) + ", this plugin needs 0.x");
  }
  constexpr std::size_t kNeeded = sizeof(pjrt::ApiHead) + pjrt::kNumSlots * sizeof(void*);
  if (head->struct_size < kNeeded) {
    refuse(file, "is too old: its PJRT function table has " + std::to_string(head->struct_size) +
                     " bytes, " + std::to_string(kNeeded) + " are needed");
  }
}

std::string value_text(const pjrt::NamedValue& value) {
  switch (value.type) {
    case pjrt::NamedValueType::kString:
      return std::string(value.text, value.value_size);
    case pjrt::NamedValueType::kInt64:
      return std::to_string(value.integer);
    case pjrt::NamedValueType::kInt64List: {
      std::string text;
      for (std::size_t i = 0; i < value.value_size; ++i) {
        text += (i == 0 ? "" : ".") + std::to_string(value.integers[i]);
      }
      return text;
    }
    case pjrt::NamedValueType::kFloat:
      return std::to_string(value.number);
    case pjrt::NamedValueType::kBool:
      return value.flag ? "true" : "false";
  }
  return "?";  // a type that is newer than this plugin
}

}  // namespace

PjrtLibrary PjrtLibrary::open(const std::string& file) {
  require_file(file);
  // RTLD_LOCAL: the file carries LLVM, protobuf and abseil of its own.
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(file, std::string("cannot be loaded: ") + ::dlerror());
  auto* get_api = reinterpret_cast<const pjrt::ApiHead* (*)()>(::dlsym(handle, "GetPjrtApi"));
  if (get_api == nullptr) refuse(file, "is no PJRT plugin: it exports no GetPjrtApi");
  PjrtLibrary library;
  library.file_ = file;
  library.head_ = get_api();
  check_table(file, library.head_);
  library.functions_ = reinterpret_cast<void* const*>(library.head_ + 1);
  pjrt::PluginInitializeArgs args;
  library.check(args, GN_STATUS_UNAVAILABLE, "PJRT file cannot initialise itself");
  return library;
}

std::string PjrtLibrary::version() const {
  return std::to_string(head_->major_version) + "." + std::to_string(head_->minor_version);
}

std::map<std::string, std::string> PjrtLibrary::attributes() const {
  pjrt::PluginAttributesArgs args;
  check(args, GN_STATUS_INTERNAL, "PJRT file does not describe itself");
  std::map<std::string, std::string> attributes;
  for (std::size_t i = 0; i < args.num_attributes; ++i) {
    const pjrt::NamedValue& value = args.attributes[i];
    attributes[std::string(value.name, value.name_size)] = value_text(value);
  }
  return attributes;
}

PjrtError PjrtLibrary::take(pjrt::Error* error) const {
  PjrtError taken;
  pjrt::ErrorMessageArgs message;
  message.error = error;
  call_void(message);
  if (message.message != nullptr) taken.message.assign(message.message, message.message_size);
  pjrt::ErrorGetCodeArgs code;
  code.error = error;
  if (pjrt::Error* another = call(code)) destroy_error(another);
  taken.code = code.code;
  destroy_error(error);
  return taken;
}

void PjrtLibrary::fail(pjrt::Error* error, std::uint32_t code, const char* doing) const {
  const PjrtError taken = take(error);
  if (taken.code == pjrt::kResourceExhausted) code = GN_STATUS_OUT_OF_MEMORY;
  throw Failure(code, std::string(doing) + ": " + taken.message);
}

void PjrtLibrary::destroy_error(pjrt::Error* error) const noexcept {
  pjrt::ErrorDestroyArgs args;
  args.object = error;
  call_void(args);
}

}  // namespace graphnet::xla
