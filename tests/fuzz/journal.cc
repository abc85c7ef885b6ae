// SPDX-License-Identifier: MIT
// Results files: read, opened for appending, read again.
#include "fuzz/promise.h"
#include "journal/journal_file.h"

namespace graphnet::fuzz {
namespace {

std::string text_of(const record::Record& record) {
  return base::dump_json(record::to_json(record));
}

void check_record(const record::Record& record) {
  const std::string text = text_of(record);
  const auto json = base::parse_json(text, "record");
  expect(json.is_ok(), "a printed record is JSON");
  const auto again = record::record_from_json(*json);
  expect(again.is_ok(), "a printed record reads: " + again.status().message());
  expect(text_of(*again) == text, "a printed record prints the same");
}

/// Opens the file as `run -o` does, which cuts a torn line off, and appends.
void check_append(const std::filesystem::path& file, const journal::JournalContent& before) {
  auto opened = journal::JournalFile::open(file, base::Json::object());
  expect(opened.is_ok(), "a readable journal can be continued");
  record::Record record;
  record.sample = "family/model";
  record.plugin = "nope";
  record.outcome = record::Outcome::kOk;
  expect(opened->append(record).is_ok(), "a record can be appended");
  const auto after = journal::read_journal(file);
  expect(after.is_ok(), "a continued journal is readable");
  expect(after->records.size() == before.records.size() + 1, "no record is lost");
  for (const std::string& note : after->notes) {
    expect(note.find("incomplete") == std::string::npos, "the torn line is gone");
  }
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  static const fuzz::Scratch scratch;
  const std::string_view text = fuzz::as_text(data, size);
  const auto file = scratch.write("results.jsonl", text);
  const auto content = journal::read_journal(file);
  if (!content.is_ok()) {
    fuzz::expect(content.status().code() == base::Code::kInput, "a bad journal is an input error");
    fuzz::expect_clear_failure(content.status(), file.string(), text, /*needs_location=*/false);
    // A refused file may still be opened if only a record is bad; it must not crash.
    if (!text.empty()) (void)journal::JournalFile::open(file, base::Json::object()).is_ok();
    return 0;
  }
  for (const record::Record& record : content->records) fuzz::check_record(record);
  fuzz::check_append(file, *content);
  return 0;
}
