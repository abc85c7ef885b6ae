// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::tvm {

/// TVM in this process: libtvm_ffi, libtvm_runtime and libtvm_compiler of one folder
/// (ffi_symbols.h). Loaded once,
/// never unloaded; what its loading does to SIGSEGV is undone.
class TvmLibrary {
 public:
  /// Gives a warning if libtvm_ffi is not the pinned file, else nothing.
  ///
  /// threads      size of the pool (thread_pool.h); of the first call in a process
  /// allow_other  tries a libtvm_ffi that is not the pinned file
  ///
  /// errors   Failure UNAVAILABLE: a file is missing, is not the pinned one, is of another version
  ///          than the one that this plugin was written for, or lacks a function that the plugin
  ///          calls
  static std::string open(int threads, bool allow_other = false);

  /// "0.1.15", of libtvm_ffi.
  static std::string ffi_version();
  /// Versions and SHA-256 of the three files, which are read at the first call: a quarter of a
  /// second for the compiler.
  ///
  /// errors   Failure UNAVAILABLE
  static const std::string& identity();
};

}  // namespace graphnet::tvm
