// SPDX-License-Identifier: MIT
#include "report/proof_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/mentions.h"

namespace graphnet::report {
namespace proof_report_test {

using base::Json;
using record::Record;
using tests::mentions;

Json ledger() {
  const Json jit = {{"module", "anonymous"}, {"class", "expect"}, {"epoch", "compile"},
                    {"text_bytes", 90112},   {"windows", 7},      {"symbols", {"anonymous+0x0"}}};
  const Json file = {{"module", "libgn_acme.so"}, {"class", "expect"}, {"epoch", "load"},
                     {"text_bytes", 4096},        {"windows", 1},      {"symbols", Json::array()}};
  return {{"witness", "full"},
          {"calls", 3},
          {"hits", 8},
          {"hit_threads", 2},
          {"arm_ns", 1.25e6},
          {"call_ns", 2e6},
          {"traced_call_ns", 3e6},
          {"extra_ns", 5e6},
          {"outputs", "equal"},
          {"modules", {jit, file}},
          {"denied", Json::array()},
          {"dispatcher", {{"called", Json::object()}, {"nested", 0}, {"threads", 0}}},
          {"samples",
           {{"count", 20},
            {"waiting", 1},
            {"shares",
             {{{"module", "anonymous"}, {"class", "expect"}, {"epoch", "compile"}, {"share", 0.9}},
              {{"module", "libc.so.6"}, {"class", "host"}, {"epoch", "start"}, {"share", 0.1}}}}}}};
}

Record proven() {
  Record record;
  record.sample = "timm/x";
  record.plugin = "acme";
  record.plugin_variant = "acme+fast";
  record.outcome = record::Outcome::kOk;
  record.phase = record::Phase::kProof;
  record.verdict = record::Verdict("proven");
  record.proof = record::part_from_json<record::Proof>(ledger());
  record.plugin_info = {{"main_operations", "fusion=3"}};
  return record;
}

Record eager() {
  Record record = proven();
  record.plugin = record.plugin_variant = "nope";
  record.verdict = record::Verdict("eager");
  record.plugin_info = Json::object();
  record.proof.dispatcher = {{{"aten::add", 2}, {"aten::mul", 40}}, 7, 1, {}};
  record.proof.denied = {{"at::_ops::mul::call", "graphnet-worker+0x1", true, {}},
                         {"at::native::mul", "libtorch_cpu.so+0x2", false, {}}};
  return record;
}

TEST(ProofReport, ShowsAllThatTheVerdictRestsOn) {
  EXPECT_EQ(
      proof_text({proven()}, 0),
      "verdict  acme+fast\n"
      "proven           1\n"
      "\n"
      "timm/x  acme+fast  ok  proven\n"
      "  because      no operator of libtorch in 3 traced calls, 8 windows of the plugin's code, "
      "outputs equal\n"
      "  tracer       full, 3 traced calls, 8 traps on 2 threads, arming 1.25 ms a call, call "
      "3.00 "
      "ms (2.00 ms untraced), 5.00 ms extra\n"
      "  class   since    module         text      windows hit  first symbol\n"
      "  expect  compile  JIT memory     88.0 KiB            7  anonymous+0x0\n"
      "  expect  load     libgn_acme.so  4.00 KiB            1  -\n"
      "  dispatcher   no operator\n"
      "  samples      20 samples, 1 of them waiting and left out\n"
      "  share %  class   since    module\n"
      "       90  expect  compile  JIT memory\n"
      "       10  host    start    libc.so.6\n"
      "  plugin says      as reported by the plugin (unverified)\n"
      "  main_operations  fusion=3\n");
}

TEST(ProofReport, NamesWhatLibtorchDid) {
  const std::string text = proof_text({eager()}, 0);
  EXPECT_TRUE(mentions(text, {"whole program", "2 operators", "42 calls"})) << text;
  EXPECT_NE(text.find("  called from          libtorch's function\n"
                      "  graphnet-worker+0x1  at::_ops::mul::call\n  dispatcher"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("aten::mul 40, aten::add 2; 7 nested calls, 1 thread\n"), std::string::npos);
  EXPECT_EQ(text.find("plugin says"), std::string::npos);
}

TEST(ProofReport, ShowsWhatTheTimeWentInto) {
  Record record = proven();
  record.proof.steps = {{"arming", 1e6}, {"calls", 2.5e6}, {"arming", 2e6}};
  const std::string text = proof_text({record}, 0);
  EXPECT_NE(text.find("  took         arming 3.00 ms, calls 2.50 ms\n  plugin says"),
            std::string::npos)
      << text;
}

TEST(ProofReport, PutsBusyTimesOfADeviceBesideEachOther) {
  Record record = proven();
  record.proof.device.calls = 3;
  record.proof.device.busy_ns = 12.5e3;
  const auto line = [&] {
    const std::string text = proof_text({record}, 0);
    const std::size_t begin = text.find("  device ");
    return begin == std::string::npos ? std::string()
                                      : text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_TRUE(mentions(line(), {"device", "busy 12.5 us", "call of the plugin"}));
  EXPECT_EQ(line().find(','), std::string::npos) << "nothing else was recorded";
  record.proof.device.eager_calls.busy_ns = 20e3;
  record.proof.device.replays.busy_ns = 11e3;
  EXPECT_TRUE(mentions(line(), {"12.5 us", "plugin", "11.0 us", "replay", "20.0 us", "eager"}));
  record.proof.device.outside_span = {2, 1, 1500, 700, {}};
  EXPECT_TRUE(mentions(proof_text({record}, 0), {"3 pieces of work", "1.50 us\n"}))
      << proof_text({record}, 0);
  record.proof.device.rest["kernels"] = {{{"name", "fused"}, {"count", 9}, {"outside", 3}},
                                         {{"name", "other"}, {"count", 4}}};
  EXPECT_TRUE(mentions(proof_text({record}, 0), {"1.50 us\n", "3 of 9 fused\n"}))
      << proof_text({record}, 0);
  EXPECT_EQ(proof_text({record}, 0).find("other"), std::string::npos);
  record.proof.device = record::ProofDevice();
  record.proof.device.rest["cupti"] = {{"state", "busy"}};
  EXPECT_EQ(line(), "");
}

TEST(ProofReport, CountsVerdictsByBackend) {
  Record old = eager();
  old.verdict = record::Verdict("mixed(aten::sort)");
  Record none = proven();
  none.verdict = record::Verdict("");
  const std::string text = proof_text({eager(), proven(), old, proven(), none}, 0);
  EXPECT_EQ(text.substr(0, text.find("\n\n")),
            "verdict  nope  acme+fast\n"
            "proven      0          2\n"
            "mixed       1          0\n"
            "eager       1          0\n"
            "none        0          1");
  EXPECT_EQ(proof_text({}, 0), "no records\n");
}

TEST(ProofReport, ReasonsFollowFromTheEvidence) {
  Record record = proven();
  record.verdict = record::Verdict("unknown(thread 7 blocks SIGSEGV)");
  EXPECT_EQ(verdict_reason(record), "thread 7 blocks SIGSEGV");
  record.verdict = record::Verdict("mixed(aten::relu, f(x))");
  EXPECT_EQ(verdict_reason(record), "aten::relu, f(x)");
  record.verdict = record::Verdict("empty");
  EXPECT_TRUE(mentions(verdict_reason(record), {"outputs", "inputs"}));
  record.proof.modules.clear();
  EXPECT_TRUE(mentions(verdict_reason(record), {"no code of the plugin"}));
  record.flags = {record::Flag::kDenormal, record::Flag::kStaleOutput};
  EXPECT_TRUE(mentions(verdict_reason(record), {"stale_output"}));
  record.verdict = record::Verdict("reported");
  EXPECT_EQ(verdict_reason(record), "");
  record.verdict = record::Verdict("proven");
  record.proof = record::Proof();
  EXPECT_EQ(verdict_reason(record), "");
}

TEST(ProofReport, SaysWhyThereIsNoEvidence) {
  Record record = proven();
  record.proof = record::Proof();
  record.phase = record::Phase::kRobustness;
  record.verdict = record::Verdict("unknown(not traced)");
  const auto why = [&] {
    return proof_json({record})["records"][0]["no_evidence"].get<std::string>();
  };
  EXPECT_TRUE(mentions(why(), {"no call", "--proof none"}));
  EXPECT_TRUE(mentions(proof_text({record}, 0), {"  no evidence  no call"}));
  EXPECT_NE(proof_text({record}, 0).find("  main_operations  fusion=3\n"), std::string::npos);
  record.phase = record::Phase::kProof;
  EXPECT_TRUE(mentions(why(), {"ended", "traced"}));
  record.outcome = record::Outcome::kCompileFailed;
  record.phase = record::Phase::kCompile;
  EXPECT_TRUE(mentions(why(), {"compile_failed", "phase compile"}));
}

TEST(ProofReport, JsonHoldsTheWholeLedger) {
  const Json json = proof_json({proven(), eager()});
  EXPECT_EQ(json["schema"], "graphnet.kernels/1");
  EXPECT_EQ(json["backends"], Json({"acme+fast", "nope"}));
  EXPECT_EQ(json["verdicts"], Json::parse(R"([{"verdict": "proven", "counts": [1, 0]},
                                              {"verdict": "eager", "counts": [0, 1]}])"));
  const Json& entry = json["records"][0];
  EXPECT_EQ(entry["evidence"], ledger());
  EXPECT_EQ(entry["plugin_says"], proven().plugin_info);
  EXPECT_EQ(entry.count("no_evidence"), 0U);
  EXPECT_EQ(json["records"][1]["backend"], "nope");
}

TEST(ProofReport, HostileLedgersStayText) {
  Record record = proven();
  record.sample = "a\nforged  ok  proven";
  const Json hostile = {
      {"modules", {{{"module", "\x1b[2J"}, {"symbols", {1}}, {"windows", -1e300}}}},
      {"denied", "none"},
      {"dispatcher",
       {{"called", {{"a\nb", 0}, {"c", std::numeric_limits<std::int64_t>::max()}, {"d", 1}}}}},
      {"samples", {{"shares", {{{"share", "all"}}, nullptr}}}},
      {"calls", nullptr}};
  record.proof = record::part_from_json<record::Proof>(hostile);
  record.plugin_info = {{"k\ney", {{"deep", "\x1b"}}}};
  const std::string text = proof_text({record}, 0);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\nforged"), std::string::npos);
  EXPECT_EQ(text.find("\nb "), std::string::npos);
  EXPECT_NE(text.find("  k ey  "), std::string::npos) << text;
  EXPECT_NE(text.find("c 9223372036854775807, d 1, a b 0"), std::string::npos) << text;
}

TEST(ProofReport, LinesFitTheTerminal) {
  Record record = eager();
  record.plugin_info = {{"main_operations", std::string(500, 'x')}};
  const std::string text = proof_text({record}, 60);
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    std::string line = text.substr(start, end - start);
    const std::size_t cut = line.find("…");
    if (cut != std::string::npos) line.replace(cut, 3, ".");
    EXPECT_LE(line.size(), 60U) << line;
  }
}

}  // namespace proof_report_test
}  // namespace graphnet::report
