// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/path_list.h"
#include "cli/sample_actions.h"
#include "cli/sample_entries.h"
#include "cli/sample_progress.h"
#include "index/catalog.h"
#include "index/subset.h"
#include "report/terminal_text.h"
#include "sample/sample.h"
#include "split/operators.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using index::Catalog;
using index::CatalogSample;

namespace {

constexpr int kMostSamples = 100000000;

/// What is chosen from, and what was left out of it.
struct Offer {
  Catalog catalog;
  std::vector<LeftOutSample> left_out;
};

/// The operators of a sample of which the index has none.
Status read_op_names(CatalogSample& sample) {
  GN_ASSIGN_OR_RETURN(const sample::Sample loaded, sample::load_sample(sample.folder));
  sample.op_names.emplace();
  for (split::Operator& one : split::operators_of(loaded.program)) {
    sample.op_names->push_back(std::move(one.name));
  }
  return Status::ok();
}

Result<Offer> offer_of_index(const Context& context, const SampleFlags& flags,
                             std::optional<index::SampleType> type) {
  if (flags.arguments.size() > 2) {
    return Status(Code::kUsage, "sample select takes one index, or folders of samples");
  }
  Offer offer;
  GN_ASSIGN_OR_RETURN(offer.catalog, index::read_index(flags.arguments[1]));
  SampleProgress progress(context, offer.catalog.samples.size());
  for (CatalogSample& sample : offer.catalog.samples) {
    if (type && sample.type != *type) continue;
    Status status;
    if (sample.folder.empty()) {
      status = Status(Code::kInput, "no sample is there any more")
                   .add_hint("index the samples again where they are now");
    } else if (!sample.op_names) {
      progress.begin(sample.folder);
      status = read_op_names(sample);
    }
    if (status.is_ok()) continue;
    offer.left_out.push_back(leave_out(context, sample.relative_path, std::move(status)));
    sample.op_names.reset();
  }
  return offer;
}

Result<Offer> make_offer(const Context& context, const SampleFlags& flags,
                         std::optional<index::SampleType> type) {
  std::error_code ignored;
  if (fs::is_regular_file(flags.arguments[1], ignored)) return offer_of_index(context, flags, type);
  GN_ASSIGN_OR_RETURN(SampleEntries read, read_sample_entries(context, flags, std::nullopt));
  return Offer{index::catalog_of(read.entries), std::move(read.left_out)};
}

/// Positions of samples that go together: one, or the largest group of a sequence of operators.
using Unit = std::vector<std::size_t>;

std::vector<Unit> units_of(const Catalog& catalog, const SampleFlags& flags,
                           std::optional<index::SampleType> type) {
  std::vector<Unit> units;
  if (flags.groups) {
    units = index::largest_groups(catalog);
  } else {
    for (std::size_t i = 0; i < catalog.samples.size(); ++i) units.push_back({i});
  }
  const auto is_out = [&](std::size_t i) {
    const CatalogSample& sample = catalog.samples[i];
    return !sample.op_names || (type && sample.type != *type);
  };
  for (Unit& unit : units) unit.erase(std::remove_if(unit.begin(), unit.end(), is_out), unit.end());
  units.erase(std::remove_if(units.begin(), units.end(), [](auto& unit) { return unit.empty(); }),
              units.end());
  return units;
}

struct CatalogSelection {
  std::size_t num_asked = 0;
  std::vector<Unit> units;
  index::Subset subset;

