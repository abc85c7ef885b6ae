// SPDX-License-Identifier: MIT
#include "report/page_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "base/text.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

constexpr int kMaxMessageCells = 200;

// Texts by the order of their first use.
class Dictionary {
 public:
  std::string number_of(const std::string& text) {
    const auto [entry, is_new] = numbers_.emplace(text, words_.size());
    if (is_new) words_.push_back(printable(text));
    return std::to_string(entry->second);
  }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> words_;
};

// "1.234e7", not "1.234e+07".
std::string compact(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", *value);
  std::string number = text;
  const std::size_t exponent = number.find('e');
  if (exponent == std::string::npos) return number;
  return number.substr(0, exponent) + "e" + std::to_string(std::atoi(&number[exponent + 1]));
}

// A member with one number or null a row.
template <typename Value>
void add_column(std::string& json, const char* key, const std::vector<const ResultRow*>& rows,
                const Value& value) {
  json += std::string(",\"") + key + "\":[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) json += ',';
    json += value(*rows[i]);
  }
  json += "]";
}

struct TextColumn {
  const char* key;
  std::string (*text)(const ResultRow& row);
};

constexpr TextColumn kTexts[] = {
    {"sample", [](const ResultRow& row) { return row.sample; }},
    {"family", [](const ResultRow& row) { return row.family; }},
    {"category", [](const ResultRow& row) { return row.category; }},
    {"outcome", [](const ResultRow& row) { return row.outcome.text(); }},
    {"verdict", [](const ResultRow& row) { return row.verdict.text(); }},
    {"timing", [](const ResultRow& row) { return row.timing.text(); }},
    {"left_out", [](const ResultRow& row) { return row.left_out; }},
    {"limited_by", [](const ResultRow& row) { return row.limited_by; }},
    {"levels", [](const ResultRow& row) { return row.levels; }},
    {"operators", [](const ResultRow& row) { return row.operators; }},
    {"entered", [](const ResultRow& row) { return row.entered; }},
    {"flags", [](const ResultRow& row) { return base::join(texts_of(row.flags), ", "); }},
    {"message",
     [](const ResultRow& row) { return cut_to_width(printable(row.message), kMaxMessageCells); }},
};

struct NumberColumn {
  const char* key;
  std::optional<double> ResultRow::*member;
};

constexpr NumberColumn kNumbers[] = {
    {"speedup", &ResultRow::speedup},
    {"low", &ResultRow::speedup_low},
    {"high", &ResultRow::speedup_high},
    {"eager", &ResultRow::eager_ns},
    {"plugin", &ResultRow::plugin_ns},
    {"eager_p90", &ResultRow::eager_p90_ns},
    {"eager_p99", &ResultRow::eager_p99_ns},
    {"plugin_p90", &ResultRow::plugin_p90_ns},
    {"plugin_p99", &ResultRow::plugin_p99_ns},
    {"compile", &ResultRow::compile_ns},
    {"bind", &ResultRow::bind_ns},
    {"first_call", &ResultRow::first_call_ns},
    {"break_even", &ResultRow::break_even_calls},
    {"limit", &ResultRow::limit_share},
    {"error", &ResultRow::relative_rms},
};

std::string without_markup(std::string json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string page_rows(const Report& report, const std::set<std::string>& common) {
  std::vector<const ResultRow*> rows;
  for (const ResultRow& row : report.rows) {
    if (row.backend < report.backends.size()) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ResultRow* a, const ResultRow* b) {
    return a->sample != b->sample ? a->sample < b->sample : a->backend < b->backend;
  });
  Dictionary words;
  std::string columns;
  for (const TextColumn& column : kTexts) {
    add_column(columns, column.key, rows,
               [&](const ResultRow& row) { return words.number_of(column.text(row)); });
  }
  add_column(columns, "backend", rows,
             [](const ResultRow& row) { return std::to_string(row.backend); });
  add_column(columns, "common", rows,
             [&](const ResultRow& row) { return std::to_string(common.count(row.sample)); });
  for (const NumberColumn& column : kNumbers) {
    add_column(columns, column.key, rows,
               [&](const ResultRow& row) { return compact(row.*column.member); });
  }
  add_column(columns, "pairs", rows, [](const ResultRow& row) {
    return row.num_pairs > 0 ? std::to_string(row.num_pairs) : "null";
  });
  add_column(columns, "shares", rows, [&](const ResultRow& row) {
    std::string pairs = "[";
    for (const TimeShare& part : row.time_shares) {
      if (pairs.size() > 1) pairs += ',';
      pairs += words.number_of(part.module) + "," + std::to_string(std::lround(100 * part.share));
    }
    return pairs + "]";
  });
  std::vector<std::string> backends;
  for (const std::string& name : report.backends) backends.push_back(printable(name));
  const std::string head =
      "{\"backends\":" + base::dump_json(backends) + ",\"words\":" + base::dump_json(words.words());
  return without_markup(head + columns + "}");
}

}  // namespace graphnet::report
