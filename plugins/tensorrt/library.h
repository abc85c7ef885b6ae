// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "graphnet/library_places.h"
#include "tensorrt/log.h"
#include "tensorrt/slots.h"

namespace graphnet::tensorrt {

/// Destroys an object of a library.
struct ObjectDeleter {
  void operator()(void* object) const { delete_object(object); }
};
using Object = std::unique_ptr<void, ObjectDeleter>;

/// A TensorRT library in this process. It is never unloaded: its threads and its static objects
/// outlive every engine. Copies are the same library.
class Library {
 public:
  Library() = default;
  /// Loads `file`.
  ///
  /// errors   UNAVAILABLE: no such file, not a shared library, no TensorRT, a version without a
  /// table
  static Library open(const std::string& file);

  /// Of the places that library_places() gives, the first where there is a library.
  ///
  /// errors   UNAVAILABLE: as open(), or it is nowhere; the message says where it was looked for
  /// and
  ///          how to get it
  static Library find(const std::string& named);

  Flavour flavour() const { return flavour_; }
  const std::string& file() const { return file_; }
  /// "TensorRT 11.4.0.106".
  const std::string& version() const { return version_; }

  /// errors   UNAVAILABLE with the library's words: no driver, no device, files missing beside it
  Object make_builder() const;
  Object make_runtime() const;
  /// errors   INTERNAL
  Object make_refitter(void* engine) const;

  template <typename Result, typename... Arguments>
  Result call(Slot slot, void* object, Arguments... arguments) const {
    return call_slot<Result>(flavour_, slot, object, arguments...);
  }
  /// A call that makes an object. A pointer into the first page is a failure. An error line alone
  /// is none: the builder says so of kernels that do not fit, and goes on.
  ///
  /// errors   `code` with the library's words
  template <typename... Arguments>
  Object make(std::uint32_t code, const char* what, Slot slot, void* object,
              Arguments... arguments) const {
    return checked(code, what, call<void*>(slot, object, arguments...));
  }
  /// The same where there may be none: null.
  template <typename... Arguments>
  Object make_if_can(Slot slot, void* object, Arguments... arguments) const {
    return taken(call<void*>(slot, object, arguments...));
  }

 private:
  static Object taken(void* made);
  static Object checked(std::uint32_t code, const char* what, void* made);
  static Object checked_first(std::uint32_t code, const char* what, std::size_t num_errors,
                              void* made);
  void read_version(void* handle);
  void name_folder(void* handle) const;

  std::string file_;
  std::string version_;
  std::int32_t api_version_ = 0;  ///< what entry points are told
  Flavour flavour_ = Flavour::kEleven;
  void* (*create_builder_)(void* logger, std::int32_t version) = nullptr;
  void* (*create_runtime_)(void* logger, std::int32_t version) = nullptr;
  void* (*create_refitter_)(void* engine, void* logger, std::int32_t version) = nullptr;
};

/// The names under which a library is looked for, as plugin.yaml tells the host.
const LibraryNames& library_names();

/// The three ways to get TensorRT, for messages.
std::string how_to_get_it();

}  // namespace graphnet::tensorrt
