// SPDX-License-Identifier: MIT
#include "journal/fork_message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace graphnet::journal {
namespace fork_message_test {

/// Both ends of a channel, and a pipe whose ends are sent over it.
class ForkMessage : public ::testing::Test {
 protected:
  ForkMessage() {
    std::array<int, 2> pair = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()), 0);
    ours_.reset(pair[0]);
    theirs_.reset(pair[1]);
    EXPECT_EQ(::pipe2(pair.data(), O_CLOEXEC), 0);
    read_end_.reset(pair[0]);
    write_end_.reset(pair[1]);
  }

  base::UniqueFd ours_;
  base::UniqueFd theirs_;
  base::UniqueFd read_end_;
  base::UniqueFd write_end_;
};

TEST_F(ForkMessage, GivesBothDescriptorsInTheirOrder) {
  ASSERT_TRUE(send_fork_request(ours_.get(), read_end_.get(), write_end_.get()).is_ok());
  const auto given = receive_fork_request(theirs_.get());
  ASSERT_TRUE(given.is_ok()) << given.status().to_string();
  EXPECT_NE(given->control.get(), read_end_.get());
  EXPECT_NE(::fcntl(given->control.get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_TRUE(base::write_all(given->output.get(), "x").is_ok());
  char byte = 0;
  EXPECT_EQ(::read(given->control.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  // The sender's own are open still.
  EXPECT_TRUE(base::write_all(write_end_.get(), "y").is_ok());
}

TEST_F(ForkMessage, EndsWithTheChannel) {
  ours_.reset();
  EXPECT_EQ(receive_fork_request(theirs_.get()).status().code(), base::Code::kEnvironment);
  const base::Status sent = send_fork_request(theirs_.get(), read_end_.get(), write_end_.get());
  EXPECT_EQ(sent.code(), base::Code::kEnvironment);
  EXPECT_EQ(sent.message(), "is gone: Broken pipe");
}

TEST_F(ForkMessage, RefusesWhatIsNoRequest) {
  const ForkRequest bare;
  ASSERT_EQ(::send(ours_.get(), &bare, sizeof(bare), 0), static_cast<ssize_t>(sizeof(bare)));
  EXPECT_FALSE(receive_fork_request(theirs_.get()).is_ok()) << "no descriptors";
  ASSERT_EQ(::send(ours_.get(), "ab", 2, 0), 2);
  EXPECT_FALSE(receive_fork_request(theirs_.get()).is_ok()) << "too short";
}

}  // namespace fork_message_test
}  // namespace graphnet::journal
