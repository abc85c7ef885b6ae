// SPDX-License-Identifier: MIT
#include "journal/journal_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <iterator>
#include <string_view>

#include "journal/brief_line.h"
#include "journal/checked_line.h"
#include "journal/journal_lines.h"

namespace graphnet::journal {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

Status system_error(Code code, const std::string& what, const std::filesystem::path& path) {
  return Status(code, what + " '" + path.string() + "': " + std::strerror(errno));
}

// Every new header begins with these bytes; only a file that does is ever cut.
std::string header_start() {
  return std::string("{\"schema\":\"") + kJournalFamily + "/";
}

std::string header_line(const Json& facts) {
  Json header = Json::object();
  header["schema"] = kJournalFamily + ("/" + std::to_string(kNewestJournalSchema));
  header["record_schema"] = record::kRecordSchema;
  if (facts.is_object()) {
    for (const auto& [key, value] : facts.items()) {
      if (key != "schema" && key != "record_schema") header[key] = value;
    }
  }
  return with_check(base::dump_json(header)) + "\n";
}

Result<std::string> read_range(int fd, std::uint64_t offset, std::size_t num_bytes) {
  std::string bytes(num_bytes, '\0');
  std::size_t filled = 0;
  while (filled < num_bytes) {
    const ssize_t got =
        ::pread(fd, bytes.data() + filled, num_bytes - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Status(Code::kEnvironment, std::string("cannot read: ") + std::strerror(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

// Number of bytes up to and with the last line feed; 0 if there is none.
Result<std::uint64_t> end_of_last_line(int fd, std::uint64_t file_bytes) {
  constexpr std::uint64_t kChunk = 64 << 10;
  std::uint64_t end = file_bytes;
  while (end > 0) {
    const std::uint64_t begin = end > kChunk ? end - kChunk : 0;
    GN_ASSIGN_OR_RETURN(const std::string chunk,
                        read_range(fd, begin, static_cast<std::size_t>(end - begin)));
    const std::size_t found = chunk.rfind('\n');
    if (found != std::string::npos) return begin + found + 1;
    end = begin;
  }
  return std::uint64_t{0};
}

Status sync_folder_of(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  base::UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems refuse to sync a folder; the record itself is synced anyway.
  if (fd.is_open()) ::fsync(fd.get());
  return Status::ok();
}

Status write_header(int fd, const std::filesystem::path& path, const Json& facts) {
  GN_RETURN_IF_ERROR(base::write_all(fd, header_line(facts)).add_context(path.string()));
  if (::fsync(fd) != 0) return system_error(Code::kEnvironment, "cannot sync", path);
  return sync_folder_of(path);
}

Status truncate_to(int fd, const std::filesystem::path& path, std::uint64_t num_bytes) {
  if (::ftruncate(fd, static_cast<off_t>(num_bytes)) == 0) return Status::ok();
  return system_error(Code::kEnvironment, "cannot cut the torn end of", path);
}

// Leaves an existing file with its header and complete records only.
Status adopt_existing(int fd, const std::filesystem::path& path, std::uint64_t file_bytes,
                      const Json& facts) {
  const auto window =
      static_cast<std::size_t>(std::min<std::uint64_t>(file_bytes, kMaxHeaderBytes));
  GN_ASSIGN_OR_RETURN(const std::string start, read_range(fd, 0, window));
  const std::size_t header_end = start.find('\n');
  if (header_end == std::string::npos) {
    // Killed while the header was written: only then is there no line at all.
    if (start.rfind(header_start(), 0) != 0 || file_bytes > kMaxHeaderBytes) {
      return not_a_journal(path, Status(Code::kInput, "its first line is no header"));
    }
    GN_RETURN_IF_ERROR(truncate_to(fd, path, 0));
    return write_header(fd, path, facts);
  }
  const auto head = parse_header(std::string_view(start).substr(0, header_end));
  if (!head.is_ok()) return not_a_journal(path, head.status());
  GN_ASSIGN_OR_RETURN(const std::uint64_t complete, end_of_last_line(fd, file_bytes));
  return complete < file_bytes ? truncate_to(fd, path, complete) : Status::ok();
}

Result<base::UniqueFd> open_locked(const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    return Status(Code::kEnvironment,
                  "cannot create '" + path.parent_path().string() + "': " + error.message())
        .add_hint("write elsewhere with --output FILE");
  }
  base::UniqueFd fd(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644));
  if (!fd.is_open()) return system_error(Code::kEnvironment, "cannot open", path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Status(Code::kEnvironment,
                  "'" + path.string() + "' is being written by another graphnet");
  }
  return fd;
}

}  // namespace

Result<JournalFile> JournalFile::open(const std::filesystem::path& path, const Json& header,
                                      SyncRule rule) {
  GN_ASSIGN_OR_RETURN(base::UniqueFd fd, open_locked(path));
  struct stat file = {};
  if (::fstat(fd.get(), &file) != 0) return system_error(Code::kEnvironment, "cannot open", path);
  if (!S_ISREG(file.st_mode)) {
    return not_a_journal(path, Status(Code::kInput, "it is not a regular file"));
  }
  if (file.st_size == 0) {
    GN_RETURN_IF_ERROR(write_header(fd.get(), path, header));
  } else {
    GN_RETURN_IF_ERROR(
        adopt_existing(fd.get(), path, static_cast<std::uint64_t>(file.st_size), header));
  }
  return JournalFile(path, std::move(fd), std::move(rule));
}

JournalFile::JournalFile(std::filesystem::path path, base::UniqueFd fd, SyncRule rule)
    : path_(std::move(path)), fd_(std::move(fd)), schedule_(std::move(rule)) {}

JournalFile::~JournalFile() {
  if (fd_.is_open()) static_cast<void>(sync());
}

Status JournalFile::append(const record::Record& record) {
  return append_line(to_json(record));
}

Status JournalFile::append(const Control& control) {
  return append_line(to_json(control));
}

Status JournalFile::append_line(const Json& line) {
  struct stat before = {};
  if (::fstat(fd_.get(), &before) != 0)
    return system_error(Code::kEnvironment, "cannot write", path_);
  Status written = base::write_all(fd_.get(), with_check(base::dump_json(line)) + "\n");
  if (written.is_ok() && schedule_.is_due_after_append()) written = sync();
  if (written.is_ok()) return written;
  // If even this fails, the next open() cuts the torn line.
  if (::ftruncate(fd_.get(), before.st_size) != 0) written.add_context("the last line is torn");
  return written.add_context(path_.string())
      .add_hint("finished records are intact: make room, then continue with --resume " +
                path_.string());
}

Status JournalFile::sync() {
  if (!schedule_.is_pending()) return Status::ok();
  if (::fdatasync(fd_.get()) != 0) return system_error(Code::kEnvironment, "cannot sync", path_);
  schedule_.on_synced();
  return Status::ok();
}

namespace {

Status read_line(std::string_view line, JournalContent& content) {
  GN_ASSIGN_OR_RETURN(Json json, base::parse_json(line, "record"));
  if (is_control(json)) {
    GN_ASSIGN_OR_RETURN(Control control, control_from_json(json));
    content.controls.push_back(std::move(control));
  } else {
    GN_ASSIGN_OR_RETURN(record::Record record, record::record_from_json(std::move(json)));
    content.records.push_back(std::move(record));
  }
  return Status::ok();
}

template <typename Each>
void append(std::vector<Each>&& from, std::vector<Each>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Parses lines in groups, half of each on a second thread: parsing is most of what a report takes.
class LineParser {
 public:
  LineParser(const std::filesystem::path& path, JournalDepth depth, JournalContent& content)
      : path_(path), depth_(depth), content_(content) {}

  void add(std::string_view line, std::size_t number) {
    if (!failure_.is_ok()) return;
    lines_.push_back({std::string(line), number});
    num_bytes_ += line.size();
    if (num_bytes_ > kGroupBytes) parse_group();
  }

  /// errors   of the first line that is no record
  Status finish() {
    parse_group();
    return failure_;
  }

 private:
  static constexpr std::size_t kGroupBytes = std::size_t{8} << 20;

  struct Line {
    std::string text;
    std::size_t number = 0;
  };

  Result<JournalContent> parse(std::size_t begin, std::size_t end) const {
    JournalContent content;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string& text = lines_[i].text;
      const Status read = depth_ == JournalDepth::kAll ? read_line(text, content)
                                                       : read_line(brief_line(text), content);
      if (!read.is_ok()) return Status(read).add_context(line_of(path_, lines_[i].number));
    }
    return content;
  }

  void parse_group() {
    const std::size_t half = lines_.size() / 2;
    // Without a policy: where no thread can be had, get() parses.
    auto second = std::async([&] { return parse(half, lines_.size()); });
    take(parse(0, half));
    take(second.get());
    lines_.clear();
    num_bytes_ = 0;
  }

  void take(Result<JournalContent> parsed) {
    if (!failure_.is_ok()) return;
    if (!parsed.is_ok()) {
      failure_ = parsed.status();
      return;
    }
    append(std::move(parsed->records), content_.records);
    append(std::move(parsed->controls), content_.controls);
  }

  const std::filesystem::path& path_;
  const JournalDepth depth_;
  JournalContent& content_;
  std::vector<Line> lines_;
  std::size_t num_bytes_ = 0;
  Status failure_;
};

}  // namespace

Result<JournalContent> read_journal(const std::filesystem::path& path, JournalDepth depth) {
  JournalContent content;
  LineParser parser(path, depth, content);
  const auto add = [&](std::string_view line, std::size_t number) {
    parser.add(line, number);
    return Status::ok();
  };
  GN_ASSIGN_OR_RETURN(JournalHead head, visit_journal(path, add));
  GN_RETURN_IF_ERROR(parser.finish());
  content.header = std::move(head.header);
  content.notes = std::move(head.notes);
  return content;
}

}  // namespace graphnet::journal
