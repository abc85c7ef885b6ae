// SPDX-License-Identifier: MIT
#include "supervise/packed_sweep.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "base/memory.h"
#include "supervise/memory_budget.h"
#include "supervise/task_run.h"
#include "supervise/worker_run.h"

namespace graphnet::supervise {

using base::Result;
using base::Status;
using Clock = WorkerRun::Clock;

namespace {

// Between two looks whether what was told to stand still does: it takes microseconds.
constexpr int kStandingStillMs = 1;

constexpr int kLongestWaitMs = 60000;

/// Where one worker at a time runs.
class Place : public WorkerObserver {
 public:
  Place(const WorkerSettings& settings, SweepObserver& observer)
      : settings_(settings), observer_(observer) {}

  Status start(const PlannedTask& planned) {
    planned_ = &planned;
    need_bytes = 0;
    has_company = false;
    observer_.on_begin(planned);
    GN_ASSIGN_OR_RETURN(run, WorkerRun::start(planned, settings_, *this));
    return Status::ok();
  }

  void on_phase(record::Phase phase) override {
    has_moved_on = has_moved_on || !record::facts_of(phase).takes_times;
    if (is_quiet) return;
    observer_.on_turn(*planned_);
    observer_.on_phase(phase);
  }

  void on_finishing() override {
    observer_.on_turn(*planned_);
    observer_.on_finishing();
  }

  const PlannedTask& planned() const { return *planned_; }
  const WorkerSettings& settings() const { return settings_; }
  bool asks_for_time() const {
    return asks() && record::facts_of(run->ask()->phase.value()).takes_times;
  }
  bool asks_for_memory() const {
    return asks() && !record::facts_of(run->ask()->phase.value()).takes_times;
  }

  std::unique_ptr<WorkerRun> run;  ///< null: free
  std::int64_t need_bytes = 0;     ///< of memory, once it was let in
  bool has_company = false;        ///< others ran meanwhile
  bool has_moved_on = false;       ///< since it was given time, to a phase that takes none
  bool is_quiet = false;           ///< another takes times: nothing is drawn

 private:
  bool asks() const { return run != nullptr && run->ask() != nullptr; }

  const WorkerSettings& settings_;
  SweepObserver& observer_;
  const PlannedTask* planned_ = nullptr;
};

class PackedSweep {
 public:
  PackedSweep(const std::vector<PlannedTask>& plan, const std::vector<WorkerSettings>& settings,
              Interrupt& interrupt, journal::JournalFile& journal, SweepObserver& observer)
      : plan_(plan), interrupt_(interrupt), journal_(journal), observer_(observer) {
    for (const WorkerSettings& place : settings) {
      places_.push_back(std::make_unique<Place>(place, observer));
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
      give_time();
      give_memory();
    }
    end_.num_left = plan_.size() - end_.num_done;
    end_.signal = interrupt_.signal();
    return end_;
  }

 private:
  std::size_t num_running() const {
    return static_cast<std::size_t>(std::count_if(
        places_.begin(), places_.end(), [](const auto& place) { return place->run != nullptr; }));
  }

  Status start_more() {
    bool goes_on = true;
    while (goes_on) {
      GN_ASSIGN_OR_RETURN(goes_on, start_one());
    }
    return Status::ok();
  }

  /// Does the next thing that may be done now; false if there is none.
  Result<bool> start_one() {
    if (num_running() == 0) interrupt_.read();  // else wait() does, and tells the workers
    if (interrupt_.signal() != 0 || is_unread_ || is_time_wanted()) return false;
    if (!alone_.empty()) return num_running() == 0 ? run_alone() : Result<bool>(false);
    if (next_ == plan_.size()) return false;
    const PlannedTask& planned = plan_[next_];
    const WorkerSettings& first = places_.front()->settings();
    if (!is_control_made_ && is_control_due(next_, planned, first)) {
      if (num_running() > 0) return false;
      GN_RETURN_IF_ERROR(measure_control(planned, first, interrupt_, journal_, observer_));
      is_control_made_ = true;
      return true;
    }
    const auto free = std::find_if(places_.begin(), places_.end(),
                                   [](const auto& place) { return place->run == nullptr; });
    if (free == places_.end()) return false;
    ++next_;
    is_control_made_ = false;
    if (!planned.refusal.is_ok()) {
      GN_ASSIGN_OR_RETURN(TaskEnd refused, run_task(planned, first, interrupt_, observer_));
      GN_RETURN_IF_ERROR(keep(planned, std::move(refused)));
      return true;
    }
    GN_RETURN_IF_ERROR(check_library(planned));
    GN_RETURN_IF_ERROR((*free)->start(planned));
    if (num_running() > 1) {
      for (const auto& place : places_) place->has_company = true;
    }
    return true;
  }