  std::size_t num_samples() const {
    std::size_t count = 0;
    for (const index::Choice& choice : subset.chosen) count += units[choice.position].size();
    return count;
  }
};

Result<std::size_t> read_num_asked(const SampleFlags& flags) {
  GN_ASSIGN_OR_RETURN(const auto count, read_count("--count", flags.count, 1, kMostSamples));
  if (count) return static_cast<std::size_t>(*count);
  return Status(Code::kUsage, "sample select needs -k N")
      .add_hint("graphnet sample select DIR -k 20 --output subset.txt");
}

Result<CatalogSelection> choose(const Catalog& catalog, const SampleFlags& flags,
                                std::optional<index::SampleType> type, std::size_t num_asked) {
  CatalogSelection selection;
  selection.num_asked = num_asked;
  selection.units = units_of(catalog, flags, type);
  if (selection.units.empty()) {
    return Status(Code::kInput, flags.groups ? "there are no groups of samples to select from"
                                             : "there are no samples to select from")
        .add_hint(flags.groups ? "only pieces of samples are in groups; without --groups single "
                                 "samples are selected"
                               : "--type names the type of samples");
  }
  std::vector<std::vector<std::string>> sequences;
  for (const Unit& unit : selection.units) {
    sequences.push_back(*catalog.samples[unit[0]].op_names);
  }
  selection.subset = index::choose_subset(sequences, selection.num_asked);
  return selection;
}

/// The list that `run` takes: relative to its folder where the sample is below it.
Result<std::string> list_text(const Catalog& catalog, const CatalogSelection& selection,
                              const std::optional<std::string>& output) {
  std::error_code ignored;
  const fs::path base =
      output ? fs::absolute(*output, ignored).lexically_normal().parent_path() : fs::path();
  std::string text = "# " + base::counted(selection.num_samples(), "sample") + ", " +
                     std::to_string(selection.subset.num_covered) + " of " +
                     base::counted(selection.subset.num_edges, "pair") + " of operators\n";
  for (const index::Choice& choice : selection.subset.chosen) {
    for (const std::size_t i : selection.units[choice.position]) {
      const fs::path folder = fs::absolute(catalog.samples[i].folder, ignored).lexically_normal();
      const fs::path relative = output ? folder.lexically_relative(base) : fs::path();
      const bool is_below = !relative.empty() && *relative.begin() != "..";
      const std::string line = (is_below ? relative : folder).generic_string();
      if (!fits_list(line)) {
        return Status(Code::kInput, "'" + line + "' cannot stand in a list of paths")
            .add_hint("give its folder a name without '#', line breaks and blanks at its ends");
      }
      text += line + "\n";
    }
  }
  return text;
}

Json selection_json(const SampleFlags& flags, const Offer& offer,
                    const CatalogSelection& selection) {
  Json rows = Json::array();
  for (const index::Choice& choice : selection.subset.chosen) {
    for (const std::size_t i : selection.units[choice.position]) {
      const CatalogSample& sample = offer.catalog.samples[i];
      rows.push_back({{"path", sample.folder.string()},
                      {"name", sample::sample_name(sample.folder)},
                      {"type", index::type_name(sample.type)},
                      {"operators", sample.op_names ? sample.op_names->size() : 0},
                      {"new_pairs", choice.new_edges},
                      {"rarity", choice.rarity}});
    }
  }
  const bool is_written = flags.output && !flags.dry_run;
  return {{"schema", "graphnet.selection/1"},
          {"written", is_written ? Json(*flags.output) : Json()},
          {"asked", selection.num_asked},
          {"of", selection.units.size()},
          {"selected", selection.subset.chosen.size()},
          {"pairs", selection.subset.num_edges},
          {"covered_pairs", selection.subset.num_covered},
          {"samples", std::move(rows)},
          {"left_out", left_out_json(offer.left_out)}};
}

std::string selection_text(const SampleFlags& flags, const CatalogSelection& selection) {
  std::string text = std::to_string(selection.subset.chosen.size()) + " of " +
                     base::counted(selection.units.size(), flags.groups ? "group" : "sample");
  if (flags.groups) text += ", " + base::counted(selection.num_samples(), "sample");
  return text + ", with " + std::to_string(selection.subset.num_covered) + " of " +
         base::counted(selection.subset.num_edges, "pair") + " of operators";
}

}  // namespace

Result<int> select_subset(const Context& context, const SampleFlags& flags) {
  GN_ASSIGN_OR_RETURN(const std::size_t num_asked, read_num_asked(flags));
  GN_RETURN_IF_ERROR(check_new_output(flags));
  GN_ASSIGN_OR_RETURN(const auto type, read_sample_type(flags));
  GN_ASSIGN_OR_RETURN(const Offer offer, make_offer(context, flags, type));
  GN_ASSIGN_OR_RETURN(const CatalogSelection selection,
                      choose(offer.catalog, flags, type, num_asked));
  GN_ASSIGN_OR_RETURN(const std::string list, list_text(offer.catalog, selection, flags.output));
  const bool is_written = flags.output && !flags.dry_run;
  if (is_written) GN_RETURN_IF_ERROR(base::write_file_atomic(*flags.output, list));
  if (selection.subset.chosen.size() < selection.num_asked && !context.flags.quiet) {
    std::cerr << "note: " << selection.num_asked << " were asked for, and all "
              << selection.units.size() << " that there are were selected\n";
  }
  if (context.flags.json) {
    std::cout << base::dump_json(selection_json(flags, offer, selection)) << '\n';
  } else if (!flags.output) {
    std::cout << list;
  } else {
    std::cout << selection_text(flags, selection) << (is_written ? ": " : "; would be written to ")
              << report::printable(*flags.output) << '\n';
  }
  return offer.left_out.empty() ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
