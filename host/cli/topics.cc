// SPDX-License-Identifier: MIT
#include "cli/topics.h"

#include <algorithm>

#include "cli/topic_texts.h"
#include "cli/words_text.h"

namespace graphnet::cli {

Topic parse_topic(const std::string& name, const std::string& text) {
  const std::string title = "# " + name + ": ";
  if (text.rfind(title, 0) != 0) return {name, "", text};
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::size_t body = std::min(text.find_first_not_of('\n', end), text.size());
  return {name, text.substr(title.size(), end - title.size()), text.substr(body)};
}

std::vector<Topic> make_topics() {
  std::vector<Topic> topics;
  for (std::size_t i = 0; i < kNumTopicTexts; ++i) {
    topics.push_back(parse_topic(kTopicTexts[i].name, kTopicTexts[i].text));
    if (topics.back().name == "words") topics.back().body += "\n" + words_text();
  }
  return topics;
}

}  // namespace graphnet::cli
