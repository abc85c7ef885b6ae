// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run_options.h"
#include "config/installation.h"
#include "config/run_config.h"
#include "record/record.h"
#include "report/reference_text.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// Reads what the folder of --reference holds, and chooses from it samples and configs where none
/// are named: its samples by their paths, or by their names if nothing is there; the bundled config
/// of each plugin, of a single plugin with its options. A file that cannot be used is warned of.
///
/// errors   kUsage: outputs are to be kept in that folder; kInput: it holds none
base::Status open_reference(RunOptions& options);

/// Takes protocol, threads, weights and math policy as the reference had them, unless a flag or the
/// config says something; a warning tells of what it says otherwise. The device is this machine's.
///
/// errors   kUsage: the reference has several values; as find_protocol()
base::Status take_reference_values(const RunOptions& options,
                                   const config::Installation& installation,
                                   config::RunConfig& config);

using ValueOf = std::function<std::string(const record::Record&)>;

/// The one value that all records have; `what` names it in the plural.
///
/// errors   kUsage: they have several
base::Result<std::string> agreed_value(const std::vector<outputs::KeptFacts>& kept,
                                       const std::string& what, const ValueOf& value_of);

/// Removes kept outputs of tasks that are recorded without a worker, which removes its own.
///
/// errors   kEnvironment: a file cannot be removed
base::Status forget_refused(const std::vector<supervise::PlannedTask>& plan);

/// Whether a record fails a run though its outcome may not: outputs differ from the reference's, or
/// were not kept; with --fail-on any also if there is no reference.
bool fails_by_outputs(const record::Record& record, FailOn fail_on);

/// Counts what became of outputs in a run.
class OutputsTally {
 public:
  explicit OutputsTally(bool has_reference) : has_reference_(has_reference) {}

  void add(const record::Record& record);
  /// The counts, then a line for each record that differs, has no reference or was not kept.
  std::vector<std::string> notes() const;

 private:
  bool has_reference_;
  report::ReferenceTally tally_;
  std::vector<std::string> lines_;
};

}  // namespace graphnet::cli
