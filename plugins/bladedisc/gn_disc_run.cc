// SPDX-License-Identifier: MIT
//
// gn-disc-run: runs a library that disc_compiler_main made, for plugin bladedisc (protocol.h).
// C++14 and POSIX; what runs the library is behind runner_engine.h. Built inside a BladeDISC image
// as the plugin's README says.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "runner_engine.h"

namespace {

using gn_disc::engine;

/// False at the end of the input.
bool read_all(int fd, void* data, size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t done = ::read(fd, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

bool write_all(int fd, const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(fd, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

/// A request that is not understood.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename Pod>
Pod take(const std::string& body, size_t& at) {
  Pod pod;
  if (body.size() - at < sizeof(pod)) throw Refusal("the body is too short");
  memcpy(&pod, body.data() + at, sizeof(pod));
  at += sizeof(pod);
  return pod;
}

std::string take_text(const std::string& body, size_t& at, size_t size) {
  if (body.size() - at < size) throw Refusal("the body is too short");
  at += size;
  return body.substr(at - size, size);
}

class Session {
 public:
  std::string answer(const gn_disc_header& request, const std::string& body) {
    if (request.op == GN_DISC_HELLO && !has_greeted_) {
      has_greeted_ = true;
      return engine().describe();
    }
    if (request.op == GN_DISC_LOAD && has_greeted_ && memory_ == nullptr) return load(body);
    if (request.op == GN_DISC_RUN && memory_ != nullptr) return run(body);
    throw Refusal("op " + std::to_string(request.op) + " is not known, or not in this order");
  }

 private:
  std::string load(const std::string& body) {
    size_t at = 0;
    const gn_disc_load load = take<gn_disc_load>(body, at);
    std::vector<gn_disc_tensor> tensors;
    const uint64_t count = uint64_t{load.num_arguments} + load.num_results;
    for (uint64_t i = 0; i < count; ++i) tensors.push_back(take<gn_disc_tensor>(body, at));
    for (const gn_disc_tensor& tensor : tensors) {
      if (tensor.offset > load.memory_bytes || tensor.bytes > load.memory_bytes - tensor.offset ||
          tensor.offset % GN_DISC_ALIGNMENT != 0 || tensor.rank > GN_DISC_MAX_RANK) {
        throw Refusal("a tensor lies outside of the shared file");
      }
    }
    const std::string library = take_text(body, at, load.library_chars);
    const std::string metadata = take_text(body, at, load.metadata_chars);
    const std::string memory = take_text(body, at, load.memory_chars);
    check_digest(library, take_text(body, at, 64));
    check_digest(metadata, take_text(body, at, 64));
    map(memory, load.memory_bytes);
    return engine().load(load, tensors, library, metadata);
  }

  // The library is code: it must be the one that was compiled.
  static void check_digest(const std::string& file, const std::string& digest) {
    const std::string found = sha256_of(file);
    if (found.size() != digest.size()) throw std::runtime_error("cannot read " + file);
    if (found != digest) throw std::runtime_error(file + " is not what was compiled");
  }

  // By the program that every image has; no library is asked for.
  static std::string sha256_of(const std::string& file) {
    if (file.find('\'') != std::string::npos) throw Refusal("a file's name has quotes");
    FILE* pipe = ::popen(("exec sha256sum -b < '" + file + "'").c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("sha256sum cannot be started");
    char digest[64];
    const size_t size = ::fread(digest, 1, sizeof(digest), pipe);
    while (::fgetc(pipe) != EOF) {
    }
    ::pclose(pipe);
    return std::string(digest, size);
  }

  void map(const std::string& file, uint64_t bytes) {
    const int fd = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) throw std::runtime_error("cannot open " + file + ": " + strerror(errno));
    struct stat facts;
    const bool is_whole = ::fstat(fd, &facts) == 0 && static_cast<uint64_t>(facts.st_size) >= bytes;
    void* address = MAP_FAILED;
    if (is_whole) address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (address == MAP_FAILED) throw std::runtime_error("cannot map " + file);
    memory_ = static_cast<uint8_t*>(address);
  }

  std::string run(const std::string& body) {
    size_t at = 0;
    const gn_disc_run request = take<gn_disc_run>(body, at);
    const gn_disc_times times = engine().run(memory_, request.weights_version);
    return std::string(reinterpret_cast<const char*>(&times), sizeof(times));
  }

  bool has_greeted_ = false;
  uint8_t* memory_ = nullptr;
};

bool reply(int fd, const gn_disc_header& request, uint32_t state, const std::string& body) {
  gn_disc_header header = request;
  memcpy(header.magic, GN_DISC_MAGIC, sizeof(header.magic));
  header.protocol = GN_DISC_PROTOCOL;
  header.state = state;
  header.body_bytes = body.size();
  return write_all(fd, &header, sizeof(header)) && write_all(fd, body.data(), body.size());
}

}  // namespace

int main() {
  // What libraries print on standard output is no reply.
  const int out = ::dup(STDOUT_FILENO);
  if (out < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 2;
  Session session;
  gn_disc_header request;
  while (read_all(STDIN_FILENO, &request, sizeof(request))) {
    if (memcmp(request.magic, GN_DISC_MAGIC, sizeof(request.magic)) != 0 ||
        request.protocol != GN_DISC_PROTOCOL || request.body_bytes > GN_DISC_MAX_BODY) {
      reply(out, request, GN_DISC_REFUSED, "this is gn-disc/" + std::to_string(GN_DISC_PROTOCOL));
      return 3;
    }
    std::string body(request.body_bytes, '\0');
    if (!body.empty() && !read_all(STDIN_FILENO, &body[0], body.size())) return 0;
    uint32_t state = GN_DISC_OK;
    std::string answer;
    try {
      answer = session.answer(request, body);
    } catch (const Refusal& refusal) {
      state = GN_DISC_REFUSED;
      answer = refusal.what();
    } catch (const std::exception& error) {
      state = GN_DISC_FAILED;
      answer = error.what();
    }
    if (!reply(out, request, state, answer)) return 0;
  }
  return 0;
}
