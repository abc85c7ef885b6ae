// SPDX-License-Identifier: MIT
extern "C" __attribute__((visibility("default"))) void GN_ENTRY(void** /*arguments*/) {}
