// SPDX-License-Identifier: MIT
#include "cli/sample_progress.h"

#include <iostream>

#include "report/terminal_text.h"
#include "sample/sample.h"

namespace graphnet::cli {

SampleProgress::SampleProgress(const Context& context, std::size_t num_samples)
    : is_shown_(num_samples > 1 && !context.flags.quiet &&
                context.progress != report::ProgressMode::kNone),
      num_samples_(num_samples) {}

void SampleProgress::begin(const std::filesystem::path& folder) {
  ++num_begun_;
  if (!is_shown_) return;
  std::cerr << '[' << num_begun_ << '/' << num_samples_ << "] "
            << report::printable(sample::sample_name(folder)) << std::endl;
}

}  // namespace graphnet::cli
