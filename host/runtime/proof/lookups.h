// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace graphnet::proof {

/// A name that was looked up at run time with dlsym.
struct Lookup {
  std::string name;
  std::uintptr_t caller = 0;  ///< where the call returns to
};

/// From now on notes what is looked up. The program that links this has a dlsym of its own, to
/// which the loader binds every library; it passes each call on as it came, so that libc sees who
/// asked. Not seen: dlvsym; a library loaded with RTLD_DEEPBIND or by dlmopen, which is bound to
/// libc's; one that reads symbol tables itself.
void note_lookups();

/// Each name once for each place that asked for it; of more than 4,096 the first.
std::vector<Lookup> noted_lookups();

}  // namespace graphnet::proof
