// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace graphnet::cli {

/// The operators of an inspected graph (worker/requests.h) as comment lines, most work first:
/// nodes, FLOP, bytes read and written. Ends with the totals.
std::string op_table(const base::Json& inspected);

/// Which operators many samples use.
class OpHistogram {
 public:
  void add(const base::Json& inspected);
  /// A sample that could not be inspected, and why.
  void leave_out(const std::string& sample, const std::string& reason);

  std::string text() const;
  base::Json json() const;

 private:
  struct Use {
    std::int64_t num_nodes = 0;
    std::int64_t num_samples = 0;
    std::set<std::string> dtypes;
    std::int64_t max_rank = 0;
  };

  /// Most samples first, then most nodes, then by name.
  std::vector<std::pair<std::string, Use>> sorted() const;

  std::map<std::string, Use> uses_;
  std::int64_t num_samples_ = 0;
  std::vector<std::pair<std::string, std::string>> left_out_;
};

}  // namespace graphnet::cli
