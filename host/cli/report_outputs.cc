// SPDX-License-Identifier: MIT
#include "cli/report_outputs.h"

#include <filesystem>
#include <iostream>

#include "base/file.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "cli/results_files.h"
#include "report/charts.h"
#include "report/html_page.h"
#include "report/png.h"
#include "report/read_report.h"
#include "report/terminal_text.h"
#include "report/text_report.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

void say(const Context& context, const std::string& text) {
  if (!context.flags.quiet) std::cerr << report::printable(text) << '\n';
}

Status check(const ReportOutputFlags& flags) {
  if (flags.markdown && flags.html && *flags.html == "-") {
    return Status(Code::kUsage, "--markdown and --html - cannot both have standard output");
  }
  if (flags.png && !flags.plots) {
    return Status(Code::kUsage, "--png needs --plots DIR");
  }
  return Status::ok();
}

Status write_html(const Context& context, const std::string& file, const report::Report& report) {
  const std::string page = report::html_page(report);
  if (file == "-") {
    std::cout << page;
    return Status::ok();
  }
  GN_RETURN_IF_ERROR(base::write_file_atomic(file, page));
  say(context, "wrote " + file + " (" + base::format_bytes(page.size()) + ")");
  return Status::ok();
}

Status write_plots(const Context& context, const fs::path& folder, const fs::path& converter,
                   const report::Report& report) {
  const std::vector<report::ReportChart> charts = report::draw_charts(report);
  for (const auto& [section, chart] : charts) {
    const fs::path svg = folder / (chart.name + ".svg");
    GN_RETURN_IF_ERROR(base::write_file_atomic(svg, chart.standalone));
    if (converter.empty()) continue;
    GN_RETURN_IF_ERROR(report::write_png(converter, svg, folder / (chart.name + ".png")));
  }
  GN_RETURN_IF_ERROR(base::write_file_atomic(folder / "results.csv", report::csv_report(report)));
  say(context, "wrote " + std::to_string(charts.size()) + " charts to " + folder.string());
  return Status::ok();
}

}  // namespace

std::vector<Flag> report_output_flags(ReportOutputFlags& flags) {
  return {
      {"--html", "FILE", "write one page with charts and all results; - is standard output",
       &flags.html},
      {"--plots", "DIR", "write every chart as an SVG file, and what they show as results.csv",
       &flags.plots},
      {"--junit", "FILE", "write the results as JUnit XML, a test case for each sample and backend",
       &flags.junit},
      {"--png", "", "with --plots: PNG files too, by rsvg-convert", &flags.png},
      {"--markdown", "", "print tables for a README or a comment: backends, families, scores",
       &flags.markdown},
      {"--by-file", "", "with these forms: a backend for each file", &flags.by_file},
  };
}

bool has_report_output(const ReportOutputFlags& flags) {
  return flags.html || flags.plots || flags.junit || flags.png || flags.markdown;
}

Result<int> write_report_outputs(const Context& context, const std::vector<std::string>& results,
                                 const ReportOutputFlags& flags) {
  if (results.empty()) {
    return Status(Code::kUsage, "report needs results").add_hint("graphnet report results");
  }
  GN_RETURN_IF_ERROR(check(flags));
  Status found = check_results(results);
  if (!found.is_ok() && flags.markdown) {
    found.add_hint("--markdown prints, it takes no file: --markdown > report.md");
  }
  GN_RETURN_IF_ERROR(found);
  if (flags.html && *flags.html != "-") {
    GN_RETURN_IF_ERROR(check_output_file("--html", *flags.html));
  }
  if (flags.junit) GN_RETURN_IF_ERROR(check_output_file("--junit", *flags.junit));
  if (flags.plots) GN_RETURN_IF_ERROR(make_output_folder("--plots", *flags.plots));
  fs::path converter;
  if (flags.png) {
    GN_ASSIGN_OR_RETURN(converter, report::find_svg_converter());
  }
  report::ReadReportSettings settings;
  settings.by_file = flags.by_file;
  if (flags.html) settings.depth = journal::JournalDepth::kAll;
  GN_ASSIGN_OR_RETURN(const report::Report report,
                      report::read_report({results.begin(), results.end()}, settings));
  if (flags.html) GN_RETURN_IF_ERROR(write_html(context, *flags.html, report));
  if (flags.plots) GN_RETURN_IF_ERROR(write_plots(context, *flags.plots, converter, report));
  if (flags.junit) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(*flags.junit, report::junit_report(report)));
  }
  if (flags.markdown) std::cout << report::markdown_report(report);
  for (const std::string& note : report.notes) say(context, "note: " + note);
  return kExitDone;
}

Status write_junit(const fs::path& results, const fs::path& file) {
  report::ReadReportSettings settings;
  settings.score.resamples = 0;  // no band is shown
  GN_ASSIGN_OR_RETURN(const report::Report report, report::read_report({results}, settings));
  return base::write_file_atomic(file, report::junit_report(report));
}

}  // namespace graphnet::cli
