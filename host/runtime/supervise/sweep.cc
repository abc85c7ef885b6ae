// SPDX-License-Identifier: MIT
#include "supervise/sweep.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <memory>
#include <optional>

#include "base/memory.h"
#include "supervise/classify.h"
#include "supervise/control.h"
#include "supervise/memory_budget.h"
#include "supervise/worker_program.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;
using Clock = WorkerRun::Clock;

namespace {

// Poll interval while waiting for SIGSTOP to take effect, which takes microseconds.
constexpr int kPausePollMs = 1;

constexpr int kLongestWaitMs = 60000;

/// Runs one worker at a time.
class Slot : public WorkerObserver {
 public:
  /// `is_only`: there is no other slot, so the observer need not be told whose turn it is.
  Slot(const WorkerSettings& settings, SweepObserver& observer, bool is_only)
      : settings_(settings), observer_(observer), is_only_(is_only) {}

  Status start(const PlannedTask& planned) {
    planned_ = &planned;
    need_bytes = 0;
    had_co_runners = false;
    observer_.on_begin(planned);
    GN_ASSIGN_OR_RETURN(run, WorkerRun::start(planned, settings_, *this));
    return Status::ok();
  }

  void on_phase(record::Phase phase) override {
    has_moved_on = has_moved_on || !record::facts_of(phase).takes_times;
    if (is_quiet) return;
    announce();
    observer_.on_phase(phase);
  }

  void on_finishing() override {
    announce();
    observer_.on_finishing();
  }

  /// Tells the observer that what follows is about this slot's task.
  void announce() {
    if (!is_only_) observer_.on_turn(*planned_);
  }

  /// Whether a task may run in this slot.
  bool takes(const PlannedTask& planned) const {
    return settings_.device.empty() || planned.task.device == settings_.device;
  }

  const PlannedTask& planned() const { return *planned_; }
  const WorkerSettings& settings() const { return settings_; }
  bool is_free() const { return run == nullptr; }
  bool asks() const { return run != nullptr && run->ask() != nullptr; }
  bool asks_for_time() const {
    return asks() && record::facts_of(run->ask()->phase.value()).takes_times;
  }
  bool asks_for_memory() const { return asks() && !asks_for_time(); }

  std::unique_ptr<WorkerRun> run;  ///< null: free
  std::int64_t need_bytes = 0;     ///< of memory, once it was granted
  bool had_co_runners = false;     ///< other workers ran beside it
  bool has_moved_on = false;       ///< since it was granted time, to a phase that takes none
  bool is_quiet = false;           ///< another takes times: nothing is drawn

 private:
  const WorkerSettings& settings_;
  SweepObserver& observer_;
  bool is_only_;
  const PlannedTask* planned_ = nullptr;
};

/// True if a worker that was killed beside others may live when it has the machine to itself.
bool was_crowded_out(const WorkerEnd& worker) {
  const bool is_known_cause =
      worker.oom_kill == OomKill::kNone || worker.oom_kill == OomKill::kAtLimit;
  return worker.stop == WorkerEnd::Stop::kNone && worker.exit.signal == SIGKILL &&
         !worker.is_final && !is_known_cause;
}

/// The error of a sweep whose very first worker ended before its first phase.
Status worker_does_not_start(const WorkerSettings& settings, const record::Record& record) {
  Status error(Code::kEnvironment,
               "the program that runs samples does not start: " + record.message);
  error.add_context(settings.executable.string());
  if (!record.output_tail.empty()) error.add_context("its output: " + record.output_tail);
  add_torch_hint(record.output_tail, error);
  return error;
}

class Sweep {
 public:
  Sweep(const std::vector<PlannedTask>& plan, const std::vector<WorkerSettings>& slots,
        Interrupt& interrupt, journal::JournalFile& journal, SweepObserver& observer)
      : plan_(plan),
        interrupt_(interrupt),
        journal_(journal),
        observer_(observer),
        has_begun_(plan.size(), false) {
    for (const WorkerSettings& settings : slots) {
      slots_.push_back(std::make_unique<Slot>(settings, observer, slots.size() == 1));
    }
  }

