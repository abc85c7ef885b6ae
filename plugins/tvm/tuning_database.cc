// SPDX-License-Identifier: MIT
#include "tvm_plugin/tuning_database.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "artifact/file_digest.h"
#include "graphnet/failure.h"
#include "tvm_plugin/tvm_library.h"

namespace graphnet::tvm {

namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkloads = "workloads.json";
constexpr const char* kRecords = "records.json";
constexpr std::size_t kDigits = 16;
constexpr std::int64_t kAll = 1 << 20;

std::string call_name(const char* name) {
  return std::string("s_tir.meta_schedule.Database") + name;
}

Ref json_database(const fs::path& folder) {
  return make(call_name("JSONDatabase"), String((folder / kWorkloads).string()),
              String((folder / kRecords).string()), true, String("structural"));
}

}  // namespace

TuningDatabase::TuningDatabase(const std::string& folder, const Target& target,
                               const std::function<void(const std::string&)>& warn)
    : target_(target.target) {
  if (folder.empty()) {
    handle_ = make(call_name("MemoryDatabase"), String("structural"));
    return;
  }
  const std::string key =
      artifact::sha256_hex(TvmLibrary::identity() + "\n" + artifact::processor_digest() + "\n" +
                           target.mcpu + "\n" + std::to_string(target.threads));
  const fs::path own = fs::path(folder) / key.substr(0, kDigits);
  std::error_code error;
  fs::create_directories(own, error);
  lock_ = ::open((own / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) {
    throw Failure(GN_STATUS_UNAVAILABLE, "option 'tune_database': cannot write to '" +
                                             own.string() + "': " + std::strerror(errno));
  }
  while (::flock(lock_, LOCK_EX) != 0 && errno == EINTR) {
  }
  handle_ = this->open(own.string(), warn);
}

TuningDatabase::~TuningDatabase() {
  handle_ = Ref();
  if (lock_ >= 0) ::close(lock_);
}

// A process that was killed while it wrote leaves half a line, which TVM does not read.
Ref TuningDatabase::open(const std::string& folder,
                         const std::function<void(const std::string&)>& warn) const {
  try {
    return json_database(folder);
  } catch (const ffi::Error& failure) {
    warn("the tuning database '" + folder +
         "' cannot be read and is put aside: " + std::string(failure.message()).substr(0, 200));
    std::error_code ignored;
    for (const char* name : {kWorkloads, kRecords}) {
      fs::rename(fs::path(folder) / name, fs::path(folder) / (std::string(name) + ".damaged"),
                 ignored);
    }
    return json_database(folder);
  }
}

Ref TuningDatabase::workload(const Ref& module) const {
  return make(call_name("CommitWorkload"), handle_, module);
}

std::int64_t TuningDatabase::num_records(const Ref& workload) const {
  const auto records = call(call_name("GetTopK"), handle_, workload, kAll).cast<Array<Ref>>();
  return static_cast<std::int64_t>(records.size());
}

std::optional<double> TuningDatabase::best(const Ref& workload) const {
  const auto records =
      call(call_name("GetTopK"), handle_, workload, std::int64_t{1}).cast<Array<Ref>>();
  if (records.empty()) return std::nullopt;
  const auto seconds = field(records[0], "run_secs").cast<Array<Ref>>();
  return field(seconds[0], "value").cast<double>();
}

void TuningDatabase::add(const Ref& schedule, const Ref& workload, double seconds,
                         const Ref& args_info) const {
  const Array<Ref> times = {make("ir.FloatImm", DLDataType{kDLFloat, 64, 1}, seconds, nullptr)};
  const Ref trace = make("s_tir.schedule.ScheduleGetTrace", schedule);
  call(call_name("CommitTuningRecord"), handle_,
       make("s_tir.meta_schedule.TuningRecord", trace, workload, times, target_, args_info));
}

Ref TuningDatabase::apply_best(const Ref& module) const {
  const Any found = call(call_name("QueryIRModule"), handle_, module, target_, String("main"));
  return found == nullptr ? Ref() : found.cast<Ref>();
}

}  // namespace graphnet::tvm
