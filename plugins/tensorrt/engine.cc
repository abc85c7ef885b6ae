// SPDX-License-Identifier: MIT
#include "tensorrt/engine.h"

#include <atomic>
#include <utility>

#include "graphnet/failure.h"

namespace graphnet::tensorrt {

namespace {

/// source   IProgressMonitor of 10, 11 and RTX: behind the functions of IVersionedInterface
class ProgressMonitor {
 public:
  explicit ProgressMonitor(const std::function<bool()>& cancelled) : cancelled_(cancelled) {}
  virtual std::int32_t language() const noexcept { return 0; }
  virtual nv::InterfaceInfo info() const noexcept { return {"IProgressMonitor", 1, 0}; }
  virtual ~ProgressMonitor() = default;
  virtual void phase_start(const char*, const char*, std::int32_t) noexcept {}
  virtual bool step_complete(const char*, std::int32_t) noexcept {
    if (cancelled_ && cancelled_()) was_cancelled_ = true;
    return !was_cancelled_;
  }
  virtual void phase_finish(const char*) noexcept {}

  bool was_cancelled() const { return was_cancelled_; }

 private:
  const std::function<bool()>& cancelled_;
  std::atomic<bool> was_cancelled_{false};
};

class Config {
 public:
  Config(const Library& library, void* builder)
      : library_(library),
        object_(library.make(GN_STATUS_COMPILE_FAILED, "makes no builder configuration",
                             Slot::kBuilderCreateConfig, builder)) {}

  void* object() const { return object_.get(); }
  template <typename Result = void, typename... Arguments>
  Result call(Slot slot, Arguments... arguments) const {
    return library_.call<Result>(slot, object_.get(), arguments...);
  }
  void set_flag(std::int32_t flag, bool is_set) const {
    call(is_set ? Slot::kConfigSetFlag : Slot::kConfigClearFlag, flag);
  }

 private:
  const Library& library_;
  Object object_;
};

void apply(const Config& config, Flavour flavour, const BuildSettings& settings) {
  const FlavourFacts& facts = facts_of(flavour);
  config.set_flag(facts.refit_flag, settings.is_refittable);
  config.set_flag(facts.tf32_flag, settings.allows_tf32);
  config.set_flag(facts.strict_nans_flag, settings.strict_nans);
  config.call(Slot::kConfigSetVerbosity, nv::Verbosity::kDetailed);
  if (flavour == Flavour::kRtx) return;
  config.call(Slot::kConfigSetLevel, settings.level);
  config.call(Slot::kConfigSetMaxAuxStreams, settings.max_aux_streams);
  if (settings.workspace_bytes > 0) {
    config.call(Slot::kConfigSetMemoryPoolLimit, nv::MemoryPool::kWorkspace,
                static_cast<std::size_t>(settings.workspace_bytes));
  }
}

void aim(const Config& config, std::int32_t capability) {
  constexpr std::int32_t kCurrent = 1;
  const bool is_set = config.call<bool>(Slot::kConfigSetNumCapabilities, std::int32_t{1}) &&
                      config.call<bool>(Slot::kConfigSetCapability,
                                        capability == 0 ? kCurrent : capability, std::int32_t{0});
  if (is_set) return;
  // It would build for nothing, and end with an error that says nothing.
  throw Failure(GN_STATUS_COMPILE_FAILED, "TensorRT-RTX does not build for compute capability " +
                                              std::to_string(capability) + ": " +
                                              process_log().take_reason());
}

std::string bytes_of(const Library& library, void* memory) {
  const auto* const data = library.call<const char*>(Slot::kHostMemoryData, memory);
  return {data, library.call<std::size_t>(Slot::kHostMemorySize, memory)};
}

bool attach(const Config& config, const Object& cache) {
  return config.call<bool>(Slot::kConfigSetTimingCache, cache.get(), false);
}

/// What was kept, or an empty one where that is damaged, of another version or of another device:
/// all is timed anew. RTX times nothing.
Object attach_timing_cache(const Library& library, const Config& config,
                           const BuildSettings& settings) {
  if (library.flavour() == Flavour::kRtx) return nullptr;
  const std::string& bytes = settings.timing_cache;
  Object kept = library.make_if_can(Slot::kConfigCreateTimingCache, config.object(),
                                    static_cast<const void*>(bytes.data()), bytes.size());
  if (kept && attach(config, kept)) return kept;
  constexpr const void* kNothing = nullptr;
  Object empty =
      library.make(GN_STATUS_COMPILE_FAILED, "makes no timing cache",
                   Slot::kConfigCreateTimingCache, config.object(), kNothing, std::size_t{0});
  attach(config, empty);
  return empty;
}

}  // namespace

std::string text_of(const BuildSettings& settings) {
  return "tf32=" + std::to_string(settings.allows_tf32) +
         " strict_nans=" + std::to_string(settings.strict_nans) +
         " refit_check=" + std::to_string(settings.checks_refit) +
         " level=" + std::to_string(settings.level) +
         " max_aux_streams=" + std::to_string(settings.max_aux_streams) +
         " workspace_bytes=" + std::to_string(settings.workspace_bytes) +
         " compute_capability=" + std::to_string(settings.compute_capability);
}

Plan build_plan(const Library& library, void* builder, const LibraryNetwork& network,
                const BuildSettings& settings) {
  ProgressMonitor monitor(settings.cancelled);
  const Config config(library, builder);
  apply(config, library.flavour(), settings);
  if (library.flavour() == Flavour::kRtx) aim(config, settings.compute_capability);
  config.call(Slot::kConfigSetProgressMonitor, static_cast<void*>(&monitor));
  library.call<bool>(Slot::kBuilderSetMaxThreads, builder, settings.num_threads);
  const Object cache = attach_timing_cache(library, config, settings);
  process_log().clear();
  const Object memory =
      library.make(GN_STATUS_COMPILE_FAILED, "builds no engine", Slot::kBuilderBuild, builder,
                   network.object(), config.object());
  Plan plan;
  plan.bytes = bytes_of(library, memory.get());
  if (cache) {
    const Object bytes = library.make(GN_STATUS_COMPILE_FAILED, "writes no timing cache",
                                      Slot::kTimingCacheSerialize, cache.get());
    plan.timing_cache = bytes_of(library, bytes.get());
  }
  return plan;
}

}  // namespace graphnet::tensorrt
