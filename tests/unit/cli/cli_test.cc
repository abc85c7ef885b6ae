// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/output_file.h"
#include "cli/parse.h"
#include "cli/run_options.h"
#include "cli/sample_names.h"
#include "cli/sample_selection.h"
#include "cli/slowest_samples.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::cli {
namespace cli_test {

using base::Code;
using base::Status;
using tests::contains;
using tests::mentions;

class ParseTest : public ::testing::Test {
 protected:
  ParseTest() {
    Command run;
    run.name = "run";
    run.positionals = {"SAMPLE", "", &flags_.samples};
    run.flags = run_flag_table(flags_);
    interface_.commands.push_back(run);
    interface_.global_flags = {{"-v,--verbose", "", "talk", &verbosity_},
                               {"--json", "", "json", &json_},
                               {"--color", "WHEN", "color", &color_}};
  }
  base::Result<const Command*> parse(const std::vector<std::string>& words) {
    return parse_command_line(words, interface_);
  }
  std::string error_of(const std::vector<std::string>& words) {
    const auto command = parse(words);
    return command.is_ok() ? "" : command.status().to_string();
  }
  RunFlags flags_;
  int verbosity_ = 0;
  bool json_ = false;
  std::optional<std::string> color_;
  Interface interface_;
};

TEST_F(ParseTest, FillsEveryKindOfFlag) {
  const auto command = parse({"run", "a", "--config", "x.yaml", "b", "-c", "y.yaml", "--warmup=2",
                              "--set", "k=v", "--set=l=w", "--digest", "-vv", "--json"});
  ASSERT_TRUE(command.is_ok()) << command.status().to_string();
  EXPECT_EQ((*command)->name, "run");
  EXPECT_EQ(flags_.samples, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(flags_.configs, (std::vector<std::string>{"x.yaml", "y.yaml"}));
  EXPECT_EQ(flags_.sets, (std::vector<std::string>{"k=v", "l=w"}));
  EXPECT_EQ(flags_.warmup, "2");
  EXPECT_TRUE(flags_.digest);
  EXPECT_EQ(verbosity_, 2);
  EXPECT_TRUE(json_);
}

TEST_F(ParseTest, GlobalFlagsStandBeforeOrAfterTheCommand) {
  ASSERT_TRUE(parse({"--color", "never", "-v", "run", "--config", "x", "-v"}).is_ok());
  EXPECT_EQ(color_, "never");
  EXPECT_EQ(verbosity_, 2);
}

TEST_F(ParseTest, DoubleDashEndsFlags) {
  ASSERT_TRUE(parse({"run", "--config", "x", "--", "--sample"}).is_ok());
  EXPECT_EQ(flags_.samples, (std::vector<std::string>{"--sample"}));
}

TEST_F(ParseTest, TheLastOfARepeatedValueWins) {
  ASSERT_TRUE(parse({"run", "--trials", "1", "--trials", "2"}).is_ok());
  EXPECT_EQ(flags_.trials, "2");
}

TEST_F(ParseTest, ValueInBracketsMayBeLeftOut) {
  std::optional<std::string> device;
  Command doctor;
  doctor.name = "doctor";
  doctor.flags = {{"--device", "[cuda:N]", "which", &device}};
  interface_.commands.push_back(doctor);
  ASSERT_TRUE(parse({"doctor"}).is_ok());
  EXPECT_EQ(device, std::nullopt);
  ASSERT_TRUE(parse({"doctor", "--device", "--json"}).is_ok());
  EXPECT_EQ(device, "");
  EXPECT_TRUE(json_);
  ASSERT_TRUE(parse({"doctor", "--device", "cuda:1"}).is_ok());
  EXPECT_EQ(device, "cuda:1");
  ASSERT_TRUE(parse({"doctor", "--device=cuda:2"}).is_ok());
  EXPECT_EQ(device, "cuda:2");
}

TEST_F(ParseTest, ExplainsMistakes) {
  EXPECT_TRUE(mentions(error_of({"run", "--confg", "x"}), {"'--confg'", "'--config'"}));
  EXPECT_TRUE(contains(error_of({"run", "--trails=3"}), "did you mean '--trials'?"));
  EXPECT_TRUE(mentions(error_of({"rnu"}), {"'rnu'", "'run'"}));
  EXPECT_TRUE(contains(error_of({"run", "--warmup"}), "flag '--warmup' needs a value"));
  EXPECT_TRUE(contains(error_of({"run", "--json=3"}), "flag '--json' takes no value"));
  EXPECT_TRUE(contains(error_of({"run", "-y"}), "unknown flag '-y'"));
  EXPECT_EQ(parse({"run", "--confg"}).status().code(), Code::kUsage);
}

TEST_F(ParseTest, NoCommandIsNoError) {
  const auto command = parse({"-v"});
  ASSERT_TRUE(command.is_ok());
  EXPECT_EQ(*command, nullptr);
}

TEST_F(ParseTest, HelpShowsEveryFlagInAHundredColumns) {
  const Command run = make_commands().front();
  const std::string text = command_help(run, interface_.global_flags);
  for (const Flag& flag : run.flags) {
    const std::size_t long_name = flag.names.find("--");
    const std::string name = flag.names.substr(long_name == std::string::npos ? 0 : long_name);
    EXPECT_TRUE(contains(text, name)) << name;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_TRUE(contains(text, "usage: graphnet run [SAMPLE|DIR|LIST]... --config CONFIG"));
  EXPECT_TRUE(contains(program_help(interface_), "run"));
}

TEST(OutputFolder, IsMadeWhereItsParentIs) {
  tests::TempDir temp;
  const auto folder = temp.path() / "plots";
  EXPECT_TRUE(make_output_folder("--plots", folder).is_ok());
  EXPECT_TRUE(make_output_folder("--plots", folder).is_ok()) << "once more";
  EXPECT_TRUE(make_output_folder("--plots", folder / "new" / "").is_ok());
  const Status missing = make_output_folder("--plots", temp.path() / "polts" / "new");
  EXPECT_EQ(missing.code(), Code::kUsage);
  EXPECT_TRUE(mentions(missing.message(), {"--plots", "there is no folder", "polts"}));
  temp.write("file", "");
  EXPECT_EQ(make_output_folder("--plots", temp.path() / "file").code(), Code::kEnvironment);
}

TEST(Commands, EachHasANameASummaryAndWork) {
  std::set<std::string> names;
  for (const Command& command : make_commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_EQ(command.usage.rfind(command.name, 0), 0U) << command.name;
    EXPECT_TRUE(command.execute) << command.name;
    EXPECT_EQ(command.is_hidden, command.name[0] == '_') << command.name;
  }
}

TEST(Commands, OwnWhatTheirFlagsAreStoredIn) {
  Interface interface;
  interface.commands = make_commands();  // made twice, so that nothing is shared
  const std::vector<Command> others = make_commands();
  ASSERT_TRUE(parse_command_line({"plugin", "info", "nope"}, interface).is_ok());
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].name != "plugin") continue;
    EXPECT_EQ(interface.commands[i].positionals.target->size(), 2U);
    EXPECT_TRUE(others[i].positionals.target->empty());
  }
}

