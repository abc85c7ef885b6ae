// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet::tests {

/// Reads a Perfetto trace back, as strictly as its importer: names that were not given, events on
/// tracks that do not exist, slices that do not nest and packets of unknown fields are problems.
///
/// source   field numbers as in perfetto's protos/perfetto/trace/trace_packet.proto,
///          interned_data/interned_data.proto, track_event/{track_event,track_descriptor}.proto
class PerfettoReader {
 public:
  enum Type : std::uint64_t { kBegin = 1, kEnd = 2, kInstant = 3 };
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
  };
  struct Event {
    std::uint64_t type = 0;
    std::uint64_t track = 0;
    std::uint64_t time_ns = 0;
    std::string category;
    std::string name;
  };

  explicit PerfettoReader(std::string_view bytes) {
    for (const Field& field : fields(bytes)) {
      if (field.number != 1) fail("a trace has packets only");
      read_packet(field.bytes);
    }
    for (const auto& [track, depth] : depths_) {
      if (depth != 0) fail("a slice without end on track " + std::to_string(track));
    }
  }

  std::string problem() const { return problem_; }
  const std::map<std::uint64_t, Track>& tracks() const { return tracks_; }
  const std::vector<Event>& events() const { return events_; }

  /// Names of what began on the track of this name, in the order of the file.
  std::vector<std::string> slices_on(const std::string& track) const {
    std::vector<std::string> names;
    for (const Event& event : events_) {
      if (event.type == kBegin && tracks_.at(event.track).name == track) {
        names.push_back(event.name);
      }
    }
    return names;
  }

 private:
  struct Field {
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    std::string_view bytes;
  };

  void fail(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

  std::uint64_t varint(std::string_view& rest) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest.empty()) break;
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number without end");
    return 0;
  }

  std::vector<Field> fields(std::string_view rest) {
    std::vector<Field> found;
    while (!rest.empty() && problem_.empty()) {
      const std::uint64_t key = varint(rest);
      Field field;
      field.number = key >> 3U;
      field.value = varint(rest);
      if ((key & 7U) == 2) {
        if (field.value > rest.size()) fail("bytes beyond the end");
        field.bytes = rest.substr(0, field.value);
        rest.remove_prefix(field.bytes.size());
      } else if ((key & 7U) != 0) {
        fail("a wire type that is not used");
      }
      found.push_back(field);
    }
    return found;
  }

  void read_packet(std::string_view packet) {
    std::uint64_t sequence = 0;
    std::uint64_t flags = 0;
    std::uint64_t time_ns = 0;
    std::string_view interned;
    std::string_view descriptor;
    std::string_view event;
    for (const Field& field : fields(packet)) {
      switch (field.number) {
        case 8:  // timestamp
          time_ns = field.value;
          break;
        case 10:  // trusted_packet_sequence_id
          sequence = field.value;
          break;
        case 11:  // track_event
          event = field.bytes;
          break;
        case 12:  // interned_data
          interned = field.bytes;
          break;
        case 13:  // sequence_flags
          flags = field.value;
          break;
        case 60:  // track_descriptor
          descriptor = field.bytes;
          break;
        default:
          fail("a packet has the field " + std::to_string(field.number));
      }
    }
    // SEQ_INCREMENTAL_STATE_CLEARED, then SEQ_NEEDS_INCREMENTAL_STATE
    if (flags != (is_first_ ? 1U : 2U) || sequence != 1) fail("wrong sequence or flags");
    is_first_ = false;
    read_interned(interned);
    if (!descriptor.empty()) read_track(descriptor);
    if (!event.empty()) read_event(event, time_ns);
  }

  void read_interned(std::string_view interned) {
    for (const Field& field : fields(interned)) {
      if (field.number != 1 && field.number != 2) fail("neither event_categories nor event_names");
      auto& table = field.number == 1 ? categories_ : names_;
      std::uint64_t iid = 0;
      std::string name;
      for (const Field& part : fields(field.bytes)) {
        if (part.number == 1) iid = part.value;
        if (part.number == 2) name = part.bytes;
      }
      if (iid == 0 || !table.emplace(iid, name).second) fail("a name's number is 0 or used twice");
    }
  }

  void read_track(std::string_view descriptor) {
    std::uint64_t uuid = 0;
    Track track;
    for (const Field& field : fields(descriptor)) {
      if (field.number == 1) uuid = field.value;
      if (field.number == 2) track.name = field.bytes;
      if (field.number == 5) track.parent = field.value;
    }
    if (track.parent != 0 && tracks_.count(track.parent) == 0) fail("a parent that is not there");
    if (uuid == 0 || !tracks_.emplace(uuid, track).second) fail("a track's number is used twice");
  }

  void read_event(std::string_view bytes, std::uint64_t time_ns) {
    Event event;
    event.time_ns = time_ns;
    for (const Field& field : fields(bytes)) {
      switch (field.number) {
        case 3:  // category_iids
          if (categories_.count(field.value) == 0) fail("a category that was not given");
          event.category = categories_[field.value];
          break;
        case 9:  // type
          event.type = field.value;
          break;
        case 10:  // name_iid
          if (names_.count(field.value) == 0) fail("a name that was not given");
          event.name = names_[field.value];
          break;
        case 11:  // track_uuid
          event.track = field.value;
          break;
        default:
          fail("an event has the field " + std::to_string(field.number));
      }
    }
    if (tracks_.count(event.track) == 0) fail("an event on no track");
    if (time_ns < last_times_[event.track]) fail("time runs backwards on a track");
    last_times_[event.track] = time_ns;
    depths_[event.track] += event.type == kBegin ? 1 : event.type == kEnd ? -1 : 0;
    if (depths_[event.track] < 0) fail("an end without a begin");
    events_.push_back(event);
  }

  bool is_first_ = true;
  std::string problem_;
  std::map<std::uint64_t, Track> tracks_;
  std::vector<Event> events_;
  std::map<std::uint64_t, std::string> categories_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, int> depths_;
  std::map<std::uint64_t, std::uint64_t> last_times_;
};

}  // namespace graphnet::tests
