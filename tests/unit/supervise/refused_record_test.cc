// SPDX-License-Identifier: MIT
// Records of tasks whose plugin was refused before any of its code ran.
#include <gtest/gtest.h>

#include "supervise/classify.h"

namespace graphnet::supervise {
namespace {

PlannedTask refused(base::Code code) {
  PlannedTask planned;
  planned.refusal =
      base::Status(code, "no").add_context("plugin.yaml").add_hint("another protocol");
  return planned;
}

TEST(RefusedRecord, SaysWhyAndWhatToTry) {
  const record::Record record = refused_record(refused(base::Code::kPlugin));
  EXPECT_EQ(record.outcome, record::Outcome::kPluginFailed);
  EXPECT_EQ(record.phase, record::Phase::kNone);
  EXPECT_EQ(record.message, "no");
  EXPECT_EQ(record.notes, (std::vector<std::string>{"at: plugin.yaml", "try: another protocol"}));
}

// A protocol that replays captured calls, for one.
TEST(RefusedRecord, WhatAPluginDoesNotOfferIsUnsupported) {
  EXPECT_EQ(refused_record(refused(base::Code::kUnsupported)).outcome,
            record::Outcome::kUnsupported);
}

}  // namespace
}  // namespace graphnet::supervise
