// SPDX-License-Identifier: MIT
#include "cli/cli.h"

int main(int argc, char** argv) {
  return graphnet::cli::run_main(argc, argv);
}