TEST(RunOptions, AreTypedAndChecked) {
  const config::Installation nowhere;
  RunFlags flags;
  EXPECT_TRUE(
      contains(check_run_flags(flags, nowhere).status().to_string(), "--config is missing"));
  flags.configs = {"x.yaml"};
  flags.warmup = "0";
  flags.trials = "7";
  flags.threads = "auto";
  flags.timeout = "90";
  flags.fail_on = "error";
  const auto options = check_run_flags(flags, nowhere);
  ASSERT_TRUE(options.is_ok()) << options.status().to_string();
  config::RunConfig config;
  config.threads = 5;
  config.protocol.method = "upstream";
  ASSERT_TRUE(apply_run_options(*options, nowhere, config).is_ok());
  EXPECT_EQ(config.protocol.warmup, 0);
  EXPECT_EQ(config.protocol.trials, 7);
  EXPECT_EQ(config.threads, 0);
  EXPECT_EQ(config.timeouts.at("compile"), std::chrono::milliseconds(90000));
  EXPECT_EQ(config.timeouts.at("run"), std::chrono::milliseconds(90000));
  EXPECT_EQ(config.timeouts.at("eager"), std::chrono::milliseconds(600000));
  EXPECT_EQ(config.origins.at("threads"), "--threads");
  EXPECT_EQ(options->fail_on, FailOn::kError);
}

