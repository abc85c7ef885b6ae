// SPDX-License-Identifier: MIT
//
// A gn-disc-run without BladeDISC: result i is argument i. What it does wrong stands in DISC_ECHO.
// C++14, as gn_disc_run.cc is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stdexcept>

#include "bladedisc/runner_engine.h"

namespace gn_disc {

namespace {

bool does(const char* what) {
  const char* const said = getenv("DISC_ECHO");
  return said != nullptr && strcmp(said, what) == 0;
}

class Echo : public Engine {
 public:
  std::string describe() override {
    if (does("die in HELLO")) _exit(9);
    if (does("print")) printf("a library prints\n");
    return "engine: echo, a fake\n";
  }

  std::string load(const gn_disc_load& load, const std::vector<gn_disc_tensor>& tensors,
                   const std::string& library, const std::string& metadata) override {
    if (does("die in LOAD")) abort();
    if (does("hang in LOAD")) pause();
    if (library.empty() || metadata.empty()) throw std::runtime_error("no library");
    load_ = load;
    tensors_ = tensors;
    for (uint32_t i = 0; i < load.num_results; ++i) {
      if (i >= load.num_arguments || argument(i).bytes != result(i).bytes) {
        throw std::runtime_error("result " + std::to_string(i) +
                                 " has not the size of its argument");
      }
    }
    return "loaded: 1\n";
  }

  gn_disc_times run(uint8_t* memory, uint64_t weights_version) override {
    if (does("die in RUN")) abort();
    if (does("hang in RUN")) pause();
    if (does("fail in RUN")) throw std::runtime_error("the kernel was not found");
    if (weights_version == 0) throw std::runtime_error("no weights");
    for (uint32_t i = 0; i < load_.num_results; ++i) {
      memcpy(memory + result(i).offset, memory + argument(i).offset, result(i).bytes);
    }
    gn_disc_times times = {};
    times.entry_ns = 2000;
    return times;
  }

 private:
  const gn_disc_tensor& argument(uint32_t i) const { return tensors_[i]; }
  const gn_disc_tensor& result(uint32_t i) const { return tensors_[load_.num_arguments + i]; }

  gn_disc_load load_ = {};
  std::vector<gn_disc_tensor> tensors_;
};

}  // namespace

Engine& engine() {
  static Echo only;
  return only;
}

}  // namespace gn_disc
