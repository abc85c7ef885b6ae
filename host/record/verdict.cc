// SPDX-License-Identifier: MIT
#include "record/verdict.h"

namespace graphnet::record {

Verdict::Verdict(std::string_view text) {
  const std::size_t bracket = text.find('(');
  if (bracket == std::string_view::npos || text.back() != ')') {
    kind = Word<ProofVerdict>(text);
    return;
  }
  kind = Word<ProofVerdict>(text.substr(0, bracket));
  detail = text.substr(bracket + 1, text.size() - bracket - 2);
}

std::string Verdict::text() const {
  return detail ? kind.text() + "(" + *detail + ")" : kind.text();
}

}  // namespace graphnet::record
