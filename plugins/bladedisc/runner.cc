// SPDX-License-Identifier: MIT
#include "bladedisc/runner.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bladedisc/program_log.h"
#include "graphnet/failure.h"

namespace graphnet::bladedisc {

namespace {

constexpr std::size_t kLongestReason = 400;

// In the order of gn_disc_op.
constexpr const char* kOpNames[] = {"", "HELLO", "LOAD", "RUN"};

template <typename Pod>
void append(std::string& body, const Pod& pod) {
  body.append(reinterpret_cast<const char*>(&pod), sizeof(pod));
}

[[noreturn]] void refuse_answer(const std::string& why) {
  throw Failure(GN_STATUS_RUNTIME_FAILED, "gn-disc-run gave no answer of gn-disc/" +
                                              std::to_string(GN_DISC_PROTOCOL) + ": " + why);
}

void check_reply(const gn_disc_header& request, const gn_disc_header& reply) {
  if (std::memcmp(reply.magic, GN_DISC_MAGIC, sizeof(reply.magic)) != 0) {
    refuse_answer("its output begins with something else; nothing else may write there");
  }
  if (reply.protocol != GN_DISC_PROTOCOL) {
    throw Failure(GN_STATUS_UNAVAILABLE,
                  "gn-disc-run speaks gn-disc/" + std::to_string(reply.protocol) +
                      " and this plugin gn-disc/" + std::to_string(GN_DISC_PROTOCOL) +
                      "; build it again (plugins/bladedisc/README.md)");
  }
  if (reply.op != request.op || reply.id != request.id) refuse_answer("it answers another request");
  if (reply.body_bytes > GN_DISC_MAX_BODY) refuse_answer("it is too long");
}

}  // namespace

SharedMemory::SharedMemory(const std::string& file, std::size_t bytes) : bytes_(bytes) {
  const artifact::Descriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  // Blocks now: a full disk would be a signal later.
  const int error =
      fd.get() < 0 ? errno : ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes));
  if (error != 0) {
    throw Failure(GN_STATUS_UNAVAILABLE, "cannot make '" + file + "' of " + std::to_string(bytes) +
                                             " bytes: " + std::strerror(error));
  }
  void* const address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) {
    throw Failure(GN_STATUS_OUT_OF_MEMORY, "cannot map " + std::to_string(bytes) + " bytes");
  }
  data_ = static_cast<std::byte*>(address);
}

SharedMemory::~SharedMemory() {
  ::munmap(data_, bytes_);
}

Runner::Runner(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
               const std::string& messages, std::chrono::seconds answer_timeout,
               std::function<bool()> cancelled)
    : messages_(messages),
      peer_(argv, environment, messages),
      answer_timeout_(answer_timeout),
      cancelled_(std::move(cancelled)) {
  greeting_ = ask(GN_DISC_HELLO, "");
}

gn_disc_header Runner::exchange(const gn_disc_header& header, const std::string& body,
                                std::string& answer) {
  const artifact::PeerProcess::Patience patience = {
      std::chrono::steady_clock::now() + answer_timeout_, cancelled_};
  gn_disc_header reply = {};
  try {
    peer_.write(&header, sizeof(header), patience);
    peer_.write(body.data(), body.size(), patience);
    peer_.read(&reply, sizeof(reply), patience);
    check_reply(header, reply);
    answer.resize(reply.body_bytes);
    peer_.read(answer.data(), answer.size(), patience);
  } catch (const Failure& failure) {
    // Of a program that ends at once, why is there: a library that its loader does not find.
    const std::string log = read_log(messages_);
    if (log.empty()) throw;
    throw Failure(failure.code(), failure.what() + (": " + telling_line(log)));
  }
  return reply;
}

std::string Runner::ask(gn_disc_op op, const std::string& body) {
  gn_disc_header header = {};
  std::memcpy(header.magic, GN_DISC_MAGIC, sizeof(header.magic));
  header.protocol = GN_DISC_PROTOCOL;
  header.op = op;
  header.id = ++last_id_;
  header.body_bytes = body.size();
  std::string answer;
  const gn_disc_header reply = exchange(header, body, answer);
  if (reply.state == GN_DISC_OK) return answer;
  throw Failure(GN_STATUS_RUNTIME_FAILED,
                std::string("gn-disc-run ") +
                    (reply.state == GN_DISC_REFUSED ? "refuses " : "failed in ") + kOpNames[op] +
                    ": " + answer.substr(0, kLongestReason));
}

std::string Runner::load(gn_disc_load load, const std::vector<gn_disc_tensor>& tensors,
                         const LoadedFiles& files) {
  load.library_chars = static_cast<std::uint32_t>(files.library.size());
  load.metadata_chars = static_cast<std::uint32_t>(files.metadata.size());
  load.memory_chars = static_cast<std::uint32_t>(files.memory.size());
  std::string body;
  append(body, load);
  for (const gn_disc_tensor& tensor : tensors) append(body, tensor);
  body +=
      files.library + files.metadata + files.memory + files.library_sha256 + files.metadata_sha256;
  if (body.size() > GN_DISC_MAX_BODY) {
    throw Failure(GN_STATUS_UNSUPPORTED, "more tensors than one LOAD of gn-disc/1 holds");
  }
  std::string loaded = ask(GN_DISC_LOAD, body);
  cancelled_ = nullptr;
  return loaded;
}

gn_disc_times Runner::run(std::uint64_t weights_version) {
  std::string body;
  append(body, gn_disc_run{weights_version});
  const std::string answer = ask(GN_DISC_RUN, body);
  gn_disc_times times = {};
  if (answer.size() != sizeof(times)) refuse_answer("RUN's is of another size");
  std::memcpy(&times, answer.data(), sizeof(times));
  return times;
}

}  // namespace graphnet::bladedisc
