// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "record/record.h"
#include "report/result_row.h"

namespace graphnet::report {

/// Who did the work, and what says so: verdicts by backend, then for each record its verdict with
/// the reason, the traced calls and what arming them cost, the code that was entered, operators
/// that the dispatcher counted, where the threads spent their time, and last what the plugin says
/// of itself, which is unverified. A record without evidence says why there is none.
///
/// units    width in terminal cells; 0: nothing is cut
std::string proof_text(const std::vector<record::Record>& records, int width);

/// The same, complete: {"schema": "graphnet.kernels/1", "backends": [name], "verdicts":
/// [{"verdict", "counts": [one a backend]}], "records": [{"sample", "backend", "outcome",
/// "verdict", "reason", "evidence", "plugin_says"}]}. `evidence` is Record::proof, or null with
/// "no_evidence" saying why; `plugin_says` is Record::plugin_info.
base::Json proof_json(const std::vector<record::Record>& records);

/// Why the verdict of a record is what it is, in a few words from its evidence; "" if nothing is
/// known beyond the verdict.
std::string verdict_reason(const record::Record& record);

/// In which code the plugin's threads spent the traced time: the largest three shares of at least
/// one percent.
std::vector<TimeShare> time_shares(const record::Record& record);

/// The three operators of libtorch that ran most often: "aten::linear, aten::add, 17 more".
std::string operators_word(const record::Record& record);

/// Where the code that the plugin brought was entered, the most windows first: "JIT memory,
/// libgn_x.so".
std::string entered_word(const record::Record& record);

}  // namespace graphnet::report
