// SPDX-License-Identifier: MIT
#include "report/perfetto.h"

#include <gtest/gtest.h>

#include <map>

#include "report/timeline.h"
#include "support/perfetto_reader.h"
#include "support/synthetic_records.h"

namespace graphnet::report {
namespace perfetto_test {

using tests::PerfettoReader;
using Events = std::vector<PerfettoReader::Event>;

record::Record paired_record() {
  record::Record record;
  record.sample = "timm/x";
  record.plugin = record.plugin_variant = "xla";
  record.verdict = record::Verdict("proven");
  record.phases_ns = {{"eager", 1000}, {"compile", 500}, {"bind", 50},
                      {"run", 400},    {"time", 600},    {"proof", 900}};
  record.eager.first_call_ns = 100;
  record.eager.warmup_ns = {90, 80};
  record.eager.trials_ns = {50, 60};
  record.plugin_side.compile_ns = 450;
  record.plugin_side.bind_ns = 40;
  record.plugin_side.first_call_ns = 30;
  record.plugin_side.trials_ns = {10.4, 20};
  record.timing.backend_first = "10";
  record.timing.calls_per_side_sample = {1, 5, {}};
  record.proof.calls = 2;
  record.proof.arm_ns = 3;
  record.proof.traced_call_ns = 15;
  record.proof.call_ns = 12;
  return record;
}

std::string text_of(const Events& events, std::uint64_t track) {
  std::string text;
  for (const auto& event : events) {
    if (event.track != track) continue;
    text +=
        std::to_string(event.time_ns) +
        (event.type == PerfettoReader::kEnd ? " end" : " " + event.category + "/" + event.name) +
        "\n";
  }
  return text;
}

// By hand, byte for byte: a wrong number would be read by our own reader's mistake too.
TEST(Perfetto, BytesAreThoseOfItsMessages) {
  PerfettoTrace trace;
  const auto track = trace.add_track("t");
  trace.add_instant(track, {"c", "n"}, 300);
  const unsigned char wanted[] = {0x0a, 0x0c, 0xe2, 0x03, 0x05, 0x08, 0x01, 0x12, 0x01, 't',
                                  0x50, 0x01, 0x68, 0x01,                                      //
                                  0x0a, 0x21, 0x40, 0xac, 0x02,                                //
                                  0x62, 0x0e, 0x0a, 0x05, 0x08, 0x01, 0x12, 0x01, 'c',         //
                                  0x12, 0x05, 0x08, 0x01, 0x12, 0x01, 'n',                     //
                                  0x5a, 0x08, 0x48, 0x03, 0x58, 0x01, 0x18, 0x01, 0x50, 0x01,  //
                                  0x50, 0x01, 0x68, 0x02};
  EXPECT_EQ(trace.bytes(), std::string(std::begin(wanted), std::end(wanted)));
}

TEST(Perfetto, ReadsBackAsWritten) {
  PerfettoTrace trace;
  const auto parent = trace.add_track("sample \x1b[2J");
  const auto child = trace.add_track("calls", parent);
  trace.add_slice(parent, {"phase", "compile"}, 0, std::uint64_t{1} << 62U);
  trace.add_slice(child, {"plugin", "call"}, 5, 5);
  trace.add_slice(child, {"plugin", "call"}, 5, 9);
  trace.add_instant(child, {"proof", "verdict: mixed(\xff)"}, 9);
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  ASSERT_EQ(reader.tracks().size(), 2U);
  EXPECT_EQ(reader.tracks().at(parent).name, "sample [2J");
  EXPECT_EQ(reader.tracks().at(child).parent, parent);
  ASSERT_EQ(reader.events().size(), trace.num_events());
  EXPECT_EQ(text_of(reader.events(), parent), "0 phase/compile\n4611686018427387904 end\n");
  EXPECT_EQ(text_of(reader.events(), child),
            "5 plugin/call\n5 end\n5 plugin/call\n9 end\n9 proof/verdict: mixed(\xef\xbf\xbd)\n");
}

// Two hours into a run, on one of a thousand tracks.
TEST(Perfetto, AnEventTakes25BytesAtMost) {
  PerfettoTrace trace;
  PerfettoTrace::Track track = 0;
  for (int i = 0; i < 1000; ++i) track = trace.add_track("track");
  constexpr std::uint64_t kStart = 7'200'000'000'000;
  trace.add_slice(track, {"plugin", "call"}, kStart, kStart + 1000);
  const std::size_t before = trace.bytes().size();
  for (std::uint64_t i = 1; i <= 500; ++i) {
    trace.add_slice(track, {"plugin", "call"}, kStart + 1000 * i, kStart + 1000 * i + 999);
  }
  EXPECT_EQ(trace.num_events(), 1002U);
  const double bytes_an_event = static_cast<double>(trace.bytes().size() - before) / 1000;
  EXPECT_EQ(bytes_an_event, 23);  // 25 for a begin, 21 for an end
}

TEST(Timeline, LaysPhasesAndCallsInTheirOrder) {
  const PerfettoTrace trace = timeline({paired_record()});
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  ASSERT_EQ(reader.tracks().size(), 4U);
  EXPECT_EQ(reader.tracks().at(1).name, "timm/x xla");
  EXPECT_EQ(text_of(reader.events(), 1),
            "0 phase/eager\n1000 end\n1000 phase/compile\n1500 end\n1500 phase/bind\n1550 end\n"
            "1550 phase/run\n1950 end\n1950 phase/time\n2550 end\n2550 phase/proof\n3450 end\n"
            "3450 proof/verdict: proven\n");
  EXPECT_EQ(reader.tracks().at(2).name, "eager");
  EXPECT_EQ(reader.tracks().at(2).parent, 1U);
  EXPECT_EQ(text_of(reader.events(), 2),
            "0 eager/first call\n100 end\n100 eager/warm-up\n190 end\n190 eager/warm-up\n270 end\n"
            "2002 eager/call\n2052 end\n2052 eager/call\n2112 end\n");
  EXPECT_EQ(text_of(reader.events(), 3),
            "1000 plugin/compile\n1450 end\n1500 plugin/bind\n1540 end\n"
            "1550 plugin/first call\n1580 end\n"
            "1950 plugin/5 calls\n2002 end\n2112 plugin/5 calls\n2212 end\n");
  EXPECT_EQ(text_of(reader.events(), 4),
            "2550 proof/arming\n2553 end\n2553 proof/traced call\n2568 end\n"
            "2568 proof/arming\n2571 end\n2571 proof/traced call\n2586 end\n"
            "2586 proof/untraced call\n2598 end\n");
}

TEST(Timeline, RecordsFollowEachOther) {
  record::Record upstream = paired_record();
  upstream.timing = record::Timing();
  upstream.proof = record::Proof();
  const PerfettoTrace trace = timeline({paired_record(), upstream});
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  ASSERT_EQ(reader.tracks().size(), 7U);
  EXPECT_EQ(text_of(reader.events(), 6),
            "3450 eager/first call\n3550 end\n3550 eager/warm-up\n3640 end\n3640 eager/warm-up\n"
            "3720 end\n3720 eager/call\n3770 end\n3770 eager/call\n3830 end\n");
}

TEST(Timeline, WhatAFileCannotMeanIsLeftOut) {
  record::Record record = paired_record();
  record.phases_ns = {{"eager", "long"}, {"compile", -5}, {"bind", 1e300}, {"time", 10}};
  record.timing =
      record::part_from_json<record::Timing>({{"backend_first", 7}, {"calls_per_half", "many"}});
  record.proof = record::part_from_json<record::Proof>({{"calls", 1e18}, {"arm_ns", nullptr}});
  record.eager.trials_ns = {1};
  const PerfettoTrace trace = timeline({record, record::Record()});
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  EXPECT_EQ(reader.slices_on("timm/x xla"),
            (std::vector<std::string>{"eager", "compile", "bind", "time"}));
  EXPECT_EQ(reader.events().back().time_ns, 10U);
}

// Steps lie end to end, hits and samples where they were seen.
TEST(Timeline, ShowsTheProofInTime) {
  record::Record record = paired_record();
  record.proof.steps = {{"preparing", 5}, {"traced call", 20}};
  record.proof.moments = {{"hits",
                           {{"names", {"at::_ops::relu_::call", "libgn_x.so"}},
                            {"threads", {70, 71}},
                            {"time_ns", {6, 8, 9}},
                            {"name", {0, 1, 1}},
                            {"thread", {0, 1, 0}}}},
                          {"samples",
                           {{"names", {"waiting"}},
                            {"threads", {71}},
                            {"time_ns", {30, 40}},
                            {"name", {0, 5}},
                            {"thread", {0, 0}}}}};
  const PerfettoTrace trace = timeline({record});
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  std::map<std::string, std::string> shown;
  for (const auto& [number, track] : reader.tracks()) {
    shown[track.name] = text_of(reader.events(), number);
    EXPECT_EQ(track.parent, number == 1 ? 0U : 1U) << track.name;
  }
  EXPECT_EQ(shown["proof"], "2550 proof/preparing\n2555 end\n2555 proof/traced call\n2575 end\n");
  EXPECT_EQ(shown["hits, thread 70"], "2556 proof/at::_ops::relu_::call\n2559 proof/libgn_x.so\n");
  EXPECT_EQ(shown["hits, thread 71"], "2558 proof/libgn_x.so\n");
  EXPECT_EQ(shown["samples, thread 71"], "2580 proof/waiting\n") << "the second has no name";
}

TEST(Timeline, LeavesOutMomentsThatMeanNothing) {
  record::Record record = paired_record();
  record.proof.steps.clear();
  record.proof.moments = {{"hits", {{"time_ns", {1, 2}}, {"name", 3}}},
                          {"samples",
                           {{"names", {1, "late", "early"}},
                            {"threads", {1}},
                            {"time_ns", {3, 9, 4, 5}},
                            {"name", {0, 1, 2, -1}},
                            {"thread", {0, 0, 0, 0}}}}};
  const PerfettoTrace trace = timeline({record});
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  ASSERT_EQ(reader.tracks().size(), 5U);
  EXPECT_EQ(reader.tracks().at(4).name, "samples, thread 1");
  EXPECT_EQ(text_of(reader.events(), 4), "2559 proof/late\n2559 proof/early\n");
}

// Calls that took longer than their phases would overlap the next ones.
TEST(Timeline, SlicesOfATrackNeverOverlap) {
  record::Record record = paired_record();
  record.phases_ns["compile"] = record.phases_ns["bind"] = 1;
  const PerfettoTrace trace = timeline({record});
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  const std::string wanted = "1000 plugin/compile\n1450 end\n1450 plugin/bind\n1490 end\n1490 ";
  EXPECT_EQ(text_of(reader.events(), 3).rfind(wanted + "plugin/first call\n1520 end\n", 0), 0U);
}

TEST(Timeline, AHundredThousandEventsTakeAtMost24BytesEach) {
  tests::SyntheticSweep sweep(240, 2);
  std::vector<record::Record> records;
  for (int i = 0; i < sweep.size(); ++i) records.push_back(sweep.record(i));
  const PerfettoTrace trace = timeline(records);
  const PerfettoReader reader(trace.bytes());
  EXPECT_EQ(reader.problem(), "");
  ASSERT_EQ(reader.events().size(), trace.num_events());
  ASSERT_GE(trace.num_events(), 100'000U);
  const double bytes_an_event =
      static_cast<double>(trace.bytes().size()) / static_cast<double>(trace.num_events());
  RecordProperty("events", std::to_string(trace.num_events()));
  RecordProperty("bytes_an_event", std::to_string(bytes_an_event));
  EXPECT_LE(bytes_an_event, 24);
}

}  // namespace perfetto_test
}  // namespace graphnet::report
