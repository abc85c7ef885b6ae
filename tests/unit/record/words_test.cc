// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <set>

#include "record/left_out.h"
#include "record/record.h"

namespace graphnet::record {
namespace words_test {

/// That a table has a row for each enumerator is a static_assert; here, that its words are read as
/// they are written, and that others are kept.
template <typename Enum>
void check_words() {
  std::set<std::string> names;
  for (const auto& row : table(Enum())) {
    const Word<Enum> word(row.value);
    EXPECT_EQ(word.text(), row.name);
    if (row.value == Enum::kOther) continue;
    EXPECT_EQ(Word<Enum>(std::string_view(row.name)), row.value) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Enum::kOther));
  const Word<Enum> newer("word of tomorrow");
  EXPECT_EQ(newer.value(), Enum::kOther);
  EXPECT_EQ(newer.text(), "word of tomorrow");
  EXPECT_NE(newer, Word<Enum>("another"));
  EXPECT_TRUE(Word<Enum>().empty());
  EXPECT_EQ(Word<Enum>(std::string_view("")), Enum::kNone);
}

TEST(Words, AreReadAsTheyAreWrittenAndOthersAreKept) {
  check_words<Outcome>();
  check_words<Phase>();
  check_words<ProofVerdict>();
  check_words<TimingVerdict>();
  check_words<Flag>();
  check_words<LeftOut>();
}

TEST(Words, ATableThatMissesARowIsNone) {
  enum class Small { kNone, kOne, kOther };
  struct Row {
    Small value;
    const char* name;
    const char* meaning;
  };
  constexpr Row kNone = {Small::kNone, "", ""};
  constexpr Row kOne = {Small::kOne, "a", "first letter"};
  constexpr Row kOther = {Small::kOther, "", ""};
  constexpr Row kRight[] = {kNone, kOne, kOther};
  constexpr Row kNameless[] = {kNone, {Small::kOne, "", "first letter"}, kOther};
  constexpr Row kUndefined[] = {kNone, {Small::kOne, "a", ""}, kOther};
  constexpr Row kDisordered[] = {kOne, kNone, kOther};
  constexpr Row kShort[] = {kNone, kOther};
  EXPECT_TRUE(is_word_table(kRight));
  EXPECT_FALSE(is_word_table(kNameless));
  EXPECT_FALSE(is_word_table(kUndefined));
  EXPECT_FALSE(is_word_table(kDisordered));
  EXPECT_FALSE(is_word_table(kShort));
}

TEST(Words, AVerdictIsAWordWithDetail) {
  const struct {
    const char* text;
    ProofVerdict kind;
    std::optional<std::string> detail;
  } cases[] = {{"", ProofVerdict::kNone, {}},
               {"proven", ProofVerdict::kProven, {}},
               {"mixed(aten::relu, f(x))", ProofVerdict::kMixed, "aten::relu, f(x)"},
               {"mixed()", ProofVerdict::kMixed, ""},
               {"unknown(no run)", ProofVerdict::kUnknown, "no run"},
               {"novel(why)", ProofVerdict::kOther, "why"},
               {"mixed(cut", ProofVerdict::kOther, {}}};
  for (const auto& [text, kind, detail] : cases) {
    const Verdict verdict(text);
    EXPECT_EQ(verdict.kind.value(), kind) << text;
    EXPECT_EQ(verdict.detail, detail) << text;
    EXPECT_EQ(verdict.text(), text);
  }
}

}  // namespace words_test
}  // namespace graphnet::record
