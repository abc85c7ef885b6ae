// SPDX-License-Identifier: MIT
#include "supervise/worker_report.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::supervise {
namespace worker_report_test {

using Event = WorkerReport::Event;
using tests::mentions;

constexpr const char* kRecord =
    R"({"schema": "graphnet.record/1", "sample": {"name": "timm/a"}, "plugin": {"name": "acme"}, "outcome": "ok"})";

std::string record_line(bool is_final) {
  return std::string(R"({"event": "record", "record": )") + kRecord + R"(, "final": )" +
         (is_final ? "true" : "false") + "}\n";
}

std::vector<Event> take_all(WorkerReport& report) {
  std::vector<Event> events;
  while (const auto event = report.next()) events.push_back(*event);
  return events;
}

TEST(WorkerReport, MessagesBecomeEventsWhateverThePieces) {
  const std::string text =
      "{\"event\": \"phase\", \"phase\": \"eager\"}\n" + record_line(false) +
      "{\"event\": \"phase\", \"phase\": \"compile\"}\n"
      "{\"event\": \"step\", \"step\": \"create\"}\n{\"event\": \"memory\"}\n" +
      record_line(true);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
    WorkerReport report({"eager", "compile"});
    std::vector<Event> events;
    for (std::size_t begin = 0; begin < text.size(); begin += piece) {
      report.append(std::string_view(text).substr(begin, piece));
      for (const Event event : take_all(report)) events.push_back(event);
    }
    EXPECT_EQ(events, (std::vector<Event>{Event::kPhase, Event::kRecord, Event::kPhase,
                                          Event::kStep, Event::kMemory, Event::kFinal}));
    EXPECT_EQ(report.state().phase, record::Phase::kCompile);
    EXPECT_EQ(report.state().step, "create");
    EXPECT_TRUE(report.state().no_memory);
    EXPECT_TRUE(report.state().is_final);
    ASSERT_TRUE(report.state().record);
    EXPECT_EQ(report.state().record->sample, "timm/a");
  }
}

TEST(WorkerReport, AnAskStandsUntilThePhaseBegins) {
  WorkerReport report({"inputs", "time"});
  report.append("{\"event\": \"ask\", \"phase\": \"inputs\", \"bytes\": 4711}\n");
  EXPECT_EQ(take_all(report), std::vector<Event>{Event::kAsk});
  ASSERT_TRUE(report.state().ask);
  EXPECT_EQ(report.state().ask->phase, record::Phase::kInputs);
  EXPECT_EQ(report.state().ask->num_bytes, 4711);
  report.append("{\"event\": \"phase\", \"phase\": \"inputs\"}\n");
  EXPECT_EQ(take_all(report), std::vector<Event>{Event::kPhase});
  EXPECT_FALSE(report.state().ask);
  for (const char* line : {"{\"event\": \"ask\"}\n", "{\"event\": \"ask\", \"phase\": \"dance\"}\n",
                           "{\"event\": \"ask\", \"phase\": \"time\", \"bytes\": -1}\n",
                           "{\"event\": \"ask\", \"phase\": \"time\"}\n"
                           "{\"event\": \"ask\", \"phase\": \"time\"}\n"}) {
    WorkerReport broken({"inputs", "time"});
    broken.append(line);
    EXPECT_EQ(take_all(broken).back(), Event::kBroken) << line;
  }
}

TEST(WorkerReport, NothingCountsAfterTheFinalRecord) {
  WorkerReport report({"run"});
  report.append(record_line(true) + "{\"event\": \"phase\", \"phase\": \"run\"}\n" +
                record_line(false) + "garbage\n");
  EXPECT_EQ(take_all(report), std::vector<Event>{Event::kFinal});
  report.append("{\"event\": \"memory\"}\n");
  EXPECT_TRUE(take_all(report).empty());
  EXPECT_TRUE(report.state().is_final);
  EXPECT_EQ(report.state().phase, record::Phase::kNone);
  EXPECT_EQ(report.state().protocol_error, "");
  EXPECT_FALSE(report.state().no_memory);
}

TEST(WorkerReport, NothingCountsAfterABrokenMessage) {
  WorkerReport report({"run"});
  report.append("{\"event\": \"phase\", \"phase\": \"dance\"}\n" + record_line(true));
  EXPECT_EQ(take_all(report), std::vector<Event>{Event::kBroken});
  EXPECT_TRUE(mentions(report.state().protocol_error, {"phase"}));
  EXPECT_FALSE(report.state().is_final);
  EXPECT_FALSE(report.state().record);
}

TEST(WorkerReport, ACrashHasItsFrames) {
  WorkerReport report({"run"});
  report.append(
      "{\"event\":\"crash\",\"signal\":11,\"address\":\"0x10\"}\n"
      "{\"event\":\"frame\",\"address\":\"0x7f00\",\"offset\":256,\"module\":\"/a.so\"}\n"
      "{\"event\":\"frame\",\"address\":\"0x0\"}\n");
  for (int i = 0; i < 100; ++i) report.append("{\"event\":\"frame\",\"address\":\"0x1\"}\n");
  EXPECT_EQ(take_all(report).size(), 103U);
  ASSERT_TRUE(report.state().crash);
  const Crash& crash = *report.state().crash;
  EXPECT_EQ(crash.signal, 11);
  EXPECT_EQ(crash.address, "0x10");
  ASSERT_EQ(crash.frames.size(), kMaxCrashFrames);
  EXPECT_EQ(crash.frames[0].module, "/a.so");
  EXPECT_EQ(crash.frames[0].offset, 256U);
  EXPECT_TRUE(crash.frames[0].is_mapped);
  EXPECT_FALSE(crash.frames[1].is_mapped);
}

TEST(WorkerReport, AMalformedCrashIsBroken) {
  const std::string crash = "{\"event\":\"crash\",\"signal\":11}\n";
  for (const std::string& text :
       {std::string("{\"event\":\"crash\"}\n"),
        std::string("{\"event\":\"frame\",\"address\":\"0x1\"}\n"),
        crash + "{\"event\":\"frame\"}\n",
        crash + "{\"event\":\"frame\",\"address\":\"0x1\",\"offset\":-1}\n",
        crash + "{\"event\":\"frame\",\"address\":\"0x1\",\"module\":\"" +
            std::string(kMaxModuleBytes + 1, 'x') + "\"}\n"}) {
    WorkerReport report({"run"});
    report.append(text);
    EXPECT_EQ(take_all(report).back(), Event::kBroken) << text;
  }
}

TEST(WorkerReport, ALineWithoutEndIsBroken) {
  WorkerReport report({"run"}, 1024);
  report.append(std::string(1025, 'x'));
  EXPECT_EQ(take_all(report), std::vector<Event>{Event::kBroken});
  EXPECT_TRUE(mentions(report.state().protocol_error, {"1.00 KiB"}));
}

}  // namespace worker_report_test
}  // namespace graphnet::supervise
