// SPDX-License-Identifier: MIT
#include "index/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/sha256.h"

namespace graphnet::index {

namespace {

constexpr std::size_t kStride = 16;
constexpr std::size_t kWindow = 5 * kMostDTypes;

/// Type and operators.
using Sequence = std::pair<SampleType, std::string>;
using Members = std::vector<const Member*>;

Sequence sequence_of(const Member& member) {
  return {member.type, member.bucket.op_seq};
}

class Grouping {
 public:
  explicit Grouping(const std::vector<Member>& members) : members_(members) {}

  std::vector<Group> run() {
    take_heads();
    take_others();
    return std::move(groups_);
  }

 private:
  /// Rules kStride and kHeads.
  void take_heads() {
    std::map<std::pair<Sequence, std::string>, Members> buckets;
    for (const Member& member : members_) {
      buckets[{sequence_of(member), member.bucket.input_shapes}].push_back(&member);
    }
    std::map<Sequence, Members> heads;
    for (const auto& [key, bucket] : buckets) {
      const Member* head = *std::min_element(bucket.begin(), bucket.end(),
                                             [](auto* a, auto* b) { return a->uid < b->uid; });
      heads[key.first].push_back(head);
      for (std::size_t i = 0; i < bucket.size(); i += kStride) {
        if (bucket[i] != head) add(Rule::kStride, key.first, {bucket[i]});
      }
    }
    for (const auto& [sequence, members] : heads) add(Rule::kHeads, sequence, members);
  }

  /// Rules kDTypes and kWindow.
  void take_others() {
    const auto left = [this] {
      std::map<Sequence, Members> result;
      for (const Member& member : members_) {
        if (taken_.count(member.uid) == 0) result[sequence_of(member)].push_back(&member);
      }
      return result;
    };
    for (auto& [sequence, members] : left()) add(Rule::kDTypes, sequence, of_each_dtype(members));
    for (auto& [sequence, members] : left()) {
      std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->uid < b->uid; });
      Members picked;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (i % kWindow < kMostDTypes) picked.push_back(members[i]);
      }
      add(Rule::kWindow, sequence, picked);
    }
  }

  static Members of_each_dtype(Members members) {
    std::sort(members.begin(), members.end(), [](auto* a, auto* b) {
      return std::tie(a->bucket.input_shapes, a->bucket.input_dtypes, a->uid) <
             std::tie(b->bucket.input_shapes, b->bucket.input_dtypes, b->uid);
    });
    std::map<std::string, std::set<std::string>> dtypes;  // by shapes
    Members picked;
    for (const Member* member : members) {
      std::set<std::string>& seen = dtypes[member->bucket.input_shapes];
      if (seen.size() == kMostDTypes || !seen.insert(member->bucket.input_dtypes).second) continue;
      picked.push_back(member);
    }
    return picked;
  }

  void add(Rule rule, const Sequence& sequence, const Members& members) {
    if (members.empty()) return;
    const std::string key = std::to_string(static_cast<int>(rule)) + "\n" +
                            type_name(sequence.first) + "\n" + sequence.second + "\n" +
                            members[0]->uid;
    std::string uid = base::sha256_hex(key.data(), key.size()).substr(0, 32);
    for (const std::size_t position : {8, 13, 18, 23}) uid.insert(position, "-");
    Group group{uid, rule, {}};
    for (const Member* member : members) {
      group.members.push_back(member->uid);
      taken_.insert(member->uid);
    }
    groups_.push_back(std::move(group));
  }

  const std::vector<Member>& members_;
  std::vector<Group> groups_;
  std::set<std::string> taken_;
};

}  // namespace

const char* policy_of(Rule rule) {
  return rule == Rule::kStride || rule == Rule::kHeads ? "bucket_policy_v1" : "bucket_policy_v2";
}

std::vector<Group> groups_of(const std::vector<Member>& members) {
  return Grouping(members).run();
}

}  // namespace graphnet::index
