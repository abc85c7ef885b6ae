// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

/// Arguments and flags of `graphnet sample` as text; the first argument is the action.
struct SampleFlags {
  std::vector<std::string> arguments;
  std::optional<std::string> timeout;  ///< of a run in a worker
  bool write = false;                  ///< of all that change samples
  // validate
  std::optional<std::string> against;
  std::optional<std::string> changed_since;
  std::optional<std::string> junit;
  bool no_redundancy = false;
  bool run = false;
  bool no_run = false;
  // hash
  std::optional<std::string> by;
  // rename, convert
  std::optional<std::string> apis;
  std::optional<std::string> output;
  // split, compose
  std::optional<std::string> at;
  std::optional<std::string> inputs;
  std::optional<std::string> ops;
  std::optional<std::string> ranges;
  bool single_op = false;
  bool pass_through = false;
  bool typical = false;
  std::optional<std::string> log;
  // vary
  std::optional<std::string> dtype;
  bool dims = false;
  // index, select
  std::optional<std::string> type;
  // select
  std::optional<std::string> count;
  bool groups = false;
  // split, compose, vary, backward, index, select
  bool dry_run = false;
};

/// The folders of samples at or below the arguments behind the action, broken ones included; each
/// once.
///
/// order    of the arguments, then of their paths
/// errors   kInput: nothing there
base::Result<std::vector<std::filesystem::path>> sample_folders(const SampleFlags& flags);

/// A worker that has answered once, so that its libraries load.
///
/// errors   kEnvironment: there is none or it does not start; kUsage: --timeout
base::Result<supervise::AnsweringWorker> start_sample_worker(const Context& context,
                                                             const SampleFlags& flags);

// Actions. A sample that cannot be read or written is reported on standard error and left out; the
// exit code is that of the last one.

base::Result<int> validate_samples(const Context& context, const SampleFlags& flags);
base::Result<int> repair_samples(const Context& context, const SampleFlags& flags);
/// Removes samples whose program another one has. Without --write only says which.
base::Result<int> dedup_samples(const Context& context, const SampleFlags& flags);

// Write samples below --output or, with --write, in place; without either they only say what would
// change.

/// Gives parameters and values upstream's names.
base::Result<int> rename_samples(const Context& context, const SampleFlags& flags);
/// Spells calls as --apis says.
base::Result<int> convert_samples(const Context& context, const SampleFlags& flags);

/// Cuts samples into pieces, which are samples, below --output.
base::Result<int> split_samples(const Context& context, const SampleFlags& flags);
/// Runs pieces one after the other and compares them with the samples of --against.
base::Result<int> compose_samples(const Context& context, const SampleFlags& flags);
/// Makes samples of other types, each validated by a run beside the sample.
base::Result<int> vary_samples(const Context& context, const SampleFlags& flags);
/// The same with --dims: samples of other shapes, each validated by a run.
base::Result<int> vary_dims(const Context& context, const SampleFlags& flags);

/// Makes samples of the forward and backward pass, each validated by runs beside autograd.
base::Result<int> differentiate_samples(const Context& context, const SampleFlags& flags);

/// Writes a database of samples with upstream's tables to --output.
base::Result<int> index_samples(const Context& context, const SampleFlags& flags);
/// Writes a list of the samples that together have most pairs of operators.
base::Result<int> select_subset(const Context& context, const SampleFlags& flags);

}  // namespace graphnet::cli
