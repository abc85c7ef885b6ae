// SPDX-License-Identifier: MIT
#include "tensorrt/library.h"

#include <dlfcn.h>

#include "graphnet/failure.h"
#include "tensorrt/library_file.h"

namespace graphnet::tensorrt {

namespace fs = std::filesystem;

namespace {

// Below it there is no object: some libraries return null plus the offset of a base class.
constexpr std::uintptr_t kFirstPointer = 65536;

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw Failure(GN_STATUS_UNAVAILABLE, "TensorRT library '" + file + "' " + reason);
}

template <typename Function>
Function find_function(void* handle, const char* name) {
  return reinterpret_cast<Function>(::dlsym(handle, name));
}

bool is_name_only(const std::string& place) {
  return place.find('/') == std::string::npos;
}

}  // namespace

std::string how_to_get_it() {
  return "Get TensorRT in one of three ways: 'pip install tensorrt-cu13' in a Python environment "
         "(3.7 GB from NVIDIA's index, which pip must reach), then activate it; 'apt install "
         "libnvinfer11' with NVIDIA's CUDA repository; or NVIDIA's tar file, and option 'library' "
         "names its libnvinfer.so.11 or the folder that holds it";
}

// Newest first. RTX is another product: it is used only where it is named.
const LibraryNames& library_names() {
  static const LibraryNames names = {{"libnvinfer.so.11", "libnvinfer.so.10"},
                                     {"libtensorrt_rtx.so.1"},
                                     "GRAPHNET_TENSORRT_LIBRARY",
                                     "tensorrt_libs"};
  return names;
}

Library Library::find(const std::string& named) {
  const std::vector<std::string> places = library_places(library_names(), named);
  for (const std::string& place : places) {
    // By name alone the dynamic linker decides where; what it has not is not there.
    if (is_name_only(place) && named.empty()) {
      void* const handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle == nullptr) continue;
    }
    return open(place);
  }
  if (places.empty()) {
    throw Failure(GN_STATUS_UNAVAILABLE, "folder '" + named +
                                             "' holds no libnvinfer.so.11, libnvinfer.so.10 or "
                                             "libtensorrt_rtx.so.1");
  }
  throw Failure(GN_STATUS_UNAVAILABLE,
                "no TensorRT: the dynamic linker knows no libnvinfer.so.11 or .10, and no Python "
                "environment (VIRTUAL_ENV, CONDA_PREFIX, ~/.local, /usr/local) has the wheel. " +
                    how_to_get_it());
}

Library Library::open(const std::string& file) {
  std::error_code failure;
  if (!is_name_only(file) && !fs::exists(file, failure)) {
    refuse(file, "is not there. " + how_to_get_it());
  }
  const std::string fault = is_name_only(file) ? "" : fault_of_library_file(file);
  if (!fault.empty()) refuse(file, fault);
  // RTLD_LOCAL: the library carries much that others have too.
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(file, std::string("cannot be loaded: ") + ::dlerror());
  Library library;
  library.file_ = file;
  library.read_version(handle);
  library.create_builder_ =
      find_function<decltype(create_builder_)>(handle, "createInferBuilder_INTERNAL");
  library.create_runtime_ =
      find_function<decltype(create_runtime_)>(handle, "createInferRuntime_INTERNAL");
  library.create_refitter_ =
      find_function<decltype(create_refitter_)>(handle, "createInferRefitter_INTERNAL");
  if (library.create_builder_ == nullptr || library.create_runtime_ == nullptr ||
      library.create_refitter_ == nullptr) {
    refuse(file,
           "cannot build engines: it is TensorRT's lean or dispatch runtime. " + how_to_get_it());
  }
  library.name_folder(handle);
  return library;
}

// TensorRT 11 looks for its kernels' files where the dynamic linker does, unless it is told where
// it lies itself; those of 10 and RTX look beside themselves.
void Library::name_folder(void* handle) const {
  if (flavour_ != Flavour::kEleven || is_name_only(file_)) return;
  const auto set = find_function<bool (*)(const char*)>(handle, "setInternalLibraryPath");
  const std::string folder = fs::path(file_).parent_path().string();
  if (set != nullptr && !set(folder.c_str())) {
    refuse(file_, "does not take its own folder: " + process_log().take_reason());
  }
}

// The entry points themselves look at no version (RTX takes any), so this gate is the only one.
void Library::read_version(void* handle) {
  constexpr const char* kParts[] = {"Major", "Minor", "Patch", "Build"};
  std::int32_t numbers[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string name = std::string("getInferLib") + kParts[i] + "Version";
    const auto function = find_function<std::int32_t (*)()>(handle, name.c_str());
    if (function == nullptr) refuse(file_, "is no TensorRT library: it has no " + name);
    numbers[i] = function();
  }
  const bool is_rtx = numbers[0] == 1;
  const bool is_known = is_rtx || numbers[0] == 10 || numbers[0] == 11;
  flavour_ = is_rtx ? Flavour::kRtx : numbers[0] == 10 ? Flavour::kTen : Flavour::kEleven;
  version_ = is_rtx ? "TensorRT-RTX " : "TensorRT ";
  for (std::size_t i = 0; i < 4; ++i) version_ += (i == 0 ? "" : ".") + std::to_string(numbers[i]);
  api_version_ = numbers[0] * 10000 + numbers[1] * 100 + numbers[2];
  const std::int32_t oldest = facts_of(flavour_).oldest_minor;
  if (is_known && numbers[1] >= oldest) return;
  refuse(file_,
         "is " + version_ +
             ": this plugin knows TensorRT 11, TensorRT 10 from 10.15 on and TensorRT-RTX 1 from "
             "1.5 on, whose functions lie elsewhere");
}

namespace {

[[noreturn]] void fail(std::uint32_t code, const char* what) {
  const std::string reason = process_log().take_reason();
  throw Failure(code, std::string("TensorRT ") + what + ": " +
                          (reason.empty() ? "it gives no reason" : reason));
}

}  // namespace

Object Library::taken(void* made) {
  return Object(reinterpret_cast<std::uintptr_t>(made) < kFirstPointer ? nullptr : made);
}

Object Library::checked(std::uint32_t code, const char* what, void* made) {
  Object object = taken(made);
  if (!object) fail(code, what);
  return object;
}

// An entry point that says an error gives what is not used, and not destroyed: nobody knows its
// state.
Object Library::checked_first(std::uint32_t code, const char* what, std::size_t num_errors,
                              void* made) {
  if (process_log().num_errors() != num_errors) fail(code, what);
  return checked(code, what, made);
}

Object Library::make_builder() const {
  const std::size_t errors = process_log().num_errors();
  return checked_first(GN_STATUS_UNAVAILABLE, "makes no builder", errors,
                       create_builder_(logger_object(flavour_), api_version_));
}

Object Library::make_runtime() const {
  const std::size_t errors = process_log().num_errors();
  return checked_first(GN_STATUS_UNAVAILABLE, "makes no runtime", errors,
                       create_runtime_(logger_object(flavour_), api_version_));
}

Object Library::make_refitter(void* engine) const {
  const std::size_t errors = process_log().num_errors();
  return checked_first(GN_STATUS_INTERNAL, "makes no refitter", errors,
                       create_refitter_(engine, logger_object(flavour_), api_version_));
}

}  // namespace graphnet::tensorrt
