// SPDX-License-Identifier: MIT
#include "cli/complete.h"

#include <algorithm>

#include "base/text.h"

namespace graphnet::cli {

namespace {

using Words = std::vector<std::string>;

/// What the words before the cursor say.
struct Scan {
  const Command* command = nullptr;
  bool has_argument = false;   ///< of the command
  bool flags_ended = false;    ///< by "--"
  const Flag* flag = nullptr;  ///< whose value stands at the cursor
};

/// "--flag=value" in two words.
Words split_values(const Words& words) {
  Words split;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t sign = word.rfind("--", 0) == 0 ? word.find('=') : std::string::npos;
    if (sign != std::string::npos) {
      split.push_back(word.substr(0, sign));
      split.push_back(word.substr(sign + 1));
    } else if (word != "=") {
      split.push_back(word);
    } else if (i + 1 == words.size()) {
      split.emplace_back();
    }
  }
  if (split.empty()) split.emplace_back();
  return split;
}

bool takes_value(const Flag& flag) {
  return !flag.value.empty() && flag.value.front() != '[';
}

const Flag* find_flag(const std::vector<Flag>& flags, const std::string& name) {
  for (const Flag& flag : flags) {
    const Words names = base::split(flag.names, ',');
    if (std::find(names.begin(), names.end(), name) != names.end()) return &flag;
  }
  return nullptr;
}

const Command* find_command(const Interface& interface, const std::string& name) {
  for (const Command& command : interface.commands) {
    if (!command.is_hidden && command.name == name) return &command;
  }
  return nullptr;
}

Scan scan(const Interface& interface, const Words& words) {
  Scan seen;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (!seen.flags_ended && word == "--") {
      seen.flags_ended = true;
    } else if (!seen.flags_ended && word.size() > 1 && word[0] == '-') {
      const Flag* flag = find_flag(interface.global_flags, word);
      if (flag == nullptr && seen.command) flag = find_flag(seen.command->flags, word);
      if (flag == nullptr || !takes_value(*flag)) continue;
      if (++i + 1 == words.size()) seen.flag = flag;
    } else if (seen.command == nullptr) {
      seen.command = find_command(interface, word);
    } else {
      seen.has_argument = true;
    }
  }
  return seen;
}

void add_words(const Words& words, Completion& result) {
  for (const std::string& word : words) result.offers.push_back({word, ""});
}

void add_commands(const Interface& interface, Completion& result) {
  for (const Command& command : interface.commands) {
    if (!command.is_hidden) result.offers.push_back({command.name, command.summary});
  }
}

void add_flags(const std::vector<Flag>& flags, Completion& result) {
  for (const Flag& flag : flags) {
    for (const auto& name : base::split(flag.names, ','))
      result.offers.push_back({name, flag.help});
  }
}

/// What a part of Flag::value or Positionals::completes stands for.
struct Kind {
  const char* name;
  bool is_listed;  ///< by ListNames
  bool has_files;
  bool has_folders;
};

constexpr Kind kKinds[] = {
    {"FILE", false, true, false},     {"DIR", false, false, true},
    {"SAMPLE", true, false, false},   {"CONFIG", true, true, false},
    {"PROTOCOL", true, false, false}, {"BACKEND", true, false, false},
    {"PLUGIN", true, false, false},
};

/// What "CONFIG", "PROTOCOL|FILE" or "auto|bar" stands for.
void add_value(const std::string& value, const ListNames& list_names, Completion& result) {
  const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
  for (const std::string& part : base::split(value, '|')) {
    const bool is_choice = !part.empty() && std::none_of(part.begin(), part.end(), is_capital);
    if (is_choice) result.offers.push_back({part, ""});
    for (const Kind& kind : kKinds) {
      if (kind.name != part) continue;
      if (kind.is_listed) add_words(list_names(part), result);
      result.has_files = result.has_files || kind.has_files;
      result.has_folders = result.has_folders || kind.has_folders;
    }
  }
}

/// The choices of a flag; of a list those for its last part, behind what stands there already.
void add_choices(const Flag& flag, const std::string& current, Completion& result) {
  const bool is_list =
      flag.value.size() > 4 && flag.value.compare(flag.value.size() - 4, 4, ",...") == 0;
  const std::string before = is_list ? current.substr(0, current.rfind(',') + 1) : "";
  for (const std::string& word : flag.choices) result.offers.push_back({before + word, ""});
}

void add_arguments(const Interface& interface, const Scan& seen, const ListNames& list_names,
                   Completion& result) {
  const Positionals& arguments = seen.command->positionals;
  // Actions first; once one is given, what they act on.
  const bool is_action =
      !arguments.choices.empty() && (!seen.has_argument || arguments.completes.empty());
  if (is_action) return add_words(arguments.choices, result);
  if (arguments.completes != "TOPIC") return add_value(arguments.completes, list_names, result);
  add_commands(interface, result);
  for (const Topic& topic : interface.topics) result.offers.push_back({topic.name, topic.summary});
}

}  // namespace

std::string Completion::text() const {
  std::string text;
  for (const Offer& offer : offers) {
    text += offer.word + (offer.description.empty() ? "" : "\t" + offer.description) + "\n";
  }
  return text + (has_files ? ":files\n" : has_folders ? ":folders\n" : "");
}

Completion complete(const Interface& interface, const Words& words, const ListNames& list_names) {
  const Words split = split_values(words);
  const Scan seen = scan(interface, split);
  Completion result;
  if (seen.flag != nullptr) {
    add_value(seen.flag->value, list_names, result);
    add_choices(*seen.flag, split.back(), result);
  } else if (!seen.flags_ended && split.back().rfind('-', 0) == 0) {
    if (seen.command != nullptr) add_flags(seen.command->flags, result);
    add_flags(interface.global_flags, result);
  } else if (seen.command == nullptr) {
    add_commands(interface, result);
  } else {
    add_arguments(interface, seen, list_names, result);
  }
  return result;
}

}  // namespace graphnet::cli