TEST(RunOptions, CountsOfCallsGoWithProtocolUpstream) {
  RunFlags flags;
  flags.configs = {"x.yaml"};
  flags.trials = "7";
  const auto options = check_run_flags(flags, {});
  ASSERT_TRUE(options.is_ok());
  config::RunConfig config;
  const base::Status applied = apply_run_options(*options, {}, config);
  EXPECT_EQ(applied.code(), base::Code::kUsage);
  EXPECT_TRUE(contains(applied.to_string(), "--trials needs protocol upstream"));
  EXPECT_TRUE(contains(applied.to_string(), "add --protocol upstream"));
}

TEST(RunOptions, AFirstRunIsQuick) {
  const tests::TempDir temp;
  config::Installation installation;
  installation.source_tree = tests::source_dir();
  const std::string backend = "schema: graphnet/run/v1\nbackend: {name: nope}\n";
  const auto plain = temp.write("plain.yaml", backend);
  const auto timed = temp.write("timed.yaml", backend + "protocol: {half_width: 0.01}\n");
  const auto sampled = temp.write("sampled.yaml", backend + "samples: [a]\n");
  const auto is_first_run = [&installation](const RunFlags& flags) {
    auto options = check_run_flags(flags, installation);
    EXPECT_TRUE(options.is_ok()) << options.status().to_string();
    const std::size_t num_given = options->repeat_flags.size();
    quicken_first_run(installation, *options);
    EXPECT_EQ(options->protocol == "smoke", options->is_first_run);
    EXPECT_EQ(options->repeat_flags.size() == num_given + 2, options->is_first_run);
    return options->is_first_run;
  };
  RunFlags flags;
  flags.configs = {plain};
  EXPECT_TRUE(is_first_run(flags));
  flags.configs = {plain, timed};
  EXPECT_FALSE(is_first_run(flags));
  flags.configs = {sampled};
  EXPECT_FALSE(is_first_run(flags));
  flags.configs = {plain, "none.yaml"};
  EXPECT_FALSE(is_first_run(flags));
  flags.configs = {plain};
  flags.samples = {"a"};
  EXPECT_FALSE(is_first_run(flags));
  flags.samples.clear();
  flags.trials = "7";
  EXPECT_FALSE(is_first_run(flags));
}

TEST(RunOptions, RefuseMoreThreadsThanCores) {
  config::RunConfig config;
  EXPECT_TRUE(check_threads(config, 2).is_ok());
  config.threads = 2;
  EXPECT_TRUE(check_threads(config, 2).is_ok());
  config.threads = 64;
  config.origins["threads"] = "x.yaml:7:3";
  const base::Status from_file = check_threads(config, 2);
  EXPECT_EQ(from_file.code(), base::Code::kInput);
  EXPECT_TRUE(mentions(from_file.to_string(), {"x.yaml:7:3:", "threads", "64", "2"}));
  config.origins["threads"] = "--threads";
  const base::Status from_flag = check_threads(config, 1);
  EXPECT_EQ(from_flag.code(), base::Code::kUsage);
  EXPECT_TRUE(mentions(from_flag.to_string(), {"--threads", "64", "1"}));
  config.threads = 0;
  config.compile_threads = 3;
  EXPECT_TRUE(contains(check_threads(config, 2).to_string(), "compile_threads is 3"));
}

