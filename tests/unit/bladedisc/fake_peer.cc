// SPDX-License-Identifier: MIT
//
// Answers a request of gn-disc/1 wrongly: RUN's ("... times") or the first. How is in DISC_PEER.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bladedisc/protocol.h"

namespace {

void put(const void* data, std::size_t size) {
  if (::write(STDOUT_FILENO, data, size) < 0) std::exit(1);
}

}  // namespace

/// All but RUN, whose answer is of another size.
int answer_rightly(const std::string& mode) {
  gn_disc_header request = {};
  while (::read(STDIN_FILENO, &request, sizeof(request)) == sizeof(request)) {
    std::string body(request.body_bytes, '\0');
    if (::read(STDIN_FILENO, body.data(), body.size()) < 0) return 1;
    const bool is_run = request.op == GN_DISC_RUN;
    const std::size_t size = mode == "short times" ? 8 : sizeof(gn_disc_times) + 8;
    const std::string answer(is_run ? size : 0, '\0');
    request.body_bytes = answer.size();
    put(&request, sizeof(request));
    put(answer.data(), answer.size());
  }
  return 0;
}

int main() {
  const char* const said = std::getenv("DISC_PEER");
  const std::string mode = said == nullptr ? "" : said;
  if (mode == "short times" || mode == "long times") return answer_rightly(mode);
  if (mode == "does not start") {
    std::fputs("gn-disc-run: error while loading shared libraries: libral_base_context.so\n",
               stderr);
    return 127;
  }
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
