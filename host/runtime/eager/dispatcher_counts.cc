// SPDX-License-Identifier: MIT
#include "eager/dispatcher_counts.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace graphnet::eager {

struct DispatcherCounts::State {
  at::CallbackHandle handle = 0;
  bool is_counting = false;
  std::mutex mutex;
  DispatcherUse use;
  std::map<std::thread::id, int> depths;  // calls that have not returned

  // The observer is a plain function.
  /// A call of another thread may end after the counting has.
  static std::shared_ptr<State> current;

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& call);
  static void end(const at::RecordFunction& call, at::ObserverContext* context);
  void enter(const char* name);
  void leave();
};

std::shared_ptr<DispatcherCounts::State> DispatcherCounts::State::current;

std::unique_ptr<at::ObserverContext> DispatcherCounts::State::begin(
    const at::RecordFunction& call) {
  const std::shared_ptr<State> state = std::atomic_load(&current);
  if (state) state->enter(call.name());
  return nullptr;
}

void DispatcherCounts::State::end(const at::RecordFunction&, at::ObserverContext*) {
  const std::shared_ptr<State> state = std::atomic_load(&current);
  if (state) state->leave();
}

void DispatcherCounts::State::enter(const char* name) {
  const std::lock_guard<std::mutex> lock(mutex);
  int& depth = depths[std::this_thread::get_id()];
  if (depth == 0) {
    ++use.called[name];
  } else {
    ++use.num_nested;
  }
  ++depth;
}

void DispatcherCounts::State::leave() {
  const std::lock_guard<std::mutex> lock(mutex);
  int& depth = depths[std::this_thread::get_id()];
  depth = std::max(0, depth - 1);  // 0: the call began before the counting
}

DispatcherUse& DispatcherUse::operator+=(const DispatcherUse& other) {
  for (const auto& [name, times] : other.called) called[name] += times;
  num_nested += other.num_nested;
  num_threads = std::max(num_threads, other.num_threads);
  return *this;
}

bool covers(const DispatcherUse& use, const DispatcherUse& program) {
  return !program.called.empty() &&
         std::all_of(program.called.begin(), program.called.end(), [&](const auto& wanted) {
           const auto found = use.called.find(wanted.first);
           return found != use.called.end() && found->second >= wanted.second;
         });
}

DispatcherCounts::DispatcherCounts() : state_(std::make_shared<State>()) {
  std::atomic_store(&State::current, state_);
  state_->handle = at::addGlobalCallback(at::RecordFunctionCallback(&State::begin, &State::end)
                                             .scopes({at::RecordScope::FUNCTION})
                                             .needsInputs(false));
  state_->is_counting = true;
}

DispatcherCounts::~DispatcherCounts() {
  static_cast<void>(take());
}

DispatcherUse DispatcherCounts::take() {
  if (state_->is_counting) at::removeCallback(state_->handle);
  state_->is_counting = false;
  std::atomic_store(&State::current, std::shared_ptr<State>());
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->use.num_threads = state_->depths.size();
  return std::move(state_->use);
}

}  // namespace graphnet::eager