TEST(RunOptions, RefuseBadValues) {
  const auto refused = [](std::optional<std::string> RunFlags::*flag, const char* value) {
    RunFlags flags;
    flags.configs = {"x.yaml"};
    flags.*flag = value;
    return check_run_flags(flags, config::Installation()).status().message();
  };
  EXPECT_TRUE(mentions(refused(&RunFlags::warmup, "-1"), {"--warmup", "0", "1000000", "'-1'"}));
  EXPECT_TRUE(mentions(refused(&RunFlags::trials, "0"), {"--trials", "1", "1000000", "'0'"}));
  EXPECT_TRUE(mentions(refused(&RunFlags::threads, "x"), {"--threads", "auto", "integer"}));
  EXPECT_TRUE(mentions(refused(&RunFlags::timeout, "1d"), {"--timeout", "duration"}));
  EXPECT_TRUE(
      mentions(refused(&RunFlags::fail_on, "x"), {"--fail-on", "any, failed, error", "never"}));
  EXPECT_TRUE(mentions(refused(&RunFlags::output, "-"), {"--output", "file"}));
  RunFlags both;
  both.configs = {"x"};
  both.output = "a";
  both.resume = "b";
  EXPECT_TRUE(
      contains(check_run_flags(both, config::Installation()).status().message(), "exclude"));
}

TEST(RunOptions, FailOnSelectsOutcomes) {
  EXPECT_FALSE(record::fails_run(record::Outcome::kOk, FailOn::kAny));
  EXPECT_TRUE(record::fails_run(record::Outcome::kUnsupported, FailOn::kAny));
  EXPECT_TRUE(record::fails_run(record::Outcome::kSkipped, FailOn::kAny));
  EXPECT_FALSE(record::fails_run(record::Outcome::kSkipped, FailOn::kFailed));
  EXPECT_TRUE(record::fails_run(record::Outcome::kUnsupported, FailOn::kFailed));
  EXPECT_FALSE(record::fails_run(record::Outcome::kSkipped, FailOn::kError));
  EXPECT_FALSE(record::fails_run(record::Outcome::kUnsupported, FailOn::kError));
  EXPECT_TRUE(record::fails_run(record::Outcome::kCrashed, FailOn::kError));
  EXPECT_TRUE(record::fails_run(record::Outcome::kAccuracyMismatch, FailOn::kError));
  EXPECT_FALSE(record::fails_run(record::Outcome::kCrashed, FailOn::kNever));
}

TEST(SelectSamples, SamplesFoldersAndLists) {
  const tests::TempDir temp;
  for (const char* name : {"b", "a", "c"}) {
    temp.write(std::string("samples/f/") + name + "/model.py", "");
    temp.write(std::string("samples/f/") + name + "/graph_net.json", "{}");
  }
  const auto list =
      temp.write("list.txt", "# comment\nsamples/f/c   # this one\r\n\n\tsamples/f/a\n");
  const auto names = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> result;
    const auto samples = select_samples({}, arguments);
    EXPECT_TRUE(samples.is_ok()) << samples.status().to_string();
    if (!samples.is_ok()) return result;
    for (const auto& sample : *samples) result.push_back(sample.name);
    return result;
  };
  using Names = std::vector<std::string>;
  const std::string folder = temp.path().string();
  EXPECT_EQ(names({folder}), (Names{"f/a", "f/b", "f/c"}));
  EXPECT_EQ(names({list.string()}), (Names{"f/c", "f/a"}));
  EXPECT_EQ(names({list.string(), folder}), (Names{"f/c", "f/a", "f/b"}));
  EXPECT_EQ(names({folder + "/samples/f/c", folder + "/samples/f/c"}), Names{"f/c"});
  EXPECT_EQ(select_samples({}, {folder + "/samples/f/a"})->at(0).family, "f");

  EXPECT_EQ(select_samples({}, {folder + "/none"}).status().code(), Code::kInput);
  const auto partly = temp.write("partly.txt", "samples/f/b\nsamples/f/none\nsamples/f/a\n");
  EXPECT_EQ(names({partly.string()}), (Names{"f/b", "f/none", "f/a"}));
  EXPECT_EQ(select_samples({}, {partly.string()})->at(1).content_sha256, "");
  const auto bad = temp.write("bad.txt", "\nsamples/f/none\nother\n");
  EXPECT_TRUE(
      contains(select_samples({}, {bad.string()}).status().to_string(), "line 2 of the list"));
  const auto empty = temp.write("empty.txt", "# nothing\n");
  EXPECT_EQ(select_samples({}, {empty.string()}).status().code(), Code::kInput);
}

