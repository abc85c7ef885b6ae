// SPDX-License-Identifier: MIT
//
// Writes a results file like that of a sweep:
//
//   synthetic_results SAMPLES BACKENDS PAIRS > results.jsonl
#include <cstdlib>
#include <iostream>

#include "support/synthetic_records.h"

int main(int argc, char** argv) {
  const auto argument = [&](int position, int otherwise) {
    return argc > position ? std::atoi(argv[position]) : otherwise;
  };
  graphnet::tests::SyntheticSweep sweep(argument(1, 2500), argument(2, 5), argument(3, 48));
  std::cout << R"({"schema":"graphnet.journal/1","record_schema":"graphnet.record/1",)"
            << R"("run_id":"synthetic"})" << '\n';
  for (int i = 0; i < sweep.size(); ++i) {
    std::cout << graphnet::base::dump_json(graphnet::record::to_json(sweep.record(i))) << '\n';
  }
  return std::cout ? 0 : 1;
}
