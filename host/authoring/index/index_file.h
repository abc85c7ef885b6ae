// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/entry.h"
#include "index/groups.h"

namespace graphnet::index {

/// An index of samples, ready to be written.
struct IndexFile {
  std::string bytes;              ///< a SQLite file with tables()
  std::vector<std::size_t> rows;  ///< of each of tables()
  std::map<SampleType, std::size_t> samples;
  std::size_t num_operators = 0;
  std::vector<Group> groups;
  std::size_t num_in_groups = 0;
  /// Relative paths of pieces whose full graph is not among the entries: nothing in the tables of
  /// sources tells where they come from.
  std::vector<std::string> without_origin;
};

/// Makes an index. Buckets and groups are made of all but full graphs. The same entries give the
/// same groups and uids; only `create_at` tells when it was made: `time_us`, and for each further
/// sample a microsecond more.
///
/// units    time_us: microseconds since 1970, UTC
/// order    entries as sort_entries(), which is that of `order_value`
/// errors   kInput: two entries have the same uid, or two arguments of one name, shape and type;
///          kEnvironment: no memory
/// source   GraphNet build_db, graphsample_insert, graph_sample_bucket_generator,
///          graph_sample_groups_insert. Where upstream leaves full graphs without operators, their
///          number and arguments, ours have them; total_element_size counts scalars too
base::Result<IndexFile> make_index(const std::vector<Tree>& trees,
                                   const std::vector<Entry>& entries, std::int64_t time_us);

/// The members of groups: entries that are no full graphs.
std::vector<Member> members_of(const std::vector<Entry>& entries);

}  // namespace graphnet::index
