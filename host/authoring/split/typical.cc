// SPDX-License-Identifier: MIT
#include "split/typical.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

namespace graphnet::split {

namespace {

/// All samples one behind the other, a token an operator; what no sequence may hold has a token of
/// its own.
struct Text {
  std::vector<std::size_t> tokens;
  std::vector<Occurrence> places;  ///< of each token, a range of one operator
};

bool is_in_region(const std::vector<Operator>& operators, std::size_t i) {
  return operators[i].opens_inside || (i + 1 < operators.size() && operators[i + 1].opens_inside);
}

Text text_of(const std::vector<std::vector<Operator>>& samples) {
  std::unordered_map<std::string, std::size_t> numbers;
  for (const auto& operators : samples) {
    for (const Operator& one : operators) numbers.emplace(one.name, numbers.size());
  }
  std::size_t next = numbers.size();
  Text text;
  for (std::size_t sample = 0; sample < samples.size(); ++sample) {
    for (std::size_t i = 0; i < samples[sample].size(); ++i) {
      const bool is_end = is_in_region(samples[sample], i);
      text.tokens.push_back(is_end ? next++ : numbers[samples[sample][i].name]);
      text.places.push_back({sample, {i, i + 1}});
    }
    text.tokens.push_back(next++);
    text.places.push_back({sample, {}});
  }
  return text;
}

/// The positions in ascending order of the `depth` tokens from there on, at least; prefix doubling.
std::vector<std::size_t> sorted_suffixes(const std::vector<std::size_t>& tokens,
                                         std::size_t depth) {
  std::vector<std::size_t> order(tokens.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> rank = tokens;
  std::vector<std::size_t> next(tokens.size());
  for (std::size_t width = 1; width < depth; width *= 2) {
    const auto behind = [&](std::size_t i) {
      return i + width < rank.size() ? rank[i + width] + 1 : 0;
    };
    const auto is_before = [&](std::size_t a, std::size_t b) {
      return rank[a] != rank[b] ? rank[a] < rank[b] : behind(a) < behind(b);
    };
    std::sort(order.begin(), order.end(), is_before);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_new = i > 0 && is_before(order[i - 1], order[i]);
      next[order[i]] = i == 0 ? 0 : next[order[i - 1]] + (is_new ? 1 : 0);
    }
    rank.swap(next);
  }
  return order;
}

/// How many tokens two positions have in common, at most `most`.
std::size_t common_length(const std::vector<std::size_t>& tokens, std::size_t a, std::size_t b,
                          std::size_t most) {
  std::size_t length = 0;
  while (length < most && std::max(a, b) + length < tokens.size() &&
         tokens[a + length] == tokens[b + length]) {
    ++length;
  }
  return length;
}

/// A repeat: the positions order[first .. last] have `length` tokens in common and no more.
struct Repeat {
  std::size_t length = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Repeats by the heights of neighbours; a stack of those that are open.
std::vector<Repeat> repeats_of(const std::vector<std::size_t>& heights, std::size_t fewest) {
  std::vector<Repeat> closed;
  std::vector<Repeat> open;
  for (std::size_t i = 0; i <= heights.size(); ++i) {
    const std::size_t height = i < heights.size() ? heights[i] : 0;
    std::size_t first = i;
    while (!open.empty() && open.back().length > height) {
      Repeat repeat = open.back();
      open.pop_back();
      repeat.last = i;
      first = repeat.first;
      closed.push_back(repeat);
    }
    if (height >= fewest && (open.empty() || open.back().length < height)) {
      open.push_back({height, first, 0});
    }
  }
  return closed;
}

class Search {
 public:
  Search(const std::vector<std::vector<Operator>>& samples, const TypicalLimits& limits)
      : samples_(samples), text_(text_of(samples)), taken_(text_.tokens.size(), false) {
    const std::size_t most = limits.end - 1;
    order_ = sorted_suffixes(text_.tokens, most);
    std::vector<std::size_t> heights;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      heights.push_back(common_length(text_.tokens, order_[i - 1], order_[i], most));
    }
    repeats_ = repeats_of(heights, std::max<std::size_t>(limits.fewest, 2));
  }

  std::vector<TypicalSequence> take() {
    using Candidate = std::pair<std::size_t, std::size_t>;  // gain, repeat
    // Of equal gains the repeat with the smaller number comes first.
    const auto is_worse = [](const Candidate& a, const Candidate& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    std::priority_queue<Candidate, std::vector<Candidate>, decltype(is_worse)> queue(is_worse);
    for (std::size_t i = 0; i < repeats_.size(); ++i) {
      queue.emplace(gain(repeats_[i], repeats_[i].last - repeats_[i].first + 1), i);
    }
    std::vector<TypicalSequence> sequences;
    while (!queue.empty()) {
      const auto [promised, index] = queue.top();
      queue.pop();
      const std::vector<std::size_t> starts = free_starts(repeats_[index]);
      const std::size_t real = gain(repeats_[index], starts.size());
      if (real == 0) continue;
      if (real < promised) {
        queue.emplace(real, index);
        continue;
      }
      sequences.push_back(sequence(repeats_[index], starts));
    }
    return sequences;
  }

 private:
  static std::size_t gain(const Repeat& repeat, std::size_t num_occurrences) {
    return num_occurrences < 2 ? 0 : (repeat.length - 1) * (num_occurrences - 1);
  }

  /// Where it occurs without overlap in what is not taken.
  std::vector<std::size_t> free_starts(const Repeat& repeat) const {
    std::vector<std::size_t> starts(order_.begin() + static_cast<std::ptrdiff_t>(repeat.first),
                                    order_.begin() + static_cast<std::ptrdiff_t>(repeat.last) + 1);
    std::sort(starts.begin(), starts.end());
    std::vector<std::size_t> free;
    for (const std::size_t start : starts) {
      if (!free.empty() && start < free.back() + repeat.length) continue;
      const auto begin = taken_.begin() + static_cast<std::ptrdiff_t>(start);
      const auto end = begin + static_cast<std::ptrdiff_t>(repeat.length);
      if (std::find(begin, end, true) == end) free.push_back(start);
    }
    return free;
  }

  TypicalSequence sequence(const Repeat& repeat, const std::vector<std::size_t>& starts) {
    TypicalSequence sequence;
    for (const std::size_t start : starts) {
      const Occurrence& place = text_.places[start];
      sequence.occurrences.push_back(
          {place.sample, {place.range.first, place.range.first + repeat.length}});
      std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(start), repeat.length, true);
    }
    const Occurrence& first = sequence.occurrences.front();
    for (std::size_t i = first.range.first; i < first.range.end; ++i) {
      sequence.names.push_back(samples_[first.sample][i].name);
    }
    return sequence;
  }

  const std::vector<std::vector<Operator>>& samples_;
  Text text_;
  std::vector<bool> taken_;         // by token
  std::vector<std::size_t> order_;  // suffixes, sorted
  std::vector<Repeat> repeats_;
};

}  // namespace

std::vector<TypicalSequence> typical_sequences(const std::vector<std::vector<Operator>>& samples,
                                               const TypicalLimits& limits) {
  return Search(samples, limits).take();
}

}  // namespace graphnet::split
