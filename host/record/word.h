// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace graphnet::record {

/// What a table of words has to be, checked where the table is written: a row for each enumerator,
/// in their order, the first kNone and the last kOther, neither of which has a name; the names of
/// the others differ, and each has a meaning.
template <typename Row, std::size_t N>
constexpr bool is_word_table(const Row (&rows)[N]) {
  using Enum = decltype(Row::value);
  if (N < 2 || rows[0].value != Enum::kNone || rows[N - 1].value != Enum::kOther) return false;
  for (std::size_t i = 0; i < N; ++i) {
    const std::string_view name = rows[i].name;
    if (static_cast<std::size_t>(rows[i].value) != i) return false;
    if (name.empty() != (i == 0 || i + 1 == N)) return false;
    if (name.empty() != std::string_view(rows[i].meaning).empty()) return false;
    for (std::size_t j = 1; j < i; ++j) {
      if (name == std::string_view(rows[j].name)) return false;
    }
  }
  return true;
}

/// The row of an enumerator; each table has a function `table(Enum)` that gives it.
template <typename Enum>
constexpr const auto& facts_of(Enum value) {
  return table(value)[static_cast<std::size_t>(value)];
}

/// The word as it is stored, and in tables; "" for kNone and kOther.
template <typename Enum>
constexpr const char* name_of(Enum value) {
  return facts_of(value).name;
}

/// The word of today for one of any version; a table with renamed words has an overload, found by
/// the enum.
template <typename Enum>
constexpr std::string_view current_word(Enum /*any*/, std::string_view text) {
  return text;
}

/// A word of a record: one that this version knows, or one of a newer version, whose text is kept
/// and written back unchanged. A default one is kNone, the empty text.
///
/// Words are compared with enumerators, never with text: what is misspelt does not compile.
template <typename Enum>
class Word {
 public:
  Word() = default;
  Word(Enum value) : value_(value) {}  // NOLINT(google-explicit-constructor): an enumerator is one
  explicit Word(std::string_view text) : value_(known(text)) {
    if (value_ == Enum::kOther) other_ = text;
  }

  /// kOther for every word that this version does not know.
  Enum value() const { return value_; }
  std::string text() const { return value_ == Enum::kOther ? other_ : name_of(value_); }
  bool empty() const { return value_ == Enum::kNone; }

  friend bool operator==(const Word& a, const Word& b) {
    return a.value_ == b.value_ && a.other_ == b.other_;
  }
  friend bool operator!=(const Word& a, const Word& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Word& word) {
    return out << '\'' << word.text() << '\'';
  }

 private:
  static Enum known(std::string_view text) {
    const std::string_view current = current_word(Enum(), text);
    for (const auto& row : table(Enum())) {
      if (row.value != Enum::kOther && current == row.name) return row.value;
    }
    return Enum::kOther;
  }

  Enum value_ = Enum::kNone;
  std::string other_;  // the text of kOther
};

}  // namespace graphnet::record
