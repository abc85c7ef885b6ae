// SPDX-License-Identifier: MIT
//
// Answers the first request of gn-disc/1 wrongly; how is in DISC_PEER.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "bladedisc/protocol.h"

namespace {

void put(const void* data, std::size_t size) {
  if (::write(STDOUT_FILENO, data, size) < 0) std::exit(1);
}

}  // namespace

int main() {
  const char* const said = std::getenv("DISC_PEER");
  const std::string mode = said == nullptr ? "" : said;
  gn_disc_header header = {};
  if (::read(STDIN_FILENO, &header, sizeof(header)) != sizeof(header)) return 1;
  if (mode == "old protocol") header.protocol = 0;
  if (mode == "other request") header.id += 1;
  if (mode == "long") header.body_bytes = GN_DISC_MAX_BODY + 1;
  if (mode == "half") {
    put(&header, sizeof(header) / 2);
    return 0;
  }
  if (mode == "text") {
    const std::string text(sizeof(header), '-');
    put(text.data(), text.size());
  } else {
    put(&header, sizeof(header));
  }
  ::pause();
}
