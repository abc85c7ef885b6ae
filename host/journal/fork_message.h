// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace graphnet::journal {

/// Messages between supervisor and zygote: packets over a SOCK_SEQPACKET pair that the zygote finds
/// as descriptor 3.
///
/// supervisor -> zygote:  ForkRequest, with two descriptors (SCM_RIGHTS): the worker's end of its
///                        control channel, then what it gets as standard output and error
/// zygote -> supervisor:  ForkReply
///
/// The new worker is a child of the supervisor, not of the zygote: the process between them ends
/// before the reply is sent, and the supervisor adopts orphans. It leads a process group of its own
/// and behaves as one that was started afresh.
struct ForkRequest {
  std::uint32_t size = sizeof(ForkRequest);  ///< of this struct
};

struct ForkReply {
  std::int32_t pid = 0;          ///< of the worker; 0: none was made, see error and num_threads
  std::int32_t error = 0;        ///< errno
  std::int32_t num_threads = 0;  ///< of the zygote; one with more than 1 does not fork
};

}  // namespace graphnet::journal