  Result<SweepEnd> run() {
    while (true) {
      GN_RETURN_IF_ERROR(start_more());
      if (num_running() == 0) break;
      wait();
      GN_RETURN_IF_ERROR(take_ended());
      if (is_unread_) break;
      note_asks();
      grant_time();
      grant_memory();
    }
    end_.num_left = plan_.size() - end_.num_done;
    end_.signal = interrupt_.signal();
    return end_;
  }

 private:
  std::size_t num_running() const {
    return static_cast<std::size_t>(std::count_if(
        slots_.begin(), slots_.end(), [](const auto& slot) { return !slot->is_free(); }));
  }

  Status start_more() {
    bool goes_on = true;
    while (goes_on) {
      GN_ASSIGN_OR_RETURN(goes_on, start_one());
    }
    return Status::ok();
  }

  /// What may begin next: the first task of the plan that a free slot takes.
  struct Turn {
    Slot* slot = nullptr;  ///< null: nothing
    std::size_t index = 0;
  };

  Turn next_turn() const {
    Turn turn = {nullptr, plan_.size()};
    for (const auto& slot : slots_) {
      if (!slot->is_free()) continue;
      std::size_t index = first_open_;
      while (index < turn.index && (has_begun_[index] || !slot->takes(plan_[index]))) ++index;
      if (index < turn.index) turn = {slot.get(), index};
    }
    return turn;
  }

  void note_begun(std::size_t index) {
    has_begun_[index] = true;
    while (first_open_ < plan_.size() && has_begun_[first_open_]) ++first_open_;
  }

  /// Does the next thing that may be done now; false if there is none.
  Result<bool> start_one() {
    const auto free = std::find_if(slots_.begin(), slots_.end(),
                                   [](const auto& slot) { return slot->is_free(); });
    if (free == slots_.end()) return false;
    if (num_running() == 0) interrupt_.read();  // else wait() does, and tells the workers
    if (interrupt_.signal() != 0 || is_unread_ || runs_alone_ || is_time_wanted()) return false;
    if (!retries_.empty()) return start_retry(**free);
    const Turn turn = next_turn();
    if (turn.slot == nullptr) return false;
    const PlannedTask& planned = plan_[turn.index];
    if (control_before_ != turn.index &&
        is_control_due(turn.index, planned, turn.slot->settings())) {
      return start_control(*turn.slot, turn.index);
    }
    note_begun(turn.index);
    if (!planned.refusal.is_ok()) {
      observer_.on_begin(planned);
      GN_RETURN_IF_ERROR(keep(refused_record(planned)));
      return true;
    }
    GN_RETURN_IF_ERROR(check_library(planned));
    GN_RETURN_IF_ERROR(turn.slot->start(planned));
    if (num_running() > 1) {
      for (const auto& slot : slots_) slot->had_co_runners = true;
    }
    return true;
  }

  Result<bool> start_retry(Slot& slot) {
    if (num_running() > 0) return false;
    const PlannedTask& planned = *retries_.front();
    retries_.pop_front();
    GN_RETURN_IF_ERROR(check_library(planned));
    runs_alone_ = true;
    GN_RETURN_IF_ERROR(slot.start(planned));
    return true;
  }

  /// A control that fails costs the noise floor, not the run.
  Result<bool> start_control(Slot& slot, std::size_t index) {
    if (num_running() > 0) return false;
    control_before_ = index;
    control_ = make_control_task(plan_[index], slot.settings().control_sample);
    const Status started = slot.start(control_);
    runs_alone_ = started.is_ok();
    if (!started.is_ok()) observer_.on_control(started);
    return true;
  }

