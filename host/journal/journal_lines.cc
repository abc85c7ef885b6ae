// SPDX-License-Identifier: MIT
#include "journal/journal_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/field_reader.h"
#include "base/file.h"
#include "journal/checked_line.h"

namespace graphnet::journal {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

Status cannot_read(const std::filesystem::path& path, int error) {
  return Status(Code::kInput, "cannot read '" + path.string() + "': " + std::strerror(error));
}

/// Cuts a file into lines; memory for one line and a block.
class LineSource {
 public:
  static Result<LineSource> open(const std::filesystem::path& path) {
    // A named pipe would block here for ever.
    base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.is_open()) return cannot_read(path, errno);
    struct stat file = {};
    if (::fstat(fd.get(), &file) != 0) return cannot_read(path, errno);
    if (!S_ISREG(file.st_mode)) {
      return Status(Code::kInput, "'" + path.string() + "' is not a regular file");
    }
    return LineSource(path, std::move(fd));
  }

  /// The next complete line, valid until the next call; nothing at the end of the file, where
  /// rest() is what follows the last line feed.
  ///
  /// errors   kInput: cannot be read, or the line is longer than `max_bytes`
  Result<std::optional<std::string_view>> next(std::size_t max_bytes) {
    for (std::size_t searched = 0;;) {
      const std::size_t end = buffer_.find('\n', begin_ + searched);
      const std::size_t length = std::min(end, buffer_.size()) - begin_;
      if (length > max_bytes) {
        return Status(Code::kInput,
                      "the line has more bytes than the limit of " + std::to_string(max_bytes));
      }
      if (end != std::string::npos) {
        const std::size_t begin = std::exchange(begin_, end + 1);
        return std::optional<std::string_view>(std::string_view(buffer_).substr(begin, length));
      }
      searched = length;
      GN_ASSIGN_OR_RETURN(const bool is_more, fill());
      if (!is_more) return std::optional<std::string_view>();
    }
  }

  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }

 private:
  LineSource(const std::filesystem::path& path, base::UniqueFd fd)
      : path_(path), fd_(std::move(fd)) {}

  Result<bool> fill() {
    constexpr std::size_t kBlock = std::size_t{256} << 10;
    buffer_.erase(0, begin_);
    begin_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kBlock);
    ssize_t got = 0;
    do {
      got = ::read(fd_.get(), buffer_.data() + before, kBlock);
    } while (got < 0 && errno == EINTR);
    buffer_.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0) return cannot_read(path_, errno);
    return got > 0;
  }

  std::filesystem::path path_;
  base::UniqueFd fd_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of what was not handed out yet
};

}  // namespace

Status not_a_journal(const std::filesystem::path& path, const Status& reason) {
  Status status(
      Code::kInput,
      "'" + path.string() + "' cannot be read as a graphnet results file: " + reason.message());
  for (const auto& hint : reason.hints()) status.add_hint(hint);
  return status.add_hint("name another file, or move this one away");
}

std::string line_of(const std::filesystem::path& path, std::size_t number) {
  return path.string() + ":" + std::to_string(number);
}

Result<JournalHead> parse_header(std::string_view line) {
  JournalHead head;
  GN_ASSIGN_OR_RETURN(head.header, base::parse_json(line, "line 1"));
  GN_RETURN_IF_ERROR(
      base::check_schema(head.header, kJournalFamily, kNewestJournalSchema).add_context("line 1"));
  const std::string schema = head.header["schema"].get<std::string>();
  head.version = std::stoi(schema.substr(schema.find('/') + 1));
  const CheckResult check = examine_check(line);
  if (check == CheckResult::kDamaged || (check == CheckResult::kAbsent && head.version > 1)) {
    return Status(Code::kInput, "its first line was damaged or changed");
  }
  head.header.erase("check");
  return head;
}

namespace {

/// True if the line may be used; if not, the reason is noted.
bool is_sound(std::string_view line, const std::string& where, JournalHead& head) {
  const CheckResult check = examine_check(line);
  if (check == CheckResult::kGood) return true;
  if (check == CheckResult::kAbsent && head.version == 1) return true;
  head.notes.push_back(where + ": the line was damaged or changed after it was written, and " +
                       "is left out");
  return false;
}

}  // namespace

Result<JournalHead> visit_journal(const std::filesystem::path& path, const OnLine& on_line) {
  GN_ASSIGN_OR_RETURN(LineSource source, LineSource::open(path));
  const auto first = source.next(kMaxHeaderBytes);
  if (!first.is_ok() || !first->has_value()) {
    return not_a_journal(path, Status(Code::kInput, "its first line is no header"));
  }
  Result<JournalHead> head = parse_header(**first);
  if (!head.is_ok()) return not_a_journal(path, head.status());
  for (std::size_t number = 2;; ++number) {
    const std::string where = line_of(path, number);
    auto line = source.next(kMaxLineBytes);
    if (!line.is_ok()) return Status(line.status()).add_context(where);
    if (!line->has_value()) {
      if (!source.rest().empty()) {
        head->notes.push_back(where + ": the last line is incomplete and was ignored");
      }
      return head;
    }
    if (is_sound(**line, where, *head))
      GN_RETURN_IF_ERROR(on_line(**line, number).add_context(where));
  }
}

}  // namespace graphnet::journal
