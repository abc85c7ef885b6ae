// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "graphnet/failure.h"
#include "xla/pjrt_abi.h"

namespace graphnet::xla {

/// What a PJRT function reported; the error object itself is gone.
struct PjrtError {
  std::int32_t code = 0;  ///< pjrt::ErrorCode
  std::string message;
};

/// A PJRT plugin file in this process. It is never unloaded: its threads outlive every client.
/// Copies are the same library.
class PjrtLibrary {
 public:
  /// Loads `file` and lets it initialise itself.
  ///
  /// errors   UNAVAILABLE: no such file, not a shared library, no GetPjrtApi, another major version
  /// of
  ///          the PJRT C API, a table that lacks functions
  static PjrtLibrary open(const std::string& file);

  const std::string& file() const { return file_; }
  /// Of the PJRT C API, such as "0.115".
  std::string version() const;
  /// What the file says of itself, such as "xla_version"; lists as "1.20.0".
  std::map<std::string, std::string> attributes() const;

  /// Calls the function that `args` belongs to. The caller owns the error, null is success.
  template <typename Args>
  pjrt::Error* call(Args& args) const noexcept {
    return reinterpret_cast<pjrt::Error* (*)(Args*)>(functions_[Args::kSlot])(&args);
  }

  /// The same for the two functions that return nothing.
  template <typename Args>
  void call_void(Args& args) const noexcept {
    reinterpret_cast<void (*)(Args*)>(functions_[Args::kSlot])(&args);
  }

  /// As call; an error becomes a Failure "<doing>: <message>".
  ///
  /// errors   OUT_OF_MEMORY if PJRT's resources are exhausted, else `code`
  template <typename Args>
  void check(Args& args, std::uint32_t code, const char* doing) const {
    if (pjrt::Error* error = call(args)) fail(error, code, doing);
  }

  /// Reads an error and destroys it.
  PjrtError take(pjrt::Error* error) const;

  /// Takes the error and throws it as a Failure.
  [[noreturn]] void fail(pjrt::Error* error, std::uint32_t code, const char* doing) const;

  /// Destroys what `DestroyArgs` destroys; null is nothing. PJRT has no use for its error.
  template <typename DestroyArgs, typename Object>
  void destroy(Object* object) const noexcept {
    if (object == nullptr) return;
    DestroyArgs args;
    args.object = object;
    if (pjrt::Error* error = call(args)) destroy_error(error);
  }

 private:
  void destroy_error(pjrt::Error* error) const noexcept;

  std::string file_;
  const pjrt::ApiHead* head_ = nullptr;
  void* const* functions_ = nullptr;
};

/// Owns one object of a PJRT library.
template <typename Object, typename DestroyArgs>
class PjrtOwned {
 public:
  PjrtOwned() = default;
  PjrtOwned(const PjrtLibrary& library, Object* object) : library_(&library), object_(object) {}
  PjrtOwned(PjrtOwned&& other) noexcept : library_(other.library_), object_(other.release()) {}
  PjrtOwned& operator=(PjrtOwned&& other) noexcept {
    if (this != &other) {
      reset();
      library_ = other.library_;
      object_ = other.release();
    }
    return *this;
  }
  ~PjrtOwned() { reset(); }

  Object* get() const { return object_; }
  Object* release() {
    Object* object = object_;
    object_ = nullptr;
    return object;
  }
  void reset() {
    if (object_ != nullptr) library_->destroy<DestroyArgs>(release());
  }

 private:
  const PjrtLibrary* library_ = nullptr;
  Object* object_ = nullptr;
};

using OwnedBuffer = PjrtOwned<pjrt::Buffer, pjrt::BufferDestroyArgs>;
using OwnedEvent = PjrtOwned<pjrt::Event, pjrt::EventDestroyArgs>;
using OwnedExecutable = PjrtOwned<pjrt::Executable, pjrt::ExecutableDestroyArgs>;
using OwnedLoadedExecutable = PjrtOwned<pjrt::LoadedExecutable, pjrt::LoadedExecutableDestroyArgs>;

}  // namespace graphnet::xla