  int timeout_ms() const {
    if (is_time_wanted() && owner_ == nullptr) return kPausePollMs;
    long long timeout = owner_ != nullptr ? -1 : observer_.poll_timeout_ms();
    for (const auto& slot : slots_) {
      const auto deadline = slot->is_free() ? std::nullopt : slot->run->deadline();
      if (!deadline) continue;
      const auto time = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      const auto left = std::clamp<long long>(time.count(), 0, kLongestWaitMs);
      timeout = timeout < 0 ? left : std::min(timeout, left);
    }
    return static_cast<int>(timeout);
  }

  /// Waits for something to happen and handles it.
  void wait() {
    polled_.assign(1, {interrupt_.fd(), POLLIN, 0});
    for (const auto& slot : slots_) {
      if (slot->is_free()) continue;
      polled_.resize(polled_.size() + WorkerRun::kNumPolled);
      slot->run->fill_polled(&polled_[polled_.size() - WorkerRun::kNumPolled]);
    }
    ::poll(polled_.data(), polled_.size(), timeout_ms());
    if (polled_.front().revents != 0) interrupt_.read();
    const pollfd* polled = &polled_[1];
    for (const auto& slot : slots_) {
      if (slot->is_free()) continue;
      slot->run->handle(polled);
      slot->run->obey(interrupt_.wish());
      slot->run->check_clock();
      polled += WorkerRun::kNumPolled;
    }
    if (owner_ == nullptr) observer_.on_tick();
  }

  Status take_ended() {
    for (const auto& slot : slots_) {
      if (slot->is_free() || !slot->run->has_ended()) continue;
      const WorkerEnd worker = slot->run->finish(children_but(*slot));
      slot->run.reset();
      runs_alone_ = false;  // if one did, this is it
      forget_ask(*slot);
      if (owner_ == slot.get()) resume_all();
      const bool is_control = slot->planned().task.control;
      GN_RETURN_IF_ERROR(is_control ? take_control(worker) : take_sample(*slot, worker));
    }
    return Status::ok();
  }

  Status take_control(const WorkerEnd& worker) {
    if (interrupt_.signal() != 0) return Status::ok();
    const Result<journal::Control> control = control_of(control_, worker);
    if (control.is_ok()) GN_RETURN_IF_ERROR(journal_.append(*control));
    observer_.on_control(control);
    return Status::ok();
  }

  Status take_sample(Slot& slot, const WorkerEnd& worker) {
    const PlannedTask& planned = slot.planned();
    if (worker.stop == WorkerEnd::Stop::kInterrupt && !worker.is_final) return Status::ok();
    if (slot.had_co_runners && was_crowded_out(worker)) {
      retries_.push_back(&planned);
      return Status::ok();
    }
    record::Record record = classify(planned, worker);
    if (slot.had_co_runners) note_co_runners(worker, record);
    if (never_began(worker) && !any_began_) return worker_does_not_start(slot.settings(), record);
    any_began_ = any_began_ || !never_began(worker);
    slot.announce();
    return keep(record);
  }

  void note_co_runners(const WorkerEnd& worker, record::Record& record) const {
    record.environment.jobs = static_cast<std::int64_t>(slots_.size());
    for (const auto& [phase, length] : worker.paused) {
      record.environment.held_ns[phase] = length.count();
    }
  }

  /// Children of this program that do not belong to the worker of a slot.
  std::vector<pid_t> children_but(const Slot& ended) const {
    std::vector<pid_t> children;
    for (const auto& slot : slots_) {
      if (!slot->is_free() && slot.get() != &ended) children.push_back(slot->run->pid());
      const auto& zygote = slot->settings().zygote;
      if (zygote != nullptr && zygote->pid() != 0) children.push_back(zygote->pid());
    }
    return children;
  }

  Status keep(const record::Record& record) {
    GN_RETURN_IF_ERROR(journal_.append(record));
    ++end_.num_done;
    budget_.note(record);
    is_unread_ = !observer_.on_record(record) || is_unread_;
    return Status::ok();
  }

