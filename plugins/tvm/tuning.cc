// SPDX-License-Identifier: MIT
#include "tvm_plugin/tuning.h"

#include <algorithm>
#include <memory>
#include <random>

#include "graphnet/failure.h"
#include "tvm_plugin/clock.h"
#include "tvm_plugin/schedule.h"
#include "tvm_plugin/tuning_database.h"

namespace graphnet::tvm {

namespace {

constexpr int kBatch = 8;  // candidates between two decisions which kernel is next
// Of the evolutionary search, as in the probe: small, since without a model of costs a large
// population is drawn for nothing.
constexpr int kPopulation = 64;
// A kernel below this share of all is left as it is.
constexpr double kWorthTuning = 0.01;

std::string meta(const char* name) {
  return std::string("s_tir.meta_schedule.") + name;
}

ffi::Function silence() {
  return ffi::Function::FromPacked([](const ffi::AnyView*, int, Any*) {});
}

/// MetaSchedule wants to be told which candidates may be good; it is told random numbers.
Ref random_costs() {
  auto random = std::make_shared<std::minstd_rand>(7);
  const auto predict =
      ffi::Function::FromPacked([random](const ffi::AnyView* arguments, int, Any*) {
        const auto candidates = arguments[1].cast<Array<Ref>>();
        auto* const scores = static_cast<double*>(arguments[2].cast<void*>());
        for (std::size_t i = 0; i < candidates.size(); ++i) {
          scores[i] = static_cast<double>((*random)() % 1000) / 1000;
        }
      });
  return make(meta("CostModelPyCostModel"), silence(), silence(), silence(), predict);
}

/// The search for one kernel; begun when its first candidates are wanted.
class Search {
 public:
  Search(const TuningTask& task, const TuningSettings& settings, const TuningDatabase& database)
      : task_(task),
        settings_(settings),
        database_(database),
        workload_(database.workload(task.module)),
        args_info_(make(meta("ArgInfoFromEntryFunc"), task.module, true)),
        trials_(database.num_records(workload_)) {}

  /// Seconds of the fastest known; measures the rule's schedule if nothing is known.
  double best() {
    const std::optional<double> known = database_.best(workload_);
    if (known || is_exhausted_) return known.value_or(0);
    // If not even this can be built, nothing will.
    is_exhausted_ = !measure(task_.rule_schedule);
    timer_.reset();  // tensors of one kernel at a time: of all together they may not fit
    return database_.best(workload_).value_or(0);
  }
  bool is_done() const { return is_exhausted_ || trials_ >= settings_.trials; }
  std::int64_t trials() const { return trials_; }

  /// Measures the next candidates, until `deadline` at most.
  void step(double deadline, TuningReport& report) {
    if (!strategy_.defined()) begin();
    const Any given = call(meta("SearchStrategyGenerateMeasureCandidates"), strategy_);
    if (given == nullptr) {
      is_exhausted_ = true;
      return;
    }
    const auto candidates = given.cast<Array<Ref>>();
    Array<Ref> results;
    for (const Ref& candidate : candidates) {
      if (seconds_now() > deadline || settings_.is_cancelled()) return;
      const Ref schedule = field(candidate, "sch").cast<Ref>();
      ++report.trials;
      const bool is_measured = measure(schedule);
      if (!is_measured) ++report.failures;
      const double seconds = is_measured ? last_ : kFailed;
      const Array<Ref> times = {make("ir.FloatImm", DLDataType{kDLFloat, 64, 1}, seconds, nullptr)};
      results.push_back(make(meta("RunnerResult"), times, nullptr));
    }
    timer_.reset();
    call(meta("SearchStrategyNotifyRunnerResults"), strategy_, candidates, results);
  }

 private:
  static constexpr double kFailed = 1e9;

  void begin() {
    const Ref rules = make(meta("ScheduleRuleDefaultLLVM"));
    const Ref space = make(meta("SpaceGeneratorPostOrderApply"), nullptr, rules,
                           make(meta("PostprocDefaultLLVM")), make(meta("MutatorDefaultLLVM")));
    strategy_ =
        make(meta("SearchStrategyEvolutionarySearch"), kPopulation, 0.2, 20, 5, 2, 0.5, 10, 0.05);
    context_ = make(meta("TuneContext"), task_.module, settings_.target.target, space, strategy_,
                    String(task_.name), 1, 42 + static_cast<int>(trials_), silence());
    call(meta("TuneContextInitialize"), context_);
    const auto spaces =
        call(meta("SpaceGeneratorGenerateDesignSpace"), space, task_.module).cast<Array<Ref>>();
    costs_ = random_costs();
    call(meta("SearchStrategyPreTuning"), strategy_, static_cast<int>(settings_.trials) + kBatch,
         kBatch, spaces, database_.handle(), costs_);
  }

  bool measure(const Ref& schedule) {
    ++trials_;
    try {
      if (!timer_) timer_ = std::make_unique<KernelTimer>(task_.buffers);
      last_ = timer_->seconds_of(module_with(schedule), settings_.target);
      database_.add(schedule, workload_, last_, args_info_);
      return true;
    } catch (const ffi::Error&) {
      return false;
    }
  }

  const TuningTask& task_;
  const TuningSettings& settings_;
  const TuningDatabase& database_;
  Ref workload_;
  Ref args_info_;
  std::int64_t trials_;
  std::unique_ptr<KernelTimer> timer_;
  Ref strategy_;
  Ref context_;
  Ref costs_;
  double last_ = 0;
  bool is_exhausted_ = false;
};

/// The kernel that may save most: what it costs in a call, less the more often it was tried.
Search* next_of(const std::vector<TuningTask>& tasks,
                const std::vector<std::unique_ptr<Search>>& searches) {
  std::vector<double> costs;
  double total = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    costs.push_back(searches[i]->best() * static_cast<double>(tasks[i].calls));
    total += costs.back();
  }
  Search* next = nullptr;
  double most = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (searches[i]->is_done() || costs[i] < kWorthTuning * total) continue;
    const double score = costs[i] / static_cast<double>(kBatch + searches[i]->trials());
    if (score > most) {
      most = score;
      next = searches[i].get();
    }
  }
  return next;
}

}  // namespace

TuningReport tune(const std::vector<TuningTask>& tasks, const TuningSettings& settings) {
  TuningReport report;
  const double start = seconds_now();
  const double deadline = start + settings.seconds;
  const TuningDatabase database(settings.database, settings.target, settings.warn);
  std::vector<std::unique_ptr<Search>> searches;
  for (const TuningTask& task : tasks) {
    searches.push_back(std::make_unique<Search>(task, settings, database));
  }
  while (seconds_now() < deadline && !settings.is_cancelled()) {
    Search* const next = next_of(tasks, searches);
    if (next == nullptr) break;
    next->step(deadline, report);
  }
  if (settings.is_cancelled()) throw Failure(GN_STATUS_COMPILE_FAILED, "cancelled while tuning");
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Ref best = database.apply_best(tasks[i].module);
    report.functions.push_back(best.defined() ? function_of(with_prefetching(best)) : Ref());
    report.known += database.num_records(database.workload(tasks[i].module));
  }
  report.seconds = seconds_now() - start;
  return report;
}

}  // namespace graphnet::tvm
