// SPDX-License-Identifier: MIT
//
// A library whose entry point asks RAL for "echo" as DISC's code asks for its functions: the
// context is the first argument of each.
#include <stddef.h>

extern "C" __attribute__((visibility("default"))) void GN_ENTRY(void** arguments) {
  using Call = void (*)(void* context, void* name, void** arguments);
  static char name[] = "echo";
  void* context = arguments[0];
  void* of_the_call[] = {&context, NULL};
  reinterpret_cast<Call>(arguments[1])(context, name, of_the_call);
}
