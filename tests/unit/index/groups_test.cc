// SPDX-License-Identifier: MIT
#include "index/groups.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace graphnet::index {
namespace groups_test {

std::string uid(std::size_t number) {
  std::string text = std::to_string(number);
  return std::string(4 - text.size(), '0') + text;
}

/// Members `from` to `to` - 1 of one bucket.
void add(std::vector<Member>& members, std::size_t from, std::size_t to, const Bucket& bucket,
         SampleType type = SampleType::kTypicalGraph) {
  for (std::size_t i = from; i < to; ++i) members.push_back({uid(i), type, bucket});
}

std::vector<Group> of_rule(const std::vector<Group>& groups, Rule rule) {
  std::vector<Group> result;
  for (const Group& group : groups) {
    if (group.rule == rule) result.push_back(group);
  }
  return result;
}

const Bucket kSmall = {"[\"conv2d\"]", "[[0]]", "[\"float32\"]"};
const Bucket kLarge = {"[\"conv2d\"]", "[[2]]", "[\"float32\"]"};
const Bucket kOther = {"[\"linear\"]", "[[0]]", "[\"float32\"]"};

TEST(Buckets, ExtentsAreFloorsOfLogarithms) {
  const std::map<std::int64_t, std::int64_t> expected = {
      {-3, -1}, {0, -1}, {1, 0},   {2, 0},   {15, 0},
      {16, 1},  {17, 1}, {255, 1}, {256, 2}, {std::int64_t{1} << 40, 10}};
  for (const auto& [extent, bucket] : expected) EXPECT_EQ(extent_bucket(extent), bucket) << extent;
}

TEST(Buckets, AreTextsAsPythonWritesThem) {
  Entry entry;
  entry.op_names = {"conv2d", "relu"};
  entry.tensors = {{"x", {1, 3, 224, 224}, base::DType::kFloat32}, {"s", {}, base::DType::kInt64}};
  const Bucket bucket = bucket_of(entry);
  EXPECT_EQ(bucket.op_seq, "[\"conv2d\", \"relu\"]");
  EXPECT_EQ(bucket.input_shapes, "[[0, 0, 1, 1], []]");
  EXPECT_EQ(bucket.input_dtypes, "[\"float32\", \"int64\"]");
}

TEST(Groups, HeadsOfBucketsWithTheSameOperatorsAreOne) {
  std::vector<Member> members;
  add(members, 0, 3, kSmall);
  add(members, 3, 4, kLarge);
  add(members, 4, 5, kOther);
  add(members, 5, 6, kSmall, SampleType::kSoleOpGraph);
  const auto heads = of_rule(groups_of(members), Rule::kHeads);
  ASSERT_EQ(heads.size(), 3U);
  std::set<std::vector<std::string>> found;
  for (const Group& group : heads) found.insert(group.members);
  EXPECT_EQ(found, (std::set<std::vector<std::string>>{{uid(0), uid(3)}, {uid(4)}, {uid(5)}}));
}

TEST(Groups, EverySixteenthOfABucketIsOneButForTheHead) {
  std::vector<Member> members;
  add(members, 100, 140, kSmall);
  const auto groups = groups_of(members);
  const auto strides = of_rule(groups, Rule::kStride);
  ASSERT_EQ(strides.size(), 2U);
  EXPECT_EQ(strides[0].members, std::vector<std::string>{uid(116)});
  EXPECT_EQ(strides[1].members, std::vector<std::string>{uid(132)});
  EXPECT_STREQ(policy_of(strides[0].rule), "bucket_policy_v1");
}

TEST(Groups, TheStrideCountsInTheOrderGivenAndTheHeadIsTheSmallest) {
  std::vector<Member> members;
  add(members, 50, 66, kSmall);
  add(members, 1, 2, kSmall);  // the 17th
  EXPECT_EQ(of_rule(groups_of(members), Rule::kHeads)[0].members[0], uid(1));
  const auto strides = of_rule(groups_of(members), Rule::kStride);
  ASSERT_EQ(strides.size(), 1U);
  EXPECT_EQ(strides[0].members[0], uid(50));
}

TEST(Groups, UpToThreeDTypesOfTheRestAndThenAWindow) {
  std::vector<Member> members;
  for (const char* dtype : {"[\"a\"]", "[\"b\"]", "[\"c\"]", "[\"d\"]"}) {
    Bucket bucket = kSmall;
    bucket.input_dtypes = dtype;
    add(members, members.size(), members.size() + 10, bucket);
  }
  const auto groups = groups_of(members);
  // 0 is the head, 16 and 32 are strides.
  const auto dtypes = of_rule(groups, Rule::kDTypes);
  ASSERT_EQ(dtypes.size(), 1U);
  EXPECT_EQ(dtypes[0].members, (std::vector<std::string>{uid(1), uid(10), uid(20)}));
  EXPECT_STREQ(policy_of(dtypes[0].rule), "bucket_policy_v2");
  // Left: 2-9, 11-15, 17-19, 21-31, 33-39; the first three of each fifteen.
  const auto windows = of_rule(groups, Rule::kWindow);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].members, (std::vector<std::string>{uid(2), uid(3), uid(4), uid(19), uid(21),
                                                          uid(22), uid(36), uid(37), uid(38)}));
}

TEST(Groups, NamesFollowFromTheMembers) {
  std::vector<Member> members;
  add(members, 0, 40, kSmall);
  add(members, 40, 60, kOther);
  const auto once = groups_of(members);
  const auto twice = groups_of(members);
  std::set<std::string> names;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].uid, twice[i].uid);
    EXPECT_TRUE(names.insert(once[i].uid).second);
    EXPECT_EQ(once[i].uid.size(), 36U);
  }
}

}  // namespace groups_test
}  // namespace graphnet::index
