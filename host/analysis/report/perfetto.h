// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace graphnet::report {

/// Writes a trace in Perfetto's own format, as ui.perfetto.dev and trace_processor read it. Names
/// are written once and then referred to by number, so that an event takes about 25 bytes; a slice
/// is two events.
///
/// order    a track before its events; events of one track as they nest, those of different tracks
///          as they come (readers sort by time)
/// units    nanoseconds since the start of the trace
/// source   perfetto: protos/perfetto/trace/trace_packet.proto, track_event/track_event.proto,
///          track_event/track_descriptor.proto, interned_data/interned_data.proto;
///          perfetto.dev/docs/reference/synthetic-track-event
class PerfettoTrace {
 public:
  using Track = std::uint64_t;
  static constexpr Track kNoParent = 0;

  /// What an event is: a word that can be filtered by, and the text that is shown.
  struct Label {
    std::string_view category;
    std::string_view name;
  };

  /// A line of its own in the view, below `parent` if there is one.
  Track add_track(std::string_view name, Track parent = kNoParent);

  /// Something that lasted from `start_ns` to `end_ns`.
  void add_slice(Track track, const Label& label, std::uint64_t start_ns, std::uint64_t end_ns);

  /// Something that happened at one moment.
  void add_instant(Track track, const Label& label, std::uint64_t time_ns);

  /// So far; a file holds just this.
  const std::string& bytes() const { return bytes_; }
  /// Events so far, two a slice.
  std::uint64_t num_events() const { return num_events_; }

 private:
  using Numbers = std::map<std::string, std::uint64_t, std::less<>>;

  void add_event(Track track, std::uint32_t type, const Label* label, std::uint64_t time_ns);
  void add_packet(const std::string& packet);

  std::string bytes_;
  Numbers categories_;
  Numbers names_;
  Track last_track_ = kNoParent;
  std::uint64_t num_events_ = 0;
};

}  // namespace graphnet::report
