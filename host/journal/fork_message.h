// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/file.h"
#include "base/result.h"

namespace graphnet::journal {

/// Messages between supervisor and zygote: packets over a SOCK_SEQPACKET pair that the zygote finds
/// as descriptor 3.
///
/// supervisor -> zygote:  ForkRequest, with ForkDescriptors (SCM_RIGHTS, in their order)
/// zygote -> supervisor:  ForkReply
///
/// The new worker is a child of the supervisor, not of the zygote: the process between them ends
/// before the reply is sent, and the supervisor adopts orphans. It leads a process group of its own
/// and behaves as one that was started afresh.
struct ForkRequest {
  std::uint32_t size = sizeof(ForkRequest);  ///< of this struct
};

/// What a new worker is given.
struct ForkDescriptors {
  base::UniqueFd control;  ///< its end of its control channel
  base::UniqueFd output;   ///< its standard output and error
};

struct ForkReply {
  std::int32_t pid = 0;          ///< of the worker; 0: none was made, see error and num_threads
  std::int32_t error = 0;        ///< errno
  std::int32_t num_threads = 0;  ///< of the zygote; one with more than 1 does not fork
};

/// Sends a ForkRequest; the descriptors stay the caller's own.
///
/// errors   kEnvironment with the reason: the other end is gone
base::Status send_fork_request(int channel, int control_fd, int output_fd);

/// Waits for the next ForkRequest. Its descriptors close on exec.
///
/// errors   kEnvironment at the end of the channel, or for a message that is no such request
base::Result<ForkDescriptors> receive_fork_request(int channel);

}  // namespace graphnet::journal
