// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "artifact/peer_process.h"
#include "artifact/temporary_folder.h"
#include "bladedisc/options.h"
#include "bladedisc/protocol.h"

namespace graphnet::bladedisc {

/// The file in which tensors lie for both programs, mapped; its name is gone with its folder.
class SharedMemory {
 public:
  /// errors   Failure UNAVAILABLE: it cannot be made; OUT_OF_MEMORY: it cannot be mapped
  SharedMemory(const std::string& file, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The files of one LOAD. Digests are of what was compiled, not of what lies there.
struct LoadedFiles {
  std::string library;
  std::string metadata;
  std::string memory;
  std::string library_sha256;
  std::string metadata_sha256;
};

/// gn-disc-run, greeted; the plugin's side of gn-disc/1.
class Runner {
 public:
  /// errors   Failure UNAVAILABLE: it cannot be started, or speaks another protocol;
  ///          RUNTIME_FAILED: it ends, does not answer in time, is cancelled or answers with what
  ///          is none
  Runner(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
         const std::string& messages, std::chrono::seconds answer_timeout,
         std::function<bool()> cancelled = nullptr);

  /// What it said of itself, "key: value" lines.
  const std::string& greeting() const { return greeting_; }

  /// `tensors`: arguments, then results, as in gn_disc_load.
  ///
  /// errors   Failure RUNTIME_FAILED: as above, or its reason; UNSUPPORTED: more tensors than a
  ///          request holds
  std::string load(gn_disc_load load, const std::vector<gn_disc_tensor>& tensors,
                   const LoadedFiles& files);
  /// One call.
  gn_disc_times run(std::uint64_t weights_version);

 private:
  std::string ask(gn_disc_op op, const std::string& body);
  /// The reply's header and body; a failure comes with what the program printed last.
  gn_disc_header exchange(const gn_disc_header& header, const std::string& body,
                          std::string& answer);

  std::string messages_;
  artifact::PeerProcess peer_;
  std::chrono::seconds answer_timeout_;
  std::function<bool()> cancelled_;  // until it is loaded: a call is ended by the host
  std::uint64_t last_id_ = 0;
  std::string greeting_;
};

}  // namespace graphnet::bladedisc
