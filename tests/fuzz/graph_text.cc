// SPDX-License-Identifier: MIT
// A .gir file: whatever is accepted prints to a text that reads as the same graph.
#include "graph/graph_text.h"

#include "fuzz/promise.h"
#include "support/graph_identity.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  constexpr const char* kFile = "graph.gir";
  const std::string_view text = fuzz::as_text(data, size);
  const auto read = graph::parse_graph(text, kFile);
  if (!read.is_ok()) {
    fuzz::expect(read.status().code() == base::Code::kInput, "a bad graph is an input error");
    fuzz::expect_clear_failure(read.status(), kFile, text, /*needs_location=*/true);
    return 0;
  }
  const std::string printed = graph::print_graph(*read);
  const auto again = graph::parse_graph(printed, kFile);
  fuzz::expect(again.is_ok(), "a printed graph parses: " + again.status().message());
  fuzz::expect(tests::is_identical(*again, *read), "a printed graph reads as the same graph");
  return 0;
}