/// An installation whose bundled samples are f/alpha, f/beta, g/alpha.
class SampleNames : public ::testing::Test {
 protected:
  SampleNames() {
    for (const char* name : {"f/alpha", "f/beta", "g/alpha"}) {
      temp_.write(std::string("share/graphnet/samples/") + name + "/model.py", "");
      temp_.write(std::string("share/graphnet/samples/") + name + "/graph_net.json", "{}");
    }
    installation_.executable_folder = temp_.path() / "bin";
    // Samples of the folder that it runs in would count, too.
    std::filesystem::current_path(temp_.path());
  }
  ~SampleNames() override { std::filesystem::current_path(started_in_); }

  std::vector<std::string> selected(const std::vector<std::string>& arguments) {
    std::vector<std::string> names;
    auto samples = select_samples(installation_, arguments);
    EXPECT_TRUE(samples.is_ok()) << samples.status().to_string();
    if (!samples.is_ok()) return names;
    for (const auto& sample : *samples) names.push_back(sample.name);
    return names;
  }

  const std::filesystem::path started_in_ = std::filesystem::current_path();
  tests::TempDir temp_;
  config::Installation installation_;
};

TEST_F(SampleNames, AreArgumentsAsTablesPrintThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(selected({"f/beta"}), Names{"f/beta"});
  EXPECT_EQ(selected({"beta"}), Names{"f/beta"});
  EXPECT_EQ(selected({"f"}), (Names{"f/alpha", "f/beta"}));
  EXPECT_EQ(selected({"beta", "f"}), (Names{"f/beta", "f/alpha"}));
  const auto list = temp_.write("list.txt", "g/alpha\nbeta\n");
  EXPECT_EQ(selected({list.string()}), (Names{"g/alpha", "f/beta"}));
  EXPECT_EQ(known_samples(installation_), (Names{"f/alpha", "f/beta", "g/alpha"}));
}

TEST_F(SampleNames, ThatSeveralHaveOrNoneAreExplained) {
  const Status several = select_samples(installation_, {"alpha"}).status();
  EXPECT_EQ(several.code(), Code::kUsage);
  EXPECT_EQ(several.hints(), (std::vector<std::string>{"f/alpha", "g/alpha"}));
  for (const auto& [typo, meant] : {std::pair("f/betta", "'f/beta'"), {"bta", "'beta'"}}) {
    const Status none = select_samples(installation_, {typo}).status();
    EXPECT_EQ(none.code(), Code::kInput);
    ASSERT_FALSE(none.hints().empty());
    EXPECT_TRUE(contains(none.hints()[0], meant)) << none.to_string();
  }
  const std::string path = (temp_.path() / "share/graphnet/samples/f/betaa").string();
  EXPECT_TRUE(contains(select_samples(installation_, {path}).status().hints().at(0), "/f/beta'"));
}

TEST_F(SampleNames, PatternsKeepSome) {
  const auto kept = [&](const std::string& pattern) {
    auto samples = *select_samples(installation_, {"f", "g"});
    const Status status = keep_matching(pattern, samples);
    return status.is_ok() ? static_cast<int>(samples.size()) : -1;
  };
  EXPECT_EQ(kept("ALPHA"), 2);
  EXPECT_EQ(kept("f/"), 2);
  EXPECT_EQ(kept("f/*a"), 2);
  EXPECT_EQ(kept("[f]/b*"), 1);
  EXPECT_EQ(kept("bet?"), 1) << "a glob is for the whole name or its last part";
  EXPECT_EQ(kept("bet"), 1);
  EXPECT_EQ(kept("f/*b"), -1);
  EXPECT_EQ(kept("gamma"), -1);
}

