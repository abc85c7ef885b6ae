// SPDX-License-Identifier: MIT
#include "proof/copied_code.h"

#include <emmintrin.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "base/file.h"

namespace graphnet::proof {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kPiece = std::uintptr_t{256} << 10U;  // stays in the cache
constexpr std::size_t kMostWanted = 64;
constexpr std::size_t kNeedle = 32;
constexpr std::size_t kAround = 128;  // bytes that are read on both sides
constexpr std::size_t kLeastRun = 96;

const char* at(std::uintptr_t address) {
  return reinterpret_cast<const char*>(address);
}

/// What is around an instruction that ran. A copy: the plugin may have unmapped it meanwhile.
struct Wanted {
  std::uintptr_t address = 0;
  std::size_t num_before = 0;
  std::size_t num_after = 0;  // the instruction itself included
  std::array<char, 2 * kAround> bytes{};

  const char* needle() const { return bytes.data() + num_before; }
};

class OwnMemory {
 public:
  OwnMemory() : file_(::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}

  /// Nothing if it is gone, or too little of it is there.
  std::optional<Wanted> around(std::uintptr_t address, const base::Mapping& mapping) const {
    Wanted wanted;
    wanted.address = address;
    wanted.num_before = std::min<std::size_t>(kAround, address - mapping.start);
    wanted.num_after = std::min<std::size_t>(kAround, mapping.end - address);
    const std::size_t size = wanted.num_before + wanted.num_after;
    if (wanted.num_after < kNeedle || size < kLeastRun) return std::nullopt;
    const ssize_t got = ::pread(file_.get(), wanted.bytes.data(), size,
                                static_cast<off_t>(address - wanted.num_before));
    if (got != static_cast<ssize_t>(size)) return std::nullopt;
    return wanted;
  }

 private:
  base::UniqueFd file_;
};

/// True if what is around `original` is what is around the instruction that ran.
bool is_original(const Wanted& wanted, std::uintptr_t original, const base::Mapping& code) {
  if (!code.contains(original) || code.end - original < kNeedle) return false;
  if (std::memcmp(wanted.needle(), at(original), kNeedle) != 0) return false;
  const std::size_t most_after = std::min<std::size_t>(wanted.num_after, code.end - original);
  const std::size_t most_before = std::min<std::size_t>(wanted.num_before, original - code.start);
  std::size_t run = kNeedle;
  while (run < most_after && wanted.needle()[run] == at(original)[run]) ++run;
  for (std::size_t i = 1; i <= most_before; ++i) {
    if (*(wanted.needle() - i) != *at(original - i)) break;
    ++run;
  }
  return run >= kLeastRun;
}

/// Looks for several in one pass over libtorch's code.
class Search {
 public:
  explicit Search(std::vector<Wanted> wanted) : wanted_(std::move(wanted)) {
    for (const Wanted& one : wanted_) {
      std::uint64_t first = 0;
      std::memcpy(&first, one.needle(), sizeof first);
      firsts_.push_back({one.address % kPage, first});
    }
  }

  void look_in(const base::Mapping& code, std::uintptr_t start, std::uintptr_t end) {
    look_everywhere(code, start, end);
    for (std::uintptr_t page = start & ~(kPage - 1); page < end; page += kPage) {
      for (std::size_t i = 0; i < firsts_.size(); ++i) {
        const std::uintptr_t candidate = page + firsts_[i].offset;
        if (candidate < code.start || code.end - candidate < kNeedle || candidate >= code.end)
          continue;
        std::uint64_t first = 0;
        std::memcpy(&first, at(candidate), sizeof first);
        if (first == firsts_[i].bytes) check(wanted_[i], candidate, code);
      }
    }
  }

  const std::vector<CopiedCode>& found() const { return found_; }

 private:
  struct First {
    std::uintptr_t offset;  // in its page
    std::uint64_t bytes;
  };

  void check(const Wanted& wanted, std::uintptr_t candidate, const base::Mapping& code) {
    const bool is_known = std::any_of(found_.begin(), found_.end(), [&](const CopiedCode& one) {
      return one.address == wanted.address;
    });
    if (!is_known && is_original(wanted, candidate, code))
      found_.push_back({wanted.address, candidate});
  }

