// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/loaded_objects.h"
#include "proof/regions.h"

namespace graphnet::proof {

/// Code that ran and is libtorch's, byte by byte.
struct CopiedCode {
  std::uintptr_t address = 0;   ///< where it ran
  std::uintptr_t original = 0;  ///< the same instruction in libtorch
};

/// Finds instructions in the plugin's code that are copies of libtorch's, by comparing the bytes
/// around them: 32 bytes from the instruction on must be equal, and 96 in a row with those before
/// it.
///
/// | code that ran in                | is looked for                                             |
/// |---------------------------------|-----------------------------------------------------------|
/// | memory without a file, or of a  | at its offset within a page, in every page: a copied image |
/// | file the loader has not mapped  | keeps pages whole. One drawn at random is looked for      |
/// |                                 | everywhere.                                               |
/// | a file that the loader mapped   | at the same offset of the image only: two libraries may   |
/// |                                 | hold the same archive                                     |
///
/// Of the first kind 64 are looked for, drawn at random if there are more, in pieces of libtorch's
/// code that are drawn at random. What works by copies enters dozens of windows of them: 16 copies
/// are all missed by half of the code once in 65,536 times, on any machine.
///
/// share    of libtorch's code that is looked through, 0 to 1
/// order    regions by address, open; `ran`: instructions, any order
/// source   285 MB of code take 15 to 25 ms, and 30 more the first time, which maps its pages
std::vector<CopiedCode> find_copied_code(const std::vector<std::uintptr_t>& ran,
                                         const std::vector<Region>& regions,
                                         const std::vector<base::LoadedObject>& objects,
                                         double share);

}  // namespace graphnet::proof