  Result<bool> run_alone() {
    const PlannedTask& planned = *alone_.front();
    alone_.pop_front();
    GN_ASSIGN_OR_RETURN(TaskEnd task,
                        run_task(planned, places_.front()->settings(), interrupt_, observer_));
    GN_RETURN_IF_ERROR(keep(planned, std::move(task)));
    return true;
  }

  int timeout_ms() const {
    if (is_time_wanted() && owner_ == nullptr) return kStandingStillMs;
    const int wanted = owner_ != nullptr ? -1 : observer_.poll_timeout_ms();
    long long timeout = wanted < 0 ? kLongestWaitMs : wanted;
    for (const auto& place : places_) {
      const auto deadline = place->run != nullptr ? place->run->deadline() : std::nullopt;
      if (!deadline) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      timeout = std::clamp<long long>(left.count(), 0, timeout);
    }
    return static_cast<int>(timeout);
  }

  /// Waits for something to happen and handles it.
  void wait() {
    std::vector<pollfd> polled = {{interrupt_.fd(), POLLIN, 0}};
    std::vector<Place*> running;
    for (const auto& place : places_) {
      if (place->run == nullptr) continue;
      running.push_back(place.get());
      polled.resize(polled.size() + WorkerRun::kNumPolled);
      place->run->fill_polled(&polled[polled.size() - WorkerRun::kNumPolled]);
    }
    ::poll(polled.data(), polled.size(), timeout_ms());
    if (polled.front().revents != 0) interrupt_.read();
    for (std::size_t i = 0; i < running.size(); ++i) {
      WorkerRun& run = *running[i]->run;
      run.handle(&polled[1 + i * WorkerRun::kNumPolled]);
      run.obey(interrupt_.wish());
      run.check_clock();
    }
    if (owner_ == nullptr) observer_.on_tick();
  }

  Status take_ended() {
    for (const auto& place : places_) {
      if (place->run == nullptr || !place->run->has_ended()) continue;
      const WorkerEnd worker = place->run->finish(children_but(*place));
      place->run.reset();
      asking_.erase(std::remove(asking_.begin(), asking_.end(), place.get()), asking_.end());
      if (owner_ == place.get()) take_time_back();
      TaskEnd task = end_of(place->planned(), worker);
      if (task.record && place->has_company) note_company(worker, *task.record);
      if (place->has_company && was_crowded_out(worker)) {
        alone_.push_back(&place->planned());
        continue;
      }
      GN_RETURN_IF_ERROR(keep(place->planned(), std::move(task)));
    }
    return Status::ok();
  }

  void note_company(const WorkerEnd& worker, record::Record& record) const {
    record.environment.jobs = static_cast<std::int64_t>(places_.size());
    for (const auto& [place, length] : worker.held) {
      record.environment.held_ns[place] = length.count();
    }
  }

  /// True if it may live when it has the machine to itself.
  static bool was_crowded_out(const WorkerEnd& worker) {
    const bool is_known_cause =
        worker.oom_kill == OomKill::kNone || worker.oom_kill == OomKill::kAtLimit;
    return worker.stop == WorkerEnd::Stop::kNone && worker.exit.signal == SIGKILL &&
           !worker.is_final && !is_known_cause;
  }

  std::vector<pid_t> children_but(const Place& ended) const {
    std::vector<pid_t> children;
    for (const auto& place : places_) {
      if (place->run != nullptr && place.get() != &ended) children.push_back(place->run->pid());
      const auto& zygote = place->settings().zygote;
      if (zygote != nullptr && zygote->pid() != 0) children.push_back(zygote->pid());
    }
    return children;
  }