TEST(OutputFile, IsCheckedBeforeAnyWork) {
  const tests::TempDir temp;
  EXPECT_TRUE(check_output_file("-o", temp.path() / "new.jsonl").is_ok());
  EXPECT_TRUE(check_output_file("-o", temp.write("old.jsonl", "")).is_ok());
  EXPECT_TRUE(check_output_file("-o", "here.jsonl").is_ok());
  EXPECT_EQ(check_output_file("-o", temp.path()).code(), Code::kUsage);
  const Status missing = check_output_file("-o", temp.path() / "a/b/new.jsonl");
  EXPECT_EQ(missing.code(), Code::kUsage);
  EXPECT_TRUE(contains(missing.hints().back(), "mkdir -p "));
  EXPECT_FALSE(std::filesystem::exists(temp.path() / "a"));
}

TEST(SlowestSamples, AreListedByPhase) {
  SlowestSamples slowest(1);
  EXPECT_EQ(slowest.text(), "");
  for (const double factor : {1.0, 3.0}) {
    record::Record record;
    record.sample = factor > 1 ? "f/slow" : "f/fast";
    record.plugin = "acme";
    record.phases_ns = {{"load", 1e5 * factor}, {"compile", 4e7 * factor}, {"time", 6e7 * factor}};
    slowest.add(record);
  }
  slowest.add(record::Record());
  EXPECT_EQ(slowest.text(),
            "slowest 1 of 2, by phase\n  f/slow  acme  300 ms: time 180 ms, compile 120 ms\n");
}

TEST(Diagnostics, HasOneForm) {
  Status status(Code::kInput, "x.yaml:1:5: bad\n  a:  b\n      ^");
  status.add_context("where").add_hint("this");
  EXPECT_EQ(format_error(status, false),
            "graphnet: error: x.yaml:1:5: bad\n    a:  b\n        ^\n  at:  where\n  try: this\n");
  EXPECT_TRUE(contains(format_error(status, true), "\x1B["));
  EXPECT_FALSE(contains(format_error(Status(Code::kInput, "a\x1B[2Jb"), false), "\x1B"));
}

TEST(Diagnostics, HintsNameTheCommandAsTyped) {
  ::unsetenv("GRAPHNET_COMMAND");
  EXPECT_EQ(as_typed("graphnet doctor"), "graphnet doctor");
  ::setenv("GRAPHNET_COMMAND", "./graphnet", 1);
  EXPECT_EQ(as_typed("graphnet doctor"), "./graphnet doctor");
  EXPECT_EQ(as_typed("without Slurm: graphnet run"), "without Slurm: ./graphnet run");
  EXPECT_EQ(as_typed("use the graphnet that wrote it"), "use the graphnet that wrote it");
  Status status(Code::kUsage, "bad");
  status.add_hint("graphnet help");
  EXPECT_TRUE(contains(format_error(status, false), "  try: ./graphnet help\n"));
  ::unsetenv("GRAPHNET_COMMAND");
}

TEST(Diagnostics, ExitCodesFollowTheTable) {
  EXPECT_EQ(exit_code_of(Code::kUsage), 2);
  EXPECT_EQ(exit_code_of(Code::kInput), 3);
  EXPECT_EQ(exit_code_of(Code::kPlugin), 4);
  EXPECT_EQ(exit_code_of(Code::kEnvironment), 5);
  EXPECT_EQ(exit_code_of(Code::kInternal), 70);
}

TEST(TerminalColor, EnvironmentDecides) {
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  EXPECT_TRUE(examine_terminal(99, ColorMode::kAlways).color);
  EXPECT_FALSE(examine_terminal(99, ColorMode::kAuto).color);
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(examine_terminal(99, ColorMode::kAuto).color);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(examine_terminal(99, ColorMode::kAuto).color);
  EXPECT_TRUE(examine_terminal(99, ColorMode::kAlways).color);
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  EXPECT_FALSE(parse_color_mode("red").is_ok());
}

}  // namespace cli_test
}  // namespace graphnet::cli
