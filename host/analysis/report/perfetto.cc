// SPDX-License-Identifier: MIT
#include "report/perfetto.h"

#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

// Field numbers of Perfetto's messages.
constexpr std::uint32_t kTracePacket = 1;  // of Trace
constexpr std::uint32_t kTimestamp = 8;    // of TracePacket
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kInternedData = 12;
constexpr std::uint32_t kSequenceFlags = 13;
constexpr std::uint32_t kTrackDescriptor = 60;
constexpr std::uint32_t kEventCategories = 3;  // of TrackEvent, by number
constexpr std::uint32_t kEventType = 9;
constexpr std::uint32_t kEventName = 10;  // by number
constexpr std::uint32_t kEventTrack = 11;
constexpr std::uint32_t kTrackId = 1;  // of TrackDescriptor
constexpr std::uint32_t kTrackName = 2;
constexpr std::uint32_t kTrackParent = 5;
constexpr std::uint32_t kInternedCategories = 1;  // of InternedData
constexpr std::uint32_t kInternedNames = 2;
constexpr std::uint32_t kInternedNumber = 1;  // of EventCategory and EventName
constexpr std::uint32_t kInternedText = 2;

enum EventType : std::uint32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3 };

// All packets are of one writer, whose numbers for names hold from its first packet on.
constexpr std::uint64_t kOnlySequence = 1;
constexpr std::uint64_t kNumbersCleared = 1;
constexpr std::uint64_t kNeedsNumbers = 2;

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  bytes += static_cast<char>(value);
}

void add_number(std::string& message, std::uint32_t field, std::uint64_t value) {
  append_varint(message, field << 3U);
  append_varint(message, value);
}

void add_bytes(std::string& message, std::uint32_t field, std::string_view bytes) {
  constexpr std::uint32_t kLengthDelimited = 2;
  append_varint(message, field << 3U | kLengthDelimited);
  append_varint(message, bytes.size());
  message += bytes;
}

/// The number of `text`; a new one is added to `table`, and the entry that says so to `interned`.
template <typename Numbers>
std::uint64_t number_of(Numbers& table, std::string_view text, std::uint32_t field,
                        std::string& interned) {
  const auto found = table.find(text);
  if (found != table.end()) return found->second;
  const std::uint64_t number = table.size() + 1;
  table.emplace(text, number);
  std::string entry;
  add_number(entry, kInternedNumber, number);
  add_bytes(entry, kInternedText, printable(text));
  add_bytes(interned, field, entry);
  return number;
}

}  // namespace

PerfettoTrace::Track PerfettoTrace::add_track(std::string_view name, Track parent) {
  std::string descriptor;
  add_number(descriptor, kTrackId, ++last_track_);
  add_bytes(descriptor, kTrackName, printable(name));
  if (parent != kNoParent) add_number(descriptor, kTrackParent, parent);
  std::string packet;
  add_bytes(packet, kTrackDescriptor, descriptor);
  add_packet(packet);
  return last_track_;
}

void PerfettoTrace::add_slice(Track track, const Label& label, std::uint64_t start_ns,
                              std::uint64_t end_ns) {
  add_event(track, kSliceBegin, &label, start_ns);
  add_event(track, kSliceEnd, nullptr, end_ns);
}

void PerfettoTrace::add_instant(Track track, const Label& label, std::uint64_t time_ns) {
  add_event(track, kInstant, &label, time_ns);
}

void PerfettoTrace::add_event(Track track, std::uint32_t type, const Label* label,
                              std::uint64_t time_ns) {
  std::string interned;
  std::string event;
  add_number(event, kEventType, type);
  add_number(event, kEventTrack, track);
  if (label != nullptr) {
    add_number(event, kEventCategories,
               number_of(categories_, label->category, kInternedCategories, interned));
    add_number(event, kEventName, number_of(names_, label->name, kInternedNames, interned));
  }
  std::string packet;
  add_number(packet, kTimestamp, time_ns);
  if (!interned.empty()) add_bytes(packet, kInternedData, interned);
  add_bytes(packet, kTrackEvent, event);
  add_packet(packet);
  ++num_events_;
}

void PerfettoTrace::add_packet(const std::string& packet) {
  std::string whole = packet;
  add_number(whole, kSequence, kOnlySequence);
  add_number(whole, kSequenceFlags, bytes_.empty() ? kNumbersCleared : kNeedsNumbers);
  add_bytes(bytes_, kTracePacket, whole);
}

}  // namespace graphnet::report
