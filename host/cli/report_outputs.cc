// SPDX-License-Identifier: MIT
#include "cli/report_outputs.h"

#include <filesystem>
#include <iostream>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "report/html_page.h"
#include "report/png.h"
#include "report/read_report.h"
#include "report/summary.h"
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

Status check(const Context& context, const ReportOutputFlags& flags) {
  const bool html_to_output = flags.html && *flags.html == "-";
  const int num_outputs = (context.flags.json ? 1 : 0) + (flags.markdown ? 1 : 0) +
                          (flags.csv ? 1 : 0) + (html_to_output ? 1 : 0);
  if (num_outputs > 1) {
    return Status(Code::kUsage,
                  "only one of --json, --markdown, --csv and --html - can have standard output");
  }
  if (flags.png && !flags.plots) {
    return Status(Code::kUsage, "--png says how to write plots, and there is no --plots FOLDER");
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

std::vector<report::Chart> all_charts(const report::Report& report) {
  report::ReportCharts charts = report::report_charts(report);
  std::vector<report::Chart> all;
  std::set<std::string> names;
  for (auto* group : {&charts.scores, &charts.speedups, &charts.scatters, &charts.groups}) {
    for (report::Chart& chart : *group) {
      // Two labels may differ in characters only that no file name should have.
      const std::string name = chart.name;
      for (int i = 2; !names.insert(chart.name).second; ++i) {
        chart.name = name + "-" + std::to_string(i);
      }
      all.push_back(std::move(chart));
    }
  }
  return all;
}

Status write_plots(const Context& context, const fs::path& folder, const fs::path& converter,
                   const report::Report& report) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Status(Code::kEnvironment,
                  "cannot make folder '" + folder.string() + "': " + error.message());
  }
  const auto charts = all_charts(report);
  for (const report::Chart& chart : charts) {
    const fs::path svg = folder / (chart.name + ".svg");
    GN_RETURN_IF_ERROR(base::write_file_atomic(svg, chart.standalone));
    if (converter.empty()) continue;
    GN_RETURN_IF_ERROR(report::write_png(converter, svg, folder / (chart.name + ".png")));
  }
  say(context, "wrote " + std::to_string(charts.size()) + " charts to " + folder.string());
  return Status::ok();
}

}  // namespace

std::vector<Flag> report_output_flags(ReportOutputFlags& flags) {
  return {
      {"--html", "FILE", "write one page with charts and all results; - is standard output",
       &flags.html},
      {"--plots", "DIR", "write every chart as an SVG file", &flags.plots},
      {"--png", "", "with --plots: PNG files too, by rsvg-convert", &flags.png},
      {"--markdown", "", "print a summary for a comment or an issue", &flags.markdown},
      {"--csv", "", "print one line for each sample and backend", &flags.csv},
      {"--by-file", "", "with these forms: a backend for each file", &flags.by_file},
  };
}

bool has_report_output(const ReportOutputFlags& flags) {
  return flags.html || flags.plots || flags.png || flags.markdown || flags.csv;
}

Result<int> write_report_outputs(const Context& context, const std::vector<std::string>& results,
                                 const ReportOutputFlags& flags) {
  GN_RETURN_IF_ERROR(check(context, flags));
  fs::path converter;
  if (flags.png) {
    GN_ASSIGN_OR_RETURN(converter, report::find_svg_converter());
  }
  report::ReadReportSettings settings;
  settings.by_file = flags.by_file;
  GN_ASSIGN_OR_RETURN(const report::Report report,
                      report::read_report({results.begin(), results.end()}, settings));
  if (flags.html) GN_RETURN_IF_ERROR(write_html(context, *flags.html, report));
  if (flags.plots) GN_RETURN_IF_ERROR(write_plots(context, *flags.plots, converter, report));
  if (flags.markdown) std::cout << report::markdown_report(report);
  if (flags.csv) std::cout << report::csv_report(report);
  for (const std::string& note : report.notes) say(context, "note: " + note);
  return kExitDone;
}

}  // namespace graphnet::cli
