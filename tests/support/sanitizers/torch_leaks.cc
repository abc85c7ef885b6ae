// SPDX-License-Identifier: MIT
// Defaults of the leak checker for test programs that load libtorch. They are compiled in because
// the programs also run while they are built, to list their tests, where no environment can be set.

/// libtorch and the libraries it brings keep registries, thread pools and caches until the process
/// ends, by design; they are not instrumented, so their pointers to such memory are not all seen.
/// What we allocate is still checked: a leak is suppressed only if one of these libraries made it.
/// The handle of a plugin is kept for ever on purpose (plugin/library.cc).
extern "C" const char* __lsan_default_suppressions();

extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libtorch_cpu.so\nleak:libc10.so\nleak:libgomp\nleak:libcupti\n"
         "leak:boost::dll::shared_library\n";
}
