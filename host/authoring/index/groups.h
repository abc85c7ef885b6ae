// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/buckets.h"

namespace graphnet::index {

/// How many samples of other dtypes upstream takes of each shape.
inline constexpr std::size_t kMostDTypes = 3;

/// A sample with a bucket: full graphs have none.
struct Member {
  std::string uid;
  SampleType type = SampleType::kTypicalGraph;
  Bucket bucket;
};

/// By which of upstream's rules samples are in a group.
///
/// kStride     every 16th member of a bucket but its head, a group each
/// kHeads      the heads of the buckets with the same operators
/// kDTypes     of what is in neither: of each bucket up to three with different dtypes
/// kWindow     of what is left: the first three of each fifteen with the same operators
///
/// source   GraphNet graph_sample_groups_insert: rules 1 and 2 are bucket_policy_v1, 4 and 3
///          bucket_policy_v2
enum class Rule : std::uint8_t { kStride, kHeads, kDTypes, kWindow };

/// "bucket_policy_v1" or "bucket_policy_v2".
const char* policy_of(Rule rule);

struct Group {
  std::string uid;  ///< in the form of a UUID; follows from rule, type, operators and first member
  Rule rule = Rule::kStride;
  std::vector<std::string> members;  ///< uids
};

/// A bucket is of one type; its head has the smallest uid.
///
/// order    members: as they were made, which is what the stride counts by; groups: rule by rule
/// source   GraphNet graph_sample_groups_insert
std::vector<Group> groups_of(const std::vector<Member>& members);

}  // namespace graphnet::index
