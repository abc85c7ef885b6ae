// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/driver_library.h"

namespace graphnet::device {

/// What a device says of itself.
struct GpuFacts {
  std::string name;
  std::string pci_bus_id;      ///< "0000:3B:00.0"; empty if the driver does not tell
  int compute_capability = 0;  ///< 90 for 9.0
  int num_processors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
};

/// What was asked of the driver, for its error to say.
///
/// shapes   doing: "allocate device memory", after "cannot"
struct DriverCall {
  const char* function;
  const char* doing;
  std::optional<std::size_t> num_bytes = {};
  std::optional<DriverLibrary::Handle> stream = {};  ///< null: the default one
};

/// An error of the driver as a Status; every one of them is told here:
/// "cannot allocate device memory: cuMemAlloc_v2 gave CUDA_ERROR_OUT_OF_MEMORY (2) [1.00 TiB; the
/// primary context is current; 1.00 GiB of 2.00 GiB free]".
base::Status driver_error(const DriverLibrary& driver, int code, const DriverCall& call);

/// Whether it is an error of the driver that says that the device's memory is used up.
bool is_device_memory_used_up(const base::Status& status);

class Gpu;

/// Memory of a device.
class GpuBuffer {
 public:
  GpuBuffer(GpuBuffer&& other) noexcept;
  GpuBuffer& operator=(GpuBuffer&&) = delete;
  ~GpuBuffer();

  DriverLibrary::Address address() const { return address_; }
  std::size_t num_bytes() const { return num_bytes_; }

 private:
  friend class Gpu;
  GpuBuffer(const DriverLibrary& driver, DriverLibrary::Address address, std::size_t num_bytes)
      : driver_(&driver), address_(address), num_bytes_(num_bytes) {}

  const DriverLibrary* driver_;
  DriverLibrary::Address address_;
  std::size_t num_bytes_;
};

/// A device, through the context that CUDA's runtime uses for it too, which is current in the
/// thread that opens it and stays so. Work goes to the default stream.
///
/// errors   of all functions: kEnvironment as driver_error() tells it. An error of a kernel appears
///          at whatever is called next and makes the context useless: end the process
class Gpu {
 public:
  static base::Result<std::unique_ptr<Gpu>> open(int index,
                                                 const std::string& library = "libcuda.so.1");
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const GpuFacts& facts() const { return facts_; }

  /// Makes the device's context current in the calling thread too.
  base::Status use_in_thread();

  /// Memory that nobody uses, of this process or another; that of the whole device where the driver
  /// has no function that tells.
  ///
  /// units    bytes
  base::Result<std::size_t> free_memory() const;

  /// Waits for everything that was asked of the device, on all streams.
  base::Status synchronize();

  base::Result<GpuBuffer> allocate(std::size_t num_bytes);
  /// The same by its address, for those who free it themselves.
  base::Result<DriverLibrary::Address> allocate_memory(std::size_t num_bytes);
  /// Fills with a 32-bit value; num_bytes() must be a multiple of four.
  base::Status fill(const GpuBuffer& buffer, std::uint32_t value);
  base::Status fill_bytes(DriverLibrary::Address address, std::uint8_t value,
                          std::size_t num_bytes);
  base::Status copy_in(const GpuBuffer& buffer, const void* from, std::size_t num_bytes);
  base::Status copy_in(DriverLibrary::Address to, const void* from, std::size_t num_bytes);
  base::Status copy_out(void* to, const GpuBuffer& buffer, std::size_t num_bytes);
  base::Status copy_out(void* to, DriverLibrary::Address from, std::size_t num_bytes);

  /// A kernel of a module, which stays loaded.
  ///
  /// shapes   image: a fat binary, a cubin, or PTX with a zero byte at its end
  base::Result<DriverLibrary::Handle> load_kernel(const void* image, const char* name);
  /// On the default stream if `stream` is null.
  base::Status launch(DriverLibrary::Handle kernel, unsigned int num_blocks,
                      unsigned int block_size, const std::vector<void*>& arguments,
                      DriverLibrary::Handle stream = nullptr);

  /// Makes lines that a plugin has pinned in the L2 cache ordinary ones again.
  base::Status reset_persisting_l2();

  const DriverLibrary& driver() const { return driver_; }

 private:
  explicit Gpu(const DriverLibrary& driver) : driver_(driver) {}
  base::Status attach(int index);
  base::Status read_facts();
  base::Status check(int code, const DriverCall& call) const;

  DriverLibrary driver_;
  int device_ = -1;
  bool is_attached_ = false;
  GpuFacts facts_;
};

}  // namespace graphnet::device