  Status keep(const PlannedTask& planned, TaskEnd task) {
    if (!task.record) return Status::ok();
    any_began_ = any_began_ || task.did_begin;
    if (task.did_not_start && !any_began_) {
      return worker_does_not_start(places_.front()->settings(), *task.record);
    }
    GN_RETURN_IF_ERROR(journal_.append(*task.record));
    ++end_.num_done;
    budget_.note(*task.record);
    observer_.on_turn(planned);
    is_unread_ = !observer_.on_record(*task.record) || is_unread_;
    return Status::ok();
  }

  void note_asks() {
    for (const auto& place : places_) {
      const bool asks = place->run != nullptr && place->run->ask() != nullptr;
      const bool is_noted = std::find(asking_.begin(), asking_.end(), place.get()) != asking_.end();
      if (asks && !is_noted) asking_.push_back(place.get());
      if (!asks && is_noted) {
        asking_.erase(std::remove(asking_.begin(), asking_.end(), place.get()), asking_.end());
      }
    }
  }

  bool is_time_wanted() const {
    return owner_ != nullptr || std::any_of(asking_.begin(), asking_.end(), [](const Place* place) {
             return place->asks_for_time();
           });
  }

  void grant(Place& place) {
    asking_.erase(std::remove(asking_.begin(), asking_.end(), &place), asking_.end());
    place.run->grant();
  }

  void take_time_back() {
    owner_ = nullptr;
    for (const auto& place : places_) {
      place->is_quiet = false;
      if (place->run != nullptr) place->run->resume();
    }
  }

  /// Holds all but one; true once they stand still.
  bool hold_all_but(const Place& one) {
    bool is_still = true;
    for (const auto& place : places_) {
      if (place->run == nullptr || place.get() == &one) continue;
      place->run->hold();
      is_still = is_still && place->run->is_held() && place->run->stands_still();
    }
    return is_still;
  }

  void give_time() {
    if (owner_ != nullptr && (owner_->has_moved_on || owner_->run->ask() != nullptr)) {
      take_time_back();
    }
    if (owner_ != nullptr) return;
    const auto first = std::find_if(asking_.begin(), asking_.end(),
                                    [](const Place* place) { return place->asks_for_time(); });
    if (first == asking_.end()) {
      take_time_back();  // whoever wanted it may be gone
      return;
    }
    Place& place = **first;
    if (!hold_all_but(place)) return;
    owner_ = &place;
    place.has_moved_on = false;
    for (const auto& other : places_) other->is_quiet = other.get() != &place;
    grant(place);
  }

  /// In turn: one that needs much is not passed by those that need little.
  void give_memory() {
    if (is_time_wanted()) return;
    while (true) {
      const auto first = std::find_if(asking_.begin(), asking_.end(),
                                      [](const Place* place) { return place->asks_for_memory(); });
      if (first == asking_.end()) return;
      Place& place = **first;
      const std::int64_t need =
          budget_.expected(place.planned().sample.name, place.run->ask()->num_bytes.value_or(0));
      std::vector<MemoryBudget::Holder> holders;
      for (const auto& other : places_) {
        if (other->run == nullptr || other->need_bytes == 0) continue;
        holders.push_back({other->need_bytes, resident_bytes(other->run->pid())});
      }
      if (!MemoryBudget::fits(need, base::available_memory_bytes(), holders)) return;
      place.need_bytes = std::max<std::int64_t>(1, need);
      grant(place);
    }
  }

  const std::vector<PlannedTask>& plan_;
  Interrupt& interrupt_;
  journal::JournalFile& journal_;
  SweepObserver& observer_;
  std::vector<std::unique_ptr<Place>> places_;
  std::size_t next_ = 0;                  // of the plan
  bool is_control_made_ = false;          // before that one
  std::deque<const PlannedTask*> alone_;  // to be run again without company
  std::vector<Place*> asking_;            // longest first
  Place* owner_ = nullptr;                // takes times
  MemoryBudget budget_;
  bool any_began_ = false;
  bool is_unread_ = false;  // nobody reads the results any more
  SweepEnd end_;
};

}  // namespace

Result<SweepEnd> run_packed_sweep(const std::vector<PlannedTask>& plan,
                                  const std::vector<WorkerSettings>& places, Interrupt& interrupt,
                                  journal::JournalFile& journal, SweepObserver& observer) {
  return PackedSweep(plan, places, interrupt, journal, observer).run();
}

}  // namespace graphnet::supervise
