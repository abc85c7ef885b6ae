// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace graphnet::tests {

/// Checks that a document is well-formed XML as far as ours use it: elements closed in order,
/// attributes quoted and not repeated, no bare '&' or '<', no control characters. Returns what is
/// wrong and where; empty if nothing is.
class XmlCheck {
 public:
  explicit XmlCheck(std::string text) : text_(std::move(text)) {}

  std::string problem() {
    while (at_ < text_.size() && problem_.empty()) {
      text_[at_] == '<' ? tag() : character();
    }
    if (problem_.empty() && !open_.empty()) fail("<" + open_.back() + "> is not closed");
    if (problem_.empty() && num_roots_ != 1) fail("not one root element");
    return problem_;
  }

 private:
  void fail(const std::string& what) {
    if (!problem_.empty()) return;
    problem_ =
        what + " at byte " + std::to_string(at_) + ": " + text_.substr(at_ > 20 ? at_ - 20 : 0, 60);
  }

  // A character of text or of an attribute's value.
  void character() {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 && c != '\n') fail("control character");
    if (c == '&') {
      const std::size_t end = text_.find(';', at_);
      const std::string name = end == std::string::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
      static const std::set<std::string> known = {"amp", "lt", "gt", "quot", "#39"};
      if (known.count(name) == 0) fail("bare '&'");
    }
    ++at_;
  }

  bool starts(const std::string& what) const { return text_.compare(at_, what.size(), what) == 0; }

  std::string word() {
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-')) {
      name += text_[at_++];
    }
    if (name.empty()) fail("a name is missing");
    return name;
  }

  void tag() {
    if (starts("<?xml")) {
      at_ = text_.find("?>", at_) + 2;
    } else if (starts("</")) {
      at_ += 2;
      const std::string name = word();
      if (open_.empty() || open_.back() != name) return fail("</" + name + "> closes nothing");
      open_.pop_back();
      if (text_[at_++] != '>') fail("'>' is missing");
    } else {
      ++at_;
      element(word());
    }
  }

  void element(const std::string& name) {
    std::set<std::string> seen;
    if (open_.empty()) ++num_roots_;
    while (problem_.empty()) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
      if (starts("/>")) {
        at_ += 2;
        return;
      }
      if (starts(">")) {
        ++at_;
        open_.push_back(name);
        return;
      }
      if (!seen.insert(word()).second) return fail("an attribute comes twice");
      if (!starts("=\"")) return fail("an attribute without value");
      at_ += 2;
      while (at_ < text_.size() && text_[at_] != '"' && problem_.empty()) {
        if (text_[at_] == '<') return fail("'<' in an attribute");
        character();
      }
      ++at_;
    }
  }

  std::string text_;
  std::size_t at_ = 0;
  int num_roots_ = 0;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace graphnet::tests
