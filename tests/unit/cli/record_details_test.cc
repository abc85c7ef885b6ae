// SPDX-License-Identifier: MIT
#include "cli/record_details.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::cli {
namespace record_details_test {

using tests::contains;

record::Record record_of() {
  record::Record record;
  record.sample = "timm/a";
  record.plugin = "acme";
  record.plugin_options["level"] = 3;
  record.plugin_info["kernels"] = 12;
  record.phases_ns = {{"load", 2e6}, {"compile", 7.36e8}};
  record.plan.flop = 2.2e9;
  record.timing.verdict = record::TimingVerdict::kUnstable;
  record.timing.pairs_kept = 24;
  record.timing.unstable_because = "width";
  record.timing.idle_timeouts = 7;
  record.output_tail = "one\ntwo";
  record.command = "graphnet run timm/a --config acme.yaml";
  return record;
}

TEST(RecordDetails, NothingWithoutVerbosity) {
  EXPECT_EQ(record_details(record_of(), 0), "");
}

TEST(RecordDetails, OnceSaysHowItWent) {
  const std::string text = record_details(record_of(), 1);
  EXPECT_TRUE(contains(text, "load 2.00 ms, compile 736 ms")) << text;
  EXPECT_TRUE(
      contains(text, "24 pairs, 0 dropped; unstable: width; 7 side samples began while other"))
      << text;
  EXPECT_TRUE(contains(text, "    one\n    two\n")) << text;
  EXPECT_FALSE(contains(text, "level=3")) << text;
}

TEST(RecordDetails, TwiceSaysWhatTheCompilerWasGiven) {
  const std::string text = record_details(record_of(), 2);
  for (const char* wanted : {"level=3", "kernels=12", "2.2 GFLOP a call", "--config acme.yaml"}) {
    EXPECT_TRUE(contains(text, wanted)) << wanted << " is not in\n" << text;
  }
}

TEST(RecordDetails, HostileTextStaysOnItsLine) {
  record::Record record = record_of();
  record.notes = {"a\n\x1b[2J"};
  const std::string text = record_details(record, 1);
  EXPECT_FALSE(contains(text, "\x1b")) << text;
  EXPECT_TRUE(contains(text, "note      a [2J\n")) << text;
}

}  // namespace record_details_test
}  // namespace graphnet::cli
