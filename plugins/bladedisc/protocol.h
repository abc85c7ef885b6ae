/* SPDX-License-Identifier: MIT
 *
 * gn-disc/1: what plugin bladedisc and gn-disc-run say to each other. C++14 and nothing else:
 * gn-disc-run is built inside a BladeDISC image.
 *
 * The plugin starts gn-disc-run and writes requests to its standard input. gn-disc-run answers each
 * with one reply on its standard output, in order, with the request's op and id; what it and its
 * libraries print goes to standard error. It ends when its input does. Both are one header and
 * `body_bytes` of body. Numbers are little-endian, as on x86-64.
 *
 *   op      request's body                                   reply's body
 *   HELLO   -                                                text: what it is, "key: value" lines
 *   LOAD    gn_disc_load, then its tensors, then its texts   text: what was loaded, "key: value"
 * lines RUN     gn_disc_run                                      gn_disc_times
 *
 * A reply of another state than OK has a reason as its body: one line of text. The order is HELLO,
 * LOAD, then any number of RUN; another order is REFUSED. A program that gets a header of another
 * protocol answers REFUSED with its own protocol in the header, and ends.
 *
 * Tensors are in one file that both map (MAP_SHARED), each dense, row-major, at its offset, which
 * is a multiple of 256. The plugin writes arguments before RUN; gn-disc-run writes results before
 * it answers. Inputs may differ in each call; weights only if `weights_version` does.
 */
#ifndef GRAPHNET_BLADEDISC_PROTOCOL_H_
#define GRAPHNET_BLADEDISC_PROTOCOL_H_

#include <stdint.h>

#define GN_DISC_PROTOCOL 1
#define GN_DISC_MAGIC "gn-disc" /* with its terminating null */
#define GN_DISC_MAX_RANK 16
#define GN_DISC_ALIGNMENT 256
/* A longer body is a mistake: of the other side, or of what is between. */
#define GN_DISC_MAX_BODY (1u << 24)

/* Names as in C. NOLINTBEGIN(readability-identifier-naming) */

enum gn_disc_op { GN_DISC_HELLO = 1, GN_DISC_LOAD = 2, GN_DISC_RUN = 3 };

enum gn_disc_state {
  GN_DISC_OK = 0,
  GN_DISC_REFUSED = 1, /* the request is not understood, or not in this order */
  GN_DISC_FAILED = 2   /* loading or running went wrong */
};

struct gn_disc_header {
  char magic[8];
  uint32_t protocol;
  uint32_t op;    /* gn_disc_op */
  uint32_t state; /* gn_disc_state; of a request: 0 */
  uint32_t reserved;
  uint64_t id; /* the plugin counts requests from 1 */
  uint64_t body_bytes;
};

enum gn_disc_kind { GN_DISC_INPUT = 0, GN_DISC_WEIGHT = 1, GN_DISC_RESULT = 2 };

struct gn_disc_tensor {
  uint8_t code; /* DLDataTypeCode: 0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool */
  uint8_t bits; /* of an element */
  uint8_t kind; /* gn_disc_kind */
  uint8_t rank;
  uint32_t reserved;
  uint64_t offset; /* in the file, bytes */
  uint64_t bytes;
  int64_t shape[GN_DISC_MAX_RANK];
};

/* Arguments of @main in its order, then results in theirs. The texts follow the tensors, one behind
 * the other, not terminated: library, metadata (the .pbtxt), file of the tensors; and the SHA-256
 * of library and metadata, 64 digits each, which must be checked before the library is opened. */
struct gn_disc_load {
  uint32_t is_gpu; /* 0: the processor */
  int32_t ordinal;
  uint32_t num_arguments;
  uint32_t num_results;
  uint64_t memory_bytes; /* of the file of the tensors */
  uint32_t library_chars;
  uint32_t metadata_chars;
  uint32_t memory_chars;
  uint32_t reserved;
};

struct gn_disc_run {
  uint64_t weights_version; /* 1 after the first bind, 2 after the next, ... */
};

/* By the runner's own clock; for people. The host times the whole call. */
struct gn_disc_times {
  uint64_t entry_ns; /* the library's entry point, with what it waits for */
  uint64_t copy_ns;  /* arguments in and results out of the shared file */
};

/* NOLINTEND(readability-identifier-naming) */

#endif /* GRAPHNET_BLADEDISC_PROTOCOL_H_ */
