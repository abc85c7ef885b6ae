// SPDX-License-Identifier: MIT
#include "index/subset.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace graphnet::index {

namespace {

constexpr double kSmoothing = 1e-3;

/// The sequences as numbers: edges of each, in order, repetitions included.
class Chain {
 public:
  explicit Chain(const std::vector<std::vector<std::string>>& sequences) {
    std::unordered_map<std::string, std::size_t> operators;
    for (const auto& sequence : sequences) {
      std::vector<std::size_t>& edges = edges_.emplace_back();
      std::size_t before = 0;
      for (std::size_t i = 0; i < sequence.size(); ++i) {
        const std::size_t one = operators.emplace(sequence[i], operators.size()).first->second;
        if (i > 0) edges.push_back(count_edge(before, one));
        before = one;
      }
    }
    num_operators_ = operators.size();
  }

  const std::vector<std::vector<std::size_t>>& edges() const { return edges_; }
  std::size_t num_edges() const { return counts_.size(); }

  double rarity(const std::vector<std::size_t>& edges) const {
    double sum = 0;
    for (const std::size_t edge : edges) {
      const double from = static_cast<double>(counts_from_.at(sources_[edge]));
      const double all = from + kSmoothing * static_cast<double>(num_operators_);
      sum += -std::log((static_cast<double>(counts_[edge]) + kSmoothing) / all);
    }
    return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
  }

 private:
  std::size_t count_edge(std::size_t from, std::size_t to) {
    const auto [found, is_new] = ids_.emplace(std::make_pair(from, to), counts_.size());
    if (is_new) {
      counts_.push_back(0);
      sources_.push_back(from);
    }
    ++counts_[found->second];
    ++counts_from_[from];
    return found->second;
  }

  std::vector<std::vector<std::size_t>> edges_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> ids_;
  std::vector<std::size_t> counts_;   // by edge
  std::vector<std::size_t> sources_;  // by edge
  std::map<std::size_t, std::size_t> counts_from_;
  std::size_t num_operators_ = 0;
};

/// To 0 and 1; all to 0 where they are equal up to rounding, as Python's math.isclose.
std::vector<double> normalised(const std::vector<double>& values) {
  std::vector<double> result(values.size(), 0.0);
  if (values.empty()) return result;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double size = std::max(std::fabs(*low), std::fabs(*high));
  if (*high - *low <= 1e-9 * size) return result;
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = (values[i] - *low) / (*high - *low);
  return result;
}

/// What a sequence is chosen by; the last decides among equal ones.
struct Key {
  double gain = 0;
  std::size_t new_edges = 0;
  std::size_t num_before = 0;  ///< given before it with the same operators; fewer is better
  double bonus = 0;
  std::size_t num_edges = 0;
  std::size_t position = 0;
};
bool operator<(const Key& a, const Key& b) {
  return std::tie(a.gain, a.new_edges, b.num_before, a.bonus, a.num_edges, b.position) <
         std::tie(b.gain, b.new_edges, a.num_before, b.bonus, b.num_edges, a.position);
}

}  // namespace

Subset choose_subset(const std::vector<std::vector<std::string>>& sequences, std::size_t count) {
  const Chain chain(sequences);
  std::vector<double> rarities;
  std::vector<std::set<std::size_t>> edges;  // different ones
  for (const std::vector<std::size_t>& all : chain.edges()) {
    rarities.push_back(chain.rarity(all));
    edges.emplace_back(all.begin(), all.end());
  }
  const std::vector<double> bonuses = normalised(rarities);
  std::map<std::vector<std::string>, std::size_t> num_given;
  std::vector<std::size_t> num_before;
  for (const std::vector<std::string>& sequence : sequences) {
    num_before.push_back(num_given[sequence]++);
  }
  std::vector<bool> is_covered(chain.num_edges(), false);
  const auto key_of = [&](std::size_t i) {
    const auto new_edges = static_cast<std::size_t>(std::count_if(
        edges[i].begin(), edges[i].end(), [&](std::size_t edge) { return !is_covered[edge]; }));
    const double gain = static_cast<double>(new_edges) * (1.0 + bonuses[i]);
    return Key{gain, new_edges, num_before[i], bonuses[i], chain.edges()[i].size(), i};
  };
  std::priority_queue<Key> queue;
  for (std::size_t i = 0; i < sequences.size(); ++i) queue.push(key_of(i));
  Subset subset;
  subset.num_edges = chain.num_edges();
  while (subset.chosen.size() < count && !queue.empty()) {
    const Key top = queue.top();
    queue.pop();
    // Keys only fall, so one that did not is still the largest.
    const Key now = key_of(top.position);
    if (now < top) {
      queue.push(now);
      continue;
    }
    subset.chosen.push_back({now.position, now.new_edges, rarities[now.position]});
    subset.num_covered += now.new_edges;
    for (const std::size_t edge : edges[now.position]) is_covered[edge] = true;
  }
  return subset;
}

}  // namespace graphnet::index