  void note_asks() {
    for (const auto& slot : slots_) {
      const bool is_noted = std::find(asking_.begin(), asking_.end(), slot.get()) != asking_.end();
      if (slot->asks() && !is_noted) asking_.push_back(slot.get());
      if (!slot->asks() && is_noted) forget_ask(*slot);
    }
  }

  void forget_ask(const Slot& slot) {
    asking_.erase(std::remove(asking_.begin(), asking_.end(), &slot), asking_.end());
  }

  bool is_time_wanted() const {
    return owner_ != nullptr || std::any_of(asking_.begin(), asking_.end(),
                                            [](const Slot* slot) { return slot->asks_for_time(); });
  }

  void grant(Slot& slot) {
    forget_ask(slot);
    slot.run->grant();
  }

  void resume_all() {
    owner_ = nullptr;
    for (const auto& slot : slots_) {
      slot->is_quiet = false;
      if (!slot->is_free()) slot->run->resume();
    }
  }

  /// Pauses all but one; true once they are paused.
  bool pause_all_but(const Slot& one) {
    bool are_paused = true;
    for (const auto& slot : slots_) {
      if (slot->is_free() || slot.get() == &one) continue;
      slot->run->pause();
      are_paused = slot->run->is_paused() && are_paused;
    }
    return are_paused;
  }

  void grant_time() {
    if (owner_ != nullptr && (owner_->has_moved_on || owner_->asks())) resume_all();
    if (owner_ != nullptr) return;
    const auto first = std::find_if(asking_.begin(), asking_.end(),
                                    [](const Slot* slot) { return slot->asks_for_time(); });
    if (first == asking_.end()) {
      resume_all();  // whoever wanted it may be gone
      return;
    }
    Slot& slot = **first;
    if (!pause_all_but(slot)) return;
    owner_ = &slot;
    slot.has_moved_on = false;
    for (const auto& other : slots_) other->is_quiet = other.get() != &slot;
    grant(slot);
  }

  /// In turn: one that needs much is not passed by those that need little.
  void grant_memory() {
    if (is_time_wanted()) return;
    while (true) {
      const auto first = std::find_if(asking_.begin(), asking_.end(),
                                      [](const Slot* slot) { return slot->asks_for_memory(); });
      if (first == asking_.end()) return;
      Slot& slot = **first;
      const std::int64_t need =
          budget_.expected(slot.planned().sample.name, slot.run->ask()->num_bytes.value_or(0));
      std::vector<MemoryBudget::Holder> holders;
      for (const auto& other : slots_) {
        if (other->is_free() || other->need_bytes == 0) continue;
        holders.push_back({other->need_bytes, resident_bytes(other->run->pid())});
      }
      if (!MemoryBudget::fits(need, base::available_memory_bytes(), holders)) return;
      slot.need_bytes = std::max<std::int64_t>(1, need);
      grant(slot);
    }
  }

  const std::vector<PlannedTask>& plan_;
  Interrupt& interrupt_;
  journal::JournalFile& journal_;
  SweepObserver& observer_;
  PlannedTask control_;  // the control measurement that was made last
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<pollfd> polled_;                 // as wait() fills it
  std::vector<bool> has_begun_;                // each task of the plan
  std::size_t first_open_ = 0;                 // the first that has not
  std::optional<std::size_t> control_before_;  // the task before which one was made last
  std::deque<const PlannedTask*> retries_;     // to be run again alone
  bool runs_alone_ = false;                    // the worker that runs must not get co-runners
  std::vector<Slot*> asking_;                  // longest first
  Slot* owner_ = nullptr;                      // takes times
  MemoryBudget budget_;
  bool any_began_ = false;
  bool is_unread_ = false;  // nobody reads the results any more
  SweepEnd end_;
};

}  // namespace

Result<SweepEnd> run_sweep(const std::vector<PlannedTask>& plan,
                           const std::vector<WorkerSettings>& slots, Interrupt& interrupt,
                           journal::JournalFile& journal, SweepObserver& observer) {
  return Sweep(plan, slots, interrupt, journal, observer).run();
}

}  // namespace graphnet::supervise
