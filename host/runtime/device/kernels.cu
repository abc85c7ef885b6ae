// SPDX-License-Identifier: MIT
//
// The host's own kernels; own_kernels.h says what they are for.

/// Word i gets a value that only this kernel computes.
extern "C" __global__ void graphnet_self_test(unsigned int* words, unsigned int count,
                                              unsigned int seed) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = (i * 2654435761U) ^ seed;
}

/// Keeps the device's stream busy for a time, so that what is launched meanwhile waits.
extern "C" __global__ void graphnet_delay(unsigned long long nanoseconds) {
  unsigned long long start = 0;
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

/// Writes every 16 bytes of a buffer that is larger than the L2 cache.
extern "C" __global__ void graphnet_flush(uint4* lines, unsigned long long count,
                                          unsigned int value) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    lines[i] = make_uint4(value, value, value, value);
  }
}
