// SPDX-License-Identifier: MIT
#include "journal/fork_message.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace graphnet::journal {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kDescriptorBytes = 2 * sizeof(int);

/// A message of one request with room for its descriptors.
struct Packet {
  ForkRequest request;
  iovec bytes = {&request, sizeof(request)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kDescriptorBytes)> space = {};
  msghdr message = {};

  Packet() {
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = space.data();
    message.msg_controllen = space.size();
  }
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;
};

}  // namespace

Status send_fork_request(int channel, int control_fd, int output_fd) {
  Packet packet;
  cmsghdr* header = CMSG_FIRSTHDR(&packet.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(kDescriptorBytes);
  const std::array<int, 2> descriptors = {control_fd, output_fd};
  std::memcpy(CMSG_DATA(header), descriptors.data(), kDescriptorBytes);
  if (::sendmsg(channel, &packet.message, MSG_NOSIGNAL) == sizeof(packet.request)) {
    return Status::ok();
  }
  return Status(Code::kEnvironment, std::string("is gone: ") + std::strerror(errno));
}

Result<ForkDescriptors> receive_fork_request(int channel) {
  Packet packet;
  ssize_t got = 0;
  do {
    got = ::recvmsg(channel, &packet.message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&packet.message);
  if (got != sizeof(packet.request) || header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(kDescriptorBytes)) {
    return Status(Code::kEnvironment, "no request for a worker");
  }
  std::array<int, 2> descriptors = {};
  std::memcpy(descriptors.data(), CMSG_DATA(header), kDescriptorBytes);
  return ForkDescriptors{base::UniqueFd(descriptors[0]), base::UniqueFd(descriptors[1])};
}

}  // namespace graphnet::journal
