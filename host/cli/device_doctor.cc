// SPDX-License-Identifier: MIT
#include "cli/device_doctor.h"

#include <array>
#include <cstdio>
#include <iostream>
#include <utility>

#include "base/device_name.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/version_text.h"
#include "report/terminal_text.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int kLabelWidth = 12;

std::string text_of(const Json& object, const char* key) {
  const auto value = object.find(key);
  if (value == object.end() || value->is_null()) return "unknown";
  return report::printable(base::text_of(*value));
}

bool has(const Json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && !value->is_null();
}

/// The text form of worker/device_report.h: rows "  what      value".
class DeviceText {
 public:
  DeviceText(std::string device, const Json& found, bool color)
      : device_(std::move(device)), found_(found), color_(color) {}

  std::string take() {
    text_ = "graphnet " + version_number() + " · device " + device_ + "\n";
    add_driver();
    row("libtorch",
        "CUDA part " + state(text_of(found_, "cuda_part") == "ok") +
            (text_of(found_, "cuda_part") == "ok" ? "" : ": " + text_of(found_, "cuda_part")));
    if (has(found_, "device")) add_device(found_["device"]);
    add_libraries();
    add_threads();
    text_ +=
        has(found_, "problem")
            ? "not usable: " + text_of(found_, "problem") + "\n"
            : as_typed("usable: graphnet run --config nope.yaml --set device=" + device_ + "\n");
    return std::move(text_);
  }

 private:
  void row(const std::string& what, const std::string& value) {
    text_ += "  " + report::pad_right(what, kLabelWidth) + value + "\n";
  }

  std::string state(bool is_good) const {
    return report::coloured(is_good ? "ok" : "missing",
                            is_good ? report::Colour::kOk : report::Colour::kFailed, color_);
  }

  void add_driver() {
    const Json& driver = found_["driver"];
    const std::string reason = has(driver, "reason") ? ": " + text_of(driver, "reason") : "";
    row("driver", text_of(driver, "state") + reason);
    if (driver.value("version", 0) > 0) {
      const int version = driver["version"].get<int>();
      row("", "knows CUDA up to " + std::to_string(version / 1000) + "." +
                  std::to_string(version % 1000 / 10) + ", shows " + text_of(driver, "devices") +
                  " devices");
    }
  }

  void add_device(const Json& device) {
    if (has(device, "problem")) return row("device", text_of(device, "problem"));
    row("device", text_of(device, "name") + ", compute capability " +
                      text_of(device, "compute_capability") + ", " + text_of(device, "processors") +
                      " processors, self-test " + text_of(device, "self_test"));
    if (!has(device, "cupti")) return;
    const Json& cupti = device["cupti"];
    row("tracing", "by CUPTI: " + text_of(cupti, "state") +
                       (has(cupti, "reason") ? ": " + text_of(cupti, "reason") : ""));
    if (has(device, "tracing")) add_tracing(device["tracing"]);
  }

  /// proof/tracing_self_test.h
  void add_tracing(const Json& tracing) {
    for (const Json& way : tracing.value("ways", Json::array())) {
      row("", report::pad_right(text_of(way, "way"), kNameWidth) + text_of(way, "seen") + " of " +
                  text_of(way, "asked") + " seen, " + text_of(way, "attributed") + " attributed" +
                  (has(way, "problem") ? ": " + text_of(way, "problem") : ""));
    }
    if (has(tracing, "clock")) row("", "clock " + text_of(tracing, "clock"));
    for (const Json& refusal : tracing.value("refusals", Json::array())) {
      row("", "refused: " + report::printable(base::dump_json(refusal)));
    }
  }

  void add_libraries() {
    std::string what = "libraries";
    for (const Json& library : found_.value("libraries", Json::array())) {
      std::string version = has(library, "version") ? text_of(library, "version") : "";
      if (has(library, "release")) version += " (" + text_of(library, "release") + ")";
      row(what, report::pad_right(text_of(library, "name"), kLibraryWidth) + " " +
                    report::pad_right(version, kVersionWidth) + " " + text_of(library, "file"));
      what.clear();
    }
    if (!what.empty()) row(what, "no CUDA library is loaded");
    const Json tools = found_.value("tools", Json::object());
    for (const char* tool : {"ptxas", "libdevice"}) {
      row(tool, has(tools, tool) ? text_of(tools, tool) : "not found");
    }
  }

  void add_threads() {
    const Json threads = found_.value("threads", Json::array());
    std::size_t num_blocking = 0;
    std::string rows;
    for (const Json& thread : threads) {
      if (!has(thread, "blocked"))
        return row("threads", "the kernel does not show their signal masks");
      if (thread["blocked"].empty()) continue;
      ++num_blocking;
      std::vector<std::string> names;
      // All but a few is how libraries keep handlers away from threads of theirs.
      for (const Json& name : thread["blocked"]) names.push_back(name.get<std::string>());
      const bool blocks_faults = base::join(names, " ").find("SIGSEGV") != std::string::npos;
      rows += "  " + report::pad_right("", kLabelWidth) + "'" + text_of(thread, "name") + "' (" +
              text_of(thread, "id") + ") blocks " + std::to_string(names.size()) + " signals" +
              (blocks_faults ? ", SIGSEGV among them" : ", not SIGSEGV") + "\n";
    }
    row("threads", std::to_string(threads.size()) + ", of which " + std::to_string(num_blocking) +
                       " block signals");
    text_ += rows;
  }

  static constexpr int kNameWidth = 22;
  static constexpr int kLibraryWidth = 33;
  static constexpr int kVersionWidth = 20;
  std::string device_;
  const Json& found_;
  bool color_;
  std::string text_;
};

}  // namespace

Result<int> diagnose_device(const Context& context, const std::string& name) {
  const auto device = base::parse_device_name(name.empty() ? "cuda:0" : name);
  if (!device.is_ok() || !device->is_cuda) {
    return Status(Code::kUsage, "--device takes the name of a CUDA device, got '" + name + "'")
        .add_hint("graphnet doctor --device cuda:0");
  }
  GN_ASSIGN_OR_RETURN(const auto worker, context.installation.worker_executable());
  GN_ASSIGN_OR_RETURN(const Json found, supervise::ask_worker({worker}, "report_device",
                                                              {{"device", device->text()}}));
  const bool is_usable = !has(found, "problem");
  if (context.flags.json) {
    Json object = {{"schema", "graphnet.doctor-device/1"},
                   {"graphnet", version_number()},
                   {"name", device->text()},
                   {"usable", is_usable}};
    object.update(found);
    std::cout << base::dump_json(object) << '\n';
  } else {
    std::cout << DeviceText(device->text(), found, context.out.color).take();
  }
  return is_usable ? kExitDone : kExitEnvironment;
}

}  // namespace graphnet::cli
