// SPDX-License-Identifier: MIT
//
// Linked into programs that test what becomes of more memory than there is: the address sanitizer
// ends the process at such a request unless told to fail as the system's allocator does.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
