// SPDX-License-Identifier: MIT
#include "bladedisc/executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "artifact/file_digest.h"
#include "graphnet/failure.h"

namespace graphnet::bladedisc {

namespace {

/// Start of the tensor's elements after comparing it with what was compiled: nothing behind this
/// check would notice another type or shape of the same size.
std::byte* checked_data(const DLTensor* const* tensors, std::uint64_t count, const Slot& slot,
                        const char* kind) {
  const auto refuse = [&](const char* why) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT,
                  std::string(kind) + " " + std::to_string(slot.index) + " " + why);
  };
  if (slot.index >= count) refuse("is missing");
  const DLTensor& tensor = *tensors[slot.index];
  const gn_disc_tensor& wanted = slot.tensor;
  // A module has the parts of a complex number in a dimension of their own.
  const bool is_pair = tensor.dtype.code == kDLComplex;
  const int code = is_pair ? static_cast<int>(kDLFloat) : tensor.dtype.code;
  if (code != wanted.code || tensor.dtype.bits / (is_pair ? 2 : 1) != wanted.bits) {
    refuse("is of another type");
  }
  const std::int32_t rank = tensor.ndim + (is_pair ? 1 : 0);
  if (rank != wanted.rank || (is_pair && wanted.shape[rank - 1] != 2) ||
      !std::equal(tensor.shape, tensor.shape + tensor.ndim, wanted.shape)) {
    refuse("is of another shape");
  }
  if (tensor.device.device_type != kDLCPU) refuse("is not in the host's memory");
  std::int64_t dense = 1;
  for (std::int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] > 1 && tensor.strides != nullptr && tensor.strides[i] != dense) {
      refuse("is not dense");
    }
    dense *= tensor.shape[i];
  }
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

}  // namespace

DiscExecutable::DiscExecutable(Package package, const Options& options, const std::string& program,
                               const std::vector<std::string>& pinned,
                               std::function<bool()> cancelled)
    : package_(std::move(package)), folder_("disc", options.share_folder) {
  const LoadedFiles files = {folder_.file("module.so"), folder_.file("module.so.pbtxt"),
                             folder_.file("tensors"), artifact::sha256_hex(package_.library),
                             artifact::sha256_hex(package_.metadata)};
  artifact::write_bytes(files.library, package_.library);
  artifact::write_bytes(files.metadata, package_.metadata);
  memory_ = std::make_unique<SharedMemory>(
      files.memory, std::max<std::uint64_t>(package_.memory_bytes, GN_DISC_ALIGNMENT));
  runner_ = std::make_unique<Runner>(command_of(options.launcher, pinned, program),
                                     program_environment(pinned), folder_.file("messages"),
                                     options.answer_timeout, std::move(cancelled));
  gn_disc_load load = {};
  load.num_arguments = static_cast<std::uint32_t>(package_.arguments.size());
  load.num_results = static_cast<std::uint32_t>(package_.results.size());
  load.memory_bytes = memory_->size();
  std::vector<gn_disc_tensor> tensors;
  for (const Slot& slot : package_.arguments) tensors.push_back(slot.tensor);
  for (const Slot& slot : package_.results) tensors.push_back(slot.tensor);
  loaded_ = runner_->load(load, tensors, files);
}

void DiscExecutable::bind(gn_bind_args& args) {
  for (const Slot& slot : package_.arguments) {
    if (slot.tensor.kind != GN_DISC_WEIGHT) continue;
    const std::byte* data = checked_data(args.weights, args.num_weights, slot, "weight");
    std::memcpy(memory_->data() + slot.tensor.offset, data, slot.tensor.bytes);
    args.kept_bytes += slot.tensor.bytes;
  }
  args.copied = 1;
  ++weights_version_;
}

void DiscExecutable::run(const gn_run_args& args) {
  if (weights_version_ == 0) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT, "run was called without a successful bind");
  }
  for (const Slot& slot : package_.arguments) {
    if (slot.tensor.kind != GN_DISC_INPUT) continue;
    const std::byte* data = checked_data(args.inputs, args.num_inputs, slot, "input");
    std::memcpy(memory_->data() + slot.tensor.offset, data, slot.tensor.bytes);
  }
  const gn_disc_times times = runner_->run(weights_version_);
  times_.entry_ns += times.entry_ns;
  times_.copy_ns += times.copy_ns;
  ++num_calls_;
  for (const Slot& slot : package_.results) {
    std::byte* data = checked_data(args.outputs, args.num_outputs, slot, "output");
    std::memcpy(data, memory_->data() + slot.tensor.offset, slot.tensor.bytes);
  }
}

std::string DiscExecutable::describe() const {
  std::string text = runner_->greeting() + loaded_;
  text += "shared_bytes: " + std::to_string(memory_->size()) + "\n";
  if (num_calls_ == 0) return text;
  text += "runner_calls: " + std::to_string(num_calls_) + "\n";
  text += "runner_entry_us: " + std::to_string(times_.entry_ns / num_calls_ / 1000) + "\n";
  text += "runner_copy_us: " + std::to_string(times_.copy_ns / num_calls_ / 1000) + "\n";
  return text;
}

}  // namespace graphnet::bladedisc
