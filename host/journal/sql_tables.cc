// SPDX-License-Identifier: MIT
#include "journal/sql_view.h"

namespace graphnet::journal {

namespace {

std::vector<SqlColumn> record_columns() {
  return {
      {"id", "INTEGER", nullptr, "number of the record, from 1; the other tables' `record`"},
      {"sample", "TEXT", "/sample/name", "<family>/<model>"},
      {"plugin", "TEXT", "/plugin/name", "name in the plugin's manifest"},
      {"outcome", "TEXT", "/outcome", "ok, accuracy_mismatch, crashed, ..."},
      {"speedup", "REAL", "/speedup", "eager time by plugin time"},
      {"speedup_low", "REAL", "/timing/speedup_low", "its interval; method paired only"},
      {"speedup_high", "REAL", "/timing/speedup_high", "its interval; method paired only"},
      {"timing", "TEXT", "/timing/verdict", "faster, slower, same, unstable"},
      {"eager_ns", "REAL", "/eager/median_ns", "median of eager's calls"},
      {"plugin_ns", "REAL", "/plugin_side/median_ns", "median of the plugin's calls"},
      {"compile_ns", "REAL", "/plugin_side/compile_ns", "compilation"},
      {"bind_ns", "REAL", "/plugin_side/bind_ns", "handing over the weights"},
      {"capture_ns", "REAL", "/plugin_side/capture_ns", "of the graph; protocols that replay"},
      {"eager_busy_ns", "REAL", "/proof/device/eager_calls/busy_ns", "of the device, in a call"},
      {"plugin_busy_ns", "REAL", "/proof/device/busy_ns", "the same of the plugin's calls"},
      {"replay_busy_ns", "REAL", "/proof/device/replays/busy_ns", "the same of its replays"},
      {"eager_first_ns", "REAL", "/eager/first_call_ns", "first call of eager"},
      {"plugin_first_ns", "REAL", "/plugin_side/first_call_ns", "first call of the plugin"},
      {"message", "TEXT", "/message", "why it is not ok, one sentence"},
      {"phase", "TEXT", "/phase", "last phase entered"},
      {"verdict", "TEXT", "/verdict", "who did the work"},
      {"degenerate", "INTEGER", "/degenerate", "1: outputs say nothing (constant, empty)"},
      {"flags", "TEXT", "/flags", "what makes the result doubtful, JSON list"},
      {"notes", "TEXT", "/notes", "remarks, JSON list"},
      {"family", "TEXT", "/sample/family", "first part of the sample's name"},
      {"category", "TEXT", "/sample/category", "of the sample's labels; null: not recorded"},
      {"model_name", "TEXT", "/sample/model_name", "as the sample's metadata name it"},
      {"sample_sha256", "TEXT", "/sample/sha256", "content of the sample"},
      {"plugin_version", "TEXT", "/plugin/version", "of the manifest"},
      {"plugin_variant", "TEXT", "/plugin/variant", "what tables show"},
      {"plugin_sha256", "TEXT", "/plugin/sha256", "of the shared object"},
      {"plugin_options", "TEXT", "/plugin/options", "JSON object"},
      {"device", "TEXT", "/device", "cpu, cuda:0"},
      {"threads", "INTEGER", "/threads", "size of the thread pool"},
      {"weights", "TEXT", "/weights", "bound or frozen"},
      {"protocol", "TEXT", "/protocol", "standard, upstream, ..."},
      {"flop", "REAL", "/plan/flop", "operations of a call, estimated"},
      {"argument_bytes", "INTEGER", "/plan/argument_bytes", "inputs and weights"},
      {"peak_live_bytes", "INTEGER", "/plan/peak_live_bytes", "results that live at once"},
      {"peak_rss_bytes", "INTEGER", "/peak_rss_bytes", "of the worker"},
      {"hardware", "TEXT", "/environment/hardware_class", "classes are not to be mixed"},
      {"host", "TEXT", "/environment/host_hash", "tells machines apart"},
      {"graphnet", "TEXT", "/graphnet", "version of the host"},
      {"run_id", "TEXT", "/run_id", "of the run"},
      {"time_utc", "TEXT", "/time_utc", "when it was finished"},
      {"attempt", "INTEGER", "/attempt", "null: the first"},
      {"task_key", "TEXT", "/task_key", "equal for results that stand for each other"},
      {"command", "TEXT", "/command", "repeats the record"},
      {"json", "TEXT", "", "all of it; json_extract(json, '$.timing.looks')"},
  };
}

}  // namespace

const std::vector<SqlTable>& sql_tables() {
  static const std::vector<SqlTable> tables = {
      {"records", "one row a record", record_columns()},
      {"outputs",
       "one row a tensor that was compared",
       {{"record", "INTEGER", nullptr, "records.id"},
        {"output", "INTEGER", nullptr, "position, from 0"},
        {"dtype", "TEXT", "/eager/output_dtypes", "of eager"},
        {"plugin_dtype", "TEXT", "/plugin_side/output_dtypes", "of the plugin"},
        {"equal", "INTEGER", "/correctness/equal", "1: equal to the bit"},
        {"max_diff", "REAL", "/correctness/max_diff", "largest absolute difference"},
        {"mean_diff", "REAL", "/correctness/mean_diff", "mean absolute difference"},
        {"relative_rms", "REAL", "/correctness/relative_rms", "what the outcome is judged by"},
        {"degenerate", "INTEGER", "/correctness/degenerate", "1: says nothing"},
        {"all_close", "TEXT", "/correctness/all_close", "upstream's 64 levels, a digit each"}}},
      {"trials",
       "one row a timed call, or a timed block of calls",
       {{"record", "INTEGER", nullptr, "records.id"},
        {"side", "TEXT", nullptr, "eager or plugin"},
        {"trial", "INTEGER", nullptr, "position, from 0"},
        {"ns", "REAL", nullptr, "of one call"}}},
      {"phases",
       "one row a phase of a record",
       {{"record", "INTEGER", nullptr, "records.id"},
        {"phase", "TEXT", nullptr, "load, plan, replay, eager, compile, ..."},
        {"ns", "REAL", nullptr, "spent in it"}}},
      {"controls",
       "one row a control measurement",
       {{"run_id", "TEXT", nullptr, "of the run"},
        {"time_utc", "TEXT", nullptr, "when"},
        {"threads", "INTEGER", nullptr, "size of the thread pool"},
        {"experiments", "INTEGER", nullptr, "eager against itself, how often"},
        {"noise_floor", "REAL", nullptr, "largest |ratio - 1|"},
        {"bias", "REAL", nullptr, "mean of ratio - 1"},
        {"coverage", "REAL", nullptr, "share of the intervals that hold 1"}}},
  };
  return tables;
}

}  // namespace graphnet::journal