  /// The first one, at any offset.
  void look_everywhere(const base::Mapping& code, std::uintptr_t start, std::uintptr_t end) {
    constexpr std::size_t kStep = sizeof(__m128i);
    const Wanted& wanted = wanted_.front();
    const __m128i first = _mm_set1_epi8(wanted.needle()[0]);
    const __m128i last = _mm_set1_epi8(wanted.needle()[kNeedle - 1]);
    const auto load = [](std::uintptr_t candidate) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(candidate));
    };
    for (std::uintptr_t candidate = start; candidate < end; candidate += kStep) {
      if (code.end - candidate < kStep + kNeedle) break;
      const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(load(candidate), first),
                                         _mm_cmpeq_epi8(load(candidate + kNeedle - 1), last));
      auto bits = static_cast<unsigned>(_mm_movemask_epi8(both));
      for (; bits != 0; bits &= bits - 1) {
        check(wanted, candidate + static_cast<unsigned>(__builtin_ctz(bits)), code);
      }
    }
  }

  std::vector<Wanted> wanted_;
  std::vector<First> firsts_;
  std::vector<CopiedCode> found_;
};

/// Of libtorch as the host loaded it: it stays mapped and can be read.
std::vector<const Region*> originals(const std::vector<Region>& regions) {
  std::vector<const Region*> found;
  for (const Region& region : regions) {
    const bool is_hosts = region.epoch == "start" || region.epoch == "eager";
    if (region.kind == RegionKind::kDeny && is_hosts) found.push_back(&region);
  }
  return found;
}

/// Where the code of the file begins that holds a region.
std::uintptr_t code_start(const Region& wanted, const std::vector<Region>& regions) {
  std::uintptr_t start = wanted.mapping.start;
  for (const Region& region : regions) {
    if (region.mapping.path == wanted.mapping.path) start = std::min(start, region.mapping.start);
  }
  return start;
}

void look_at_same_offset(const Wanted& wanted, const Region& region,
                         const std::vector<Region>& regions, std::vector<CopiedCode>& found) {
  const std::uintptr_t offset = wanted.address - code_start(region, regions);
  for (const Region* code : originals(regions)) {
    const std::uintptr_t original = code_start(*code, regions) + offset;
    if (is_original(wanted, original, code->mapping)) found.push_back({wanted.address, original});
  }
}

void look_in_pieces(Search& search, const std::vector<Region>& regions, double share,
                    std::mt19937_64& random) {
  struct Piece {
    const base::Mapping* code;
    std::uintptr_t start;
  };
  std::vector<Piece> pieces;
  for (const Region* code : originals(regions)) {
    const base::Mapping& mapping = code->mapping;
    for (std::uintptr_t start = mapping.start; start < mapping.end; start += kPiece) {
      pieces.push_back({&mapping, start});
    }
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  pieces.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(pieces.size()) * share)));
  for (const Piece& piece : pieces) {
    search.look_in(*piece.code, piece.start, std::min(piece.start + kPiece, piece.code->end));
  }
}

}  // namespace

std::vector<CopiedCode> find_copied_code(const std::vector<std::uintptr_t>& ran,
                                         const std::vector<Region>& regions,
                                         const std::vector<base::LoadedObject>& objects,
                                         double share) {
  std::mt19937_64 random(std::random_device{}());
  const OwnMemory memory;
  std::vector<CopiedCode> found;
  std::vector<Wanted> anywhere;
  for (const std::uintptr_t address : std::set<std::uintptr_t>(ran.begin(), ran.end())) {
    const Region* region = find_region(regions, address);
    if (region == nullptr || region->kind != RegionKind::kExpect) continue;
    const std::optional<Wanted> wanted = memory.around(address, region->mapping);
    if (!wanted) continue;
    const bool is_loaded =
        std::any_of(objects.begin(), objects.end(),
                    [&](const base::LoadedObject& object) { return object.contains(address); });
    if (is_loaded) {
      look_at_same_offset(*wanted, *region, regions, found);
    } else {
      anywhere.push_back(*wanted);
    }
  }
  if (anywhere.empty()) return found;
  std::shuffle(anywhere.begin(), anywhere.end(), random);
  if (anywhere.size() > kMostWanted) anywhere.resize(kMostWanted);
  Search search(std::move(anywhere));
  look_in_pieces(search, regions, share, random);
  found.insert(found.end(), search.found().begin(), search.found().end());
  return found;
}

}  // namespace graphnet::proof
