// SPDX-License-Identifier: MIT
#include "report/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

constexpr std::int64_t kRedrawNs = 100'000'000;

std::int64_t steady_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

Progress::Progress(std::ostream& out, Options options) : out_(out), options_(std::move(options)) {
  if (!options_.now_ns) options_.now_ns = steady_ns;
  if (options_.mode == ProgressMode::kAuto) {
    options_.mode = options_.is_terminal ? ProgressMode::kBar : ProgressMode::kLines;
  }
  started_ns_ = options_.now_ns();
  for (const PlannedPair& pair : options_.pairs) {
    costs_[{printable(pair.sample), printable(pair.plugin)}] = pair.cost;
    estimate_.plan(printable(pair.plugin), pair.cost);
  }
}

Progress::~Progress() {
  hide();
}

bool Progress::is_timing() const {
  return record::facts_of(pair_.phase).takes_times;
}

void Progress::begin(const std::string& sample, const std::string& plugin) {
  if (is_active_) others_.push_back(pair_);
  pair_ = {printable(sample), printable(plugin), record::Phase::kNone, options_.now_ns()};
  is_active_ = true;
  draw();
}

void Progress::turn_to(const std::string& sample, const std::string& plugin) {
  const auto found = std::find_if(others_.begin(), others_.end(), [&](const Pair& other) {
    return other.sample == printable(sample) && other.plugin == printable(plugin);
  });
  if (found == others_.end()) return;
  if (is_active_) {
    std::swap(pair_, *found);
  } else {
    pair_ = *found;
    others_.erase(found);
  }
  is_active_ = true;
}

void Progress::drop() {
  is_active_ = false;
  hide();
}

void Progress::phase(record::Phase phase) {
  pair_.phase = phase;
  draw();
}

void Progress::tick() {
  if (!is_timing()) draw();
}

void Progress::draw() {
  if (options_.mode != ProgressMode::kBar || !is_active_) return;
  const std::int64_t now = options_.now_ns();
  if (has_drawn_ && now - drawn_ns_ < kRedrawNs) return;
  // The last column stays free: some terminals wrap as soon as it is filled.
  out_ << "\r\x1b[2K" << cut_to_width(bar_text(), std::max(1, options_.width - 1)) << std::flush;
  drawn_ns_ = now;
  has_drawn_ = true;
  is_shown_ = true;
}

void Progress::hide() {
  if (!is_shown_) return;
  out_ << "\r\x1b[2K" << std::flush;
  is_shown_ = false;
}

std::string Progress::bar_text() const {
  const double elapsed_s = static_cast<double>(options_.now_ns() - started_ns_) / 1e9;
  const std::string phase = pair_.phase == record::Phase::kNone ? "start" : name_of(pair_.phase);
  std::string text = "[" + std::to_string(done_ + 1) + "/" + std::to_string(options_.total) + "] " +
                     pair_.sample + " · " + pair_.plugin + " · " + phase + " · " +
                     format_elapsed(elapsed_s);
  const int left = options_.total - done_;
  const bool is_known = options_.pairs.empty() ? done_ > 0 : estimate_.is_known();
  if (is_known && left > 0) {
    text += ", about " + format_elapsed(std::max(1.0, left_s(elapsed_s))) + " left";
  }
  return text;
}

double Progress::left_s(double elapsed_s) const {
  const double done_s = done_ > 0 ? static_cast<double>(finished_ns_ - started_ns_) / 1e9 : 0;
  if (options_.pairs.empty()) {
    return done_s / done_ * (options_.total - done_) - (elapsed_s - done_s);
  }
  // Less than 1 where several run at a time.
  const double share = taken_s_ > 0 && done_s > 0 ? std::min(1.0, done_s / taken_s_) : 1;
  return estimate_.left() * share - (elapsed_s - done_s);
}

void Progress::learn(const PlannedPair& pair, double seconds) {
  if (seconds > 0 && pair.cost > 0) estimate_.learn(printable(pair.plugin), pair.cost, seconds);
}

void Progress::finish(const record::Record& record) {
  ++done_;
  is_active_ = false;
  finished_ns_ = options_.now_ns();
  hide();
  const double seconds = static_cast<double>(finished_ns_ - pair_.started_ns) / 1e9;
  taken_s_ += seconds;
  const auto cost = costs_.find({pair_.sample, pair_.plugin});
  const bool is_measured = record.counting() != record::Counting::kNotCounted;
  if (cost != costs_.end()) {
    estimate_.done(pair_.plugin, cost->second, is_measured ? seconds : -1);
  }
  if (options_.mode != ProgressMode::kLines) return;
  std::string line = "[" + std::to_string(done_) + "/" + std::to_string(options_.total) + "] " +
                     printable(record.sample) + " " + printable(record.backend_name()) + " " +
                     printable(record.outcome.text());
  if (record.is_ok() && record.speedup) {
    char speedup[32];
    std::snprintf(speedup, sizeof speedup, " %.2fx", *record.speedup);
    line += speedup;
  }
  out_ << line << " (" << format_elapsed(seconds) << ")\n" << std::flush;
}

int Progress::poll_timeout_ms() const {
  if (options_.mode != ProgressMode::kBar || !is_active_ || is_timing()) return -1;
  return static_cast<int>(kRedrawNs / 1'000'000);
}

}  // namespace graphnet::report
