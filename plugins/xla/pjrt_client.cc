// SPDX-License-Identifier: MIT
#include "xla/pjrt_client.h"

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "artifact/file_digest.h"

namespace graphnet::xla {

namespace {

pjrt::NamedValue named(std::string_view name, pjrt::NamedValueType type) {
  pjrt::NamedValue value;
  value.name = name.data();
  value.name_size = name.size();
  value.type = type;
  value.value_size = 1;
  return value;
}

/// What is asked of a client, best first: libraries before 0.115 either ignore or refuse what they
/// do not know.
std::vector<std::vector<pjrt::NamedValue>> cpu_options() {
  // Without a count there are four devices, and pools for all of them.
  pjrt::NamedValue one_device = named("cpu_device_count", pjrt::NamedValueType::kInt64);
  one_device.integer = 1;
  pjrt::NamedValue synchronous = named("asynchronous", pjrt::NamedValueType::kBool);
  synchronous.flag = false;
  return {{one_device, synchronous}, {one_device}, {}};
}

/// The device by its number, and no memory beyond what is used: eager needs the rest.
std::vector<std::vector<pjrt::NamedValue>> gpu_options(const std::int64_t& index) {
  pjrt::NamedValue visible = named("visible_devices", pjrt::NamedValueType::kInt64List);
  visible.integers = &index;
  pjrt::NamedValue preallocate = named("preallocate", pjrt::NamedValueType::kBool);
  preallocate.flag = false;
  return {{visible, preallocate}};
}

pjrt::Client* create_client(const PjrtLibrary& library, DLDevice device) {
  const std::int64_t index = device.device_id;
  pjrt::ClientCreateArgs args;
  PjrtError last;
  for (const auto& options : device.device_type == kDLCPU ? cpu_options() : gpu_options(index)) {
    args.create_options = options.data();
    args.num_options = options.size();
    pjrt::Error* error = library.call(args);
    if (error == nullptr) return args.client;
    last = library.take(error);
    if (last.code != pjrt::kInvalidArgument) break;
  }
  throw Failure(GN_STATUS_UNAVAILABLE,
                "PJRT file '" + library.file() + "' cannot make a client: " + last.message);
}

}  // namespace

std::string set_xla_environment(std::int32_t num_threads, bool is_gpu) {
  const char* given = std::getenv("XLA_FLAGS");
  const std::string flags = given == nullptr ? "" : given;
  ::unsetenv("XLA_FLAGS");
  // 3: newer libraries log every error that they return, at any lower level.
  ::setenv("TF_CPP_MIN_LOG_LEVEL", is_gpu ? "0" : "3", 1);
  // Some pools are sized by one of them, some by the other.
  for (const char* name : {"PJRT_NPROC", "NPROC"}) {
    ::setenv(name, std::to_string(num_threads).c_str(), 1);
  }
  return flags;
}

PjrtClient::PjrtClient(const PjrtLibrary& library, DLDevice device)
    : library_(library), handle_(create_client(library_, device)), tensor_device_(device) {
  pjrt::ClientAddressableDevicesArgs args;
  args.client = handle_;
  library_.check(args, GN_STATUS_UNAVAILABLE, "PJRT client has no devices");
  if (args.num_devices == 0) throw Failure(GN_STATUS_UNAVAILABLE, "PJRT client has no device");
  device_ = args.devices[0];
}

PjrtClient::~PjrtClient() {
  library_.destroy<pjrt::ClientDestroyArgs>(handle_);
}

const std::string& PjrtClient::file_sha256() const {
  if (!file_sha256_.empty()) return file_sha256_;
  std::optional<std::string> digest = artifact::sha256_of_file(library_.file());
  if (!digest) throw Failure(GN_STATUS_UNAVAILABLE, "cannot read '" + library_.file() + "'");
  file_sha256_ = std::move(*digest);
  return file_sha256_;
}

pjrt::BufferFromHostBufferArgs PjrtClient::buffer_args(const TensorType& type, const void* data,
                                                       pjrt::HostBufferSemantics semantics) const {
  pjrt::BufferFromHostBufferArgs args;
  args.client = handle_;
  args.data = data;
  args.type = buffer_type(type.dtype);
  args.dims = type.shape.data();
  args.num_dims = type.shape.size();
  args.semantics = semantics;
  args.device = device_;
  return args;
}

OwnedBuffer PjrtClient::make_buffer(const TensorType& type, const void* data,
                                    pjrt::HostBufferSemantics semantics) const {
  if (is_gpu()) return view(type, const_cast<void*>(data));
  pjrt::BufferFromHostBufferArgs args = buffer_args(type, data, semantics);
  library_.check(args, GN_STATUS_RUNTIME_FAILED, "XLA cannot read a tensor of the host");
  OwnedBuffer buffer(library_, args.buffer);
  if (semantics == pjrt::HostBufferSemantics::kImmutableOnlyDuringCall) {
    await(args.done_with_host_buffer, GN_STATUS_RUNTIME_FAILED, "XLA cannot copy a tensor");
  } else {
    // Fires when the buffer is destroyed: nothing to wait for.
    library_.destroy<pjrt::EventDestroyArgs>(args.done_with_host_buffer);
  }
  return buffer;
}

OwnedBuffer PjrtClient::view(const TensorType& type, void* data) const {
  pjrt::ViewOfDeviceBufferArgs args;
  args.client = handle_;
  args.data = data;
  args.dims = type.shape.data();
  args.num_dims = type.shape.size();
  args.type = buffer_type(type.dtype);
  args.device = device_;
  // XLA calls it without a look whether it is there.
  args.on_delete = [](void*, void*) {};
  library_.check(args, GN_STATUS_RUNTIME_FAILED, "XLA cannot read a tensor of the device");
  return OwnedBuffer(library_, args.buffer);
}

void* PjrtClient::data(pjrt::Buffer* buffer) const {
  pjrt::BufferPointerArgs args;
  args.buffer = buffer;
  library_.check(args, GN_STATUS_RUNTIME_FAILED, "XLA does not say where a result lies");
  return args.data;
}

void PjrtClient::await(pjrt::Event* event, std::uint32_t code, const char* doing) const {
  if (event == nullptr) return;
  const OwnedEvent owned(library_, event);
  pjrt::EventAwaitArgs args;
  args.event = event;
  library_.check(args, code, doing);
}

}  // namespace graphnet::xla
