/* SPDX-License-Identifier: MIT
 *
 * graphnet plugin ABI 0.3: the contract between the host and a tensor-compiler plugin.
 *
 * A plugin is a shared object with exactly three exported symbols:
 *   gn_plugin_query      returns name, version and table; its layout never changes
 *   gn_backend_compile   graph -> executable
 *   gn_backend_run       executable + tensors -> tensors
 * Everything else is reached through two tables: gn_backend_api (plugin -> host, from the query)
 * and gn_host_api (host -> plugin, given to create). A plugin imports no symbol of the host.
 *
 * ABI 0.x may change with every minor number. 1.0 will be the first promise.
 *
 * Rules that hold everywhere
 *   - strings are pointer + length, UTF-8, not terminated; borrowed for the duration of the call
 *     unless said otherwise
 *   - every struct starts with struct_size, set by the side that fills it; a reader never touches
 *     bytes beyond it; fields are only appended
 *   - gn_status* is null for success; failures are made by host->status_new and owned by the host
 *   - all calls to one plugin come from one thread with a stack of at least 8 MiB
 *   - no exception, signal handler, exit() or longjmp leaves a plugin; standard output and error
 *     are pipes that the host reads
 *   - threads of a plugin stay on the cores that the host binds them to (their affinity mask)
 *   - tags in comments: [in] [out] [borrow] [own] [opt]
 */
#ifndef GRAPHNET_ABI_H_
#define GRAPHNET_ABI_H_

#include <stddef.h>
#include <stdint.h>

/* DLPack's own header declares the same tensors. A source that uses it defines GN_DLPACK_HEADER
 * as its name ("<dlpack/dlpack.h>" with the brackets), or includes it before this header. */
#ifdef GN_DLPACK_HEADER
#include GN_DLPACK_HEADER
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GN_ABI_MAJOR 0
#define GN_ABI_MINOR 3

#define GN_EXPORT __attribute__((visibility("default")))

typedef struct gn_string {
  const char* data; /* [borrow]; may be null if size is 0 */
  uint64_t size;    /* bytes */
} gn_string;

/* ---- tensors ---------------------------------------------------------------------------------
 *
 * Names, values and layout are those of DLPack 1, of which the host uses this part.
 */
#ifndef DLPACK_DLPACK_H_ /* the guard of DLPack's own header */

#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2
} DLDeviceType;

typedef struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id; /* CUDA: ordinal; CPU: 0 */
} DLDevice;

/* Values of DLDataType.code. */
typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U
} DLDataTypeCode;

typedef struct DLDataType {
  uint8_t code;   /* DLDataTypeCode */
  uint8_t bits;   /* of an element; complex: of both parts */
  uint16_t lanes; /* 1 */
} DLDataType;

typedef struct DLTensor {
  void* data; /* on `device` */
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;       /* [ndim] */
  int64_t* strides;     /* [ndim], in elements; null only if ndim is 0 */
  uint64_t byte_offset; /* bytes from data to the first element */
} DLTensor;

#endif /* DLPACK_DLPACK_H_ */

/* ---- status ---------------------------------------------------------------------------------- */

typedef struct gn_status gn_status; /* opaque; null is success */

/* Kind of a failure. It decides the outcome in the record. */
enum {
  GN_STATUS_INVALID_ARGUMENT = 1, /* an option or argument that the plugin refuses */
  GN_STATUS_UNSUPPORTED = 2,    /* the plugin cannot do something in the graph; message lists all */
  GN_STATUS_COMPILE_FAILED = 3, /* the compiler gave up */
  GN_STATUS_RUNTIME_FAILED = 4, /* execution failed */
  GN_STATUS_OUT_OF_MEMORY = 5,
  GN_STATUS_UNAVAILABLE = 6, /* a library or device is missing; message says which */
  GN_STATUS_INTERNAL = 7     /* a bug of the plugin */
};

/* ---- graph ----------------------------------------------------------------------------------- */

typedef struct gn_graph gn_graph; /* opaque; valid during compile only */

enum {
  GN_VALUE_INPUT = 1,    /* given with every run */
  GN_VALUE_WEIGHT = 2,   /* given to bind; values unknown while compiling */
  GN_VALUE_CONSTANT = 3, /* known: data */
  GN_VALUE_RESULT = 4    /* of a node */
};

/* An input, weight or output of the graph, or any value of its body. */
typedef struct gn_value {
  uint64_t struct_size;
  gn_string name; /* inputs and weights: argument name of forward(); outputs: "output0", ... */
  uint32_t kind;  /* GN_VALUE_*; 0 for outputs */
  DLDataType dtype;
  int32_t rank;
  uint32_t index;       /* inputs, weights: position in the signature's list of that kind; else 0 */
  const int64_t* shape; /* [rank], every extent >= 0; [borrow] for the life of the graph */
  /* GN_VALUE_CONSTANT, and GN_VALUE_WEIGHT in a graph's body if weights are frozen (known while
   * compiling): elements, dense row-major, on the host; else null */
  const void* data;
} gn_value;

/* Inputs, weights and outputs of a graph.
 * order: inputs and weights each in the order of forward's signature, outputs in return order */
typedef struct gn_graph_signature {
  uint64_t struct_size;
  gn_string sample; /* "<family>/<model>", for messages and dumps */
  const gn_value* inputs;
  uint64_t num_inputs;
  const gn_value* weights;
  uint64_t num_weights;
  const gn_value* outputs;
  uint64_t num_outputs;
} gn_graph_signature;

/* ---- body: the graph in normal form -----------------------------------------------------------
 *
 * The graph is functional and has static shapes. Every node is an ATen overload with all arguments
 * of its schema, in the schema's order, defaults filled in. Composites (linear, layer_norm, ...)
 * are kept whole. No node writes to a value. Identities that eager runs as calls (contiguous, a
 * cast to the same type) are kept; a plugin may skip them.
 */

/* Kind of a node's argument. An id is a position in gn_graph_body.values. */
enum {
  GN_ARGUMENT_NONE = 0,
  GN_ARGUMENT_VALUE = 1,  /* integers[0] is an id */
  GN_ARGUMENT_VALUES = 2, /* integers: [count] ids; -1 stands for None */
  GN_ARGUMENT_BOOL = 3,   /* integer is 0 or 1 */
  GN_ARGUMENT_INT = 4,    /* integer */
  GN_ARGUMENT_FLOAT = 5,  /* number */
  GN_ARGUMENT_STRING = 6, /* text */
  GN_ARGUMENT_DTYPE = 7,  /* dtype */
  GN_ARGUMENT_BOOLS = 8,  /* integers: [count] of 0 or 1 */
  GN_ARGUMENT_INTS = 9,   /* integers: [count] */
  GN_ARGUMENT_FLOATS = 10 /* numbers: [count] */
};

typedef struct gn_argument {
  uint64_t struct_size;
  gn_string name; /* as in the schema */
  uint32_t kind;  /* GN_ARGUMENT_*; a Scalar is a BOOL, INT or FLOAT */
  DLDataType dtype;
  int64_t integer;
  double number;
  gn_string text;
  const int64_t* integers;
  const double* numbers;
  uint64_t count;
} gn_argument;

typedef struct gn_node {
  uint64_t struct_size;
  gn_string op;    /* "aten::add.Tensor" */
  gn_string where; /* "model.py:12:5"; may be empty */
  const gn_argument* arguments;
  uint64_t num_arguments;
  const int64_t* results; /* ids, lists flattened; -1 where nobody reads the result */
  uint64_t num_results;
} gn_node;

/* order: a value is defined before it is read. Everything is borrowed and valid during compile. */
typedef struct gn_graph_body {
  uint64_t struct_size;
  const gn_value* values;
  uint64_t num_values;
  const gn_node* nodes;
  uint64_t num_nodes;
  const int64_t* outputs; /* ids, in the order of the signature's outputs */
  uint64_t num_outputs;
} gn_graph_body;

/* ---- running --------------------------------------------------------------------------------- */

/* Tensors of one call.
 * shapes   inputs[i], outputs[i]: as in the signature; dense row-major unless strides say otherwise
 * order    as in the signature
 * Inputs, weights and outputs are allocated by the host, 256-byte aligned (data + byte_offset);
 * outputs overlap nothing; numel 0 may have null data. The plugin writes to outputs[i]->data and
 * changes no field of any DLTensor. On CPU the outputs are complete when run returns. Pointers stay
 * the same from call to call unless `rebind` is non-zero. Capture: a plugin whose manifest names
 * the capability `graph_capturable` may be called, after ordinary calls, with a stream that is
 * being captured in a CUDA graph. In such a call the plugin puts all its work on that stream, or on
 * streams that it joins with that stream by events; it allocates nothing and waits for nothing. The
 * host then launches the graph repeatedly without further calls. Whatever the graph reads and
 * writes must keep its address until executable_destroy. */
typedef struct gn_run_args {
  uint64_t struct_size;
  const DLTensor* const* inputs;
  uint64_t num_inputs;
  DLTensor* const* outputs;
  uint64_t num_outputs;
  void* stream; /* the device's stream for this call, CUDA: null for the default one; null on CPU */
  uint32_t rebind; /* some data pointer differs from the previous call; always set on the first */
  uint32_t reserved;
} gn_run_args;

/* Weights of one executable. They stay valid and unchanged until the next bind or
 * executable_destroy. The host may bind the same executable again: it writes other content into the
 * same tensors, at the same addresses, and calls bind before the next run. What run computes then
 * must not depend on the earlier content. `rebind` of the next run is about the pointers of that
 * run only; it says nothing about a bind. */
typedef struct gn_bind_args {
  uint64_t struct_size;
  const DLTensor* const* weights;
  uint64_t num_weights;
  uint32_t
      copied; /* [out] 0: the plugin goes on reading the host's memory; 1: it holds its own copy */
  uint32_t reserved;
  uint64_t kept_bytes; /* [out] bytes that the plugin keeps because of bind */
} gn_bind_args;

/* ---- host services --------------------------------------------------------------------------- */

typedef struct gn_host gn_host;                         /* opaque */
typedef struct gn_eager_executable gn_eager_executable; /* opaque; owned by the host */

enum { GN_LOG_DEBUG = 0, GN_LOG_INFO = 1, GN_LOG_WARNING = 2, GN_LOG_ERROR = 3 };

/* Arithmetic under which eager and every plugin of a run are compared. ALLOW_* are permissions: a
 * plugin may leave them unused, and must not do without permission what they allow. FLUSH_* is a
 * demand: a plugin that cannot honour it refuses in create. Always allowed: an own order of sums,
 * and functions that are right to a few units in the last place. Without the demand a plugin may
 * treat subnormal numbers as it likes. */
enum {
  /* float32 products and convolutions with 10 bits of mantissa on a device. Eager uses it too. */
  GN_MATH_ALLOW_TF32 = 1u << 0,
  /* Arithmetic rewritten as if numbers were real (reassociation, reciprocals), and approximate
   * functions. NaN and infinities are kept. Eager has no such mode. */
  GN_MATH_ALLOW_FAST_MATH = 1u << 1,
  /* Subnormal operands and results are zero. CPU only. The thread that calls the plugin is in that
   * mode already; threads that it starts inherit the mode. */
  GN_MATH_FLUSH_DENORMALS = 1u << 2
};

typedef struct gn_host_api {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor; /* negotiated: the smaller of both sides */
  gn_host* host;      /* first argument of every slot below */

  /* What the plugin is asked to use. */
  DLDevice device;
  int32_t num_threads;         /* >= 1 */
  uint32_t math_policy;        /* GN_MATH_* */
  uint64_t memory_limit_bytes; /* 0: none */
  /* Empty: dump nothing. Else compile writes what it hands to its compiler to this folder, as files
   * of its choice for people; lowered.ir is the graph in the plugin's own operations, as text. */
  gn_string dump_folder;

  /* Makes a failure; code is GN_STATUS_*. Never returns null. */
  gn_status* (*status_new)(gn_host*, uint32_t code, gn_string message);
  /* One line for the log; level is GN_LOG_*. */
  void (*log)(gn_host*, uint32_t level, gn_string text);
  /* Non-zero if the host wants compile to return soon: its time limit has passed, or the run is
   * being stopped. compile may then return anything; destroy is called, and the process ends. It is
   * killed a second later, at once if compile has never asked. May be called from any thread. */
  int32_t (*cancelled)(gn_host*);
  /* Inputs, weights and outputs of the graph; valid during compile. */
  gn_status* (*graph_signature)(gn_host*, const gn_graph*, gn_graph_signature* out);
  /* Compiles the graph, as written in the sample, for the host's own eager engine. Use is counted
   * and shown: the verdict of a backend that runs through here is never `proven`. The result lives
   * until the executable that was compiled with it is destroyed. */
  gn_status* (*eager_compile)(gn_host*, const gn_graph*, gn_eager_executable** out);
  /* Runs it with the arguments of gn_backend_run. This slot alone may redirect data, strides and
   * byte_offset of outputs to host memory that stays valid until the next eager_run. */
  gn_status* (*eager_run)(gn_host*, gn_eager_executable*, const gn_run_args*);
  /* The graph in normal form; valid during compile.
   * errors: UNSUPPORTED with the reason if the program has none (shapes that depend on data) */
  gn_status* (*graph_body)(gn_host*, const gn_graph*, gn_graph_body* out);
} gn_host_api;

/* ---- backend --------------------------------------------------------------------------------- */

typedef struct gn_backend gn_backend;       /* opaque; the plugin's */
typedef struct gn_executable gn_executable; /* opaque; the plugin's */

/* An option of the run config, already checked against the manifest; defaults filled in. */
enum { GN_OPTION_BOOL = 1, GN_OPTION_INT = 2, GN_OPTION_FLOAT = 3, GN_OPTION_STRING = 4 };
typedef struct gn_option {
  gn_string name;
  uint32_t type; /* GN_OPTION_* */
  uint32_t reserved;
  int64_t integer; /* BOOL (0 or 1), INT */
  double number;   /* FLOAT */
  gn_string text;  /* STRING */
} gn_option;

typedef struct gn_create_args {
  uint64_t struct_size;
  const gn_host_api* host; /* [borrow] valid until destroy returns */
  const gn_option* options;
  uint64_t num_options;
} gn_create_args;

typedef struct gn_compile_args {
  uint64_t struct_size;
  const gn_graph* graph;
  uint32_t check_only; /* non-zero: pure, touches no device, makes no executable; UNSUPPORTED lists
                          all */
  uint32_t reserved;
} gn_compile_args;

/* What the plugin reports of itself or of an executable. It is shown beside the evidence, as
 * reported by the plugin (unverified). */
typedef struct gn_info {
  uint64_t struct_size;
  gn_string text; /* [borrow] valid until the next call on the same handle; "key: value" lines */
} gn_info;

/* Filled by the plugin; slots marked [opt] may be null. */
typedef struct gn_backend_api {
  uint64_t struct_size;
  gn_status* (*create)(const gn_create_args*, gn_backend** out);
  void (*destroy)(gn_backend*);
  /* Equal to the exported symbols of these names. */
  gn_status* (*compile)(gn_backend*, const gn_compile_args*, gn_executable** out);
  gn_status* (*run)(gn_executable*, const gn_run_args*);
  /* Called after compile, before the first run, and again whenever weights have other content. It
   * may compute anything that depends on weights alone. */
  gn_status* (*bind)(gn_executable*, gn_bind_args*);
  void (*executable_destroy)(gn_executable*);
  gn_status* (*info)(gn_backend*, gn_executable* /* [opt] */, gn_info* out); /* [opt] */
  /* Bytes that `deserialize` makes the executable from again, in another process; weights that
   * compile did not know are not part of them. Both slots or none.
   * errors: UNSUPPORTED: this executable cannot be stored */
  gn_status* (*serialize)(gn_executable*, gn_string* out /* [borrow] till destroy */); /* [opt] */
  /* errors: INVALID_ARGUMENT: damaged, or made by another compiler, with other options or for
   * another processor */
  gn_status* (*deserialize)(gn_backend*, gn_string bytes, gn_executable** out); /* [opt] */
} gn_backend_api;

/* ---- the three exports ----------------------------------------------------------------------- */

typedef struct gn_query_in {
  uint64_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor_min; /* oldest minor the host serves */
  uint32_t abi_minor_max; /* newest minor the host serves */
  uint32_t reserved;
} gn_query_in;

typedef struct gn_query_out {
  uint64_t struct_size; /* [in] set by the host: the plugin writes no byte beyond it */
  uint32_t abi_major;   /* [out] what the plugin was built for, also when it refuses */
  uint32_t abi_minor;
  gn_string name; /* [out] static storage, as is version */
  gn_string version;
  const gn_backend_api* api; /* [out] static storage */
  char error[256];           /* [out] terminated reason, if the query returns non-zero */
} gn_query_out;

/* Returns 0, or non-zero with `error` filled if the plugin cannot serve this host. Pure: no device,
 * no thread, no file, no environment change. */
GN_EXPORT int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out);

/* errors: UNSUPPORTED with all unsupported nodes and reasons; COMPILE_FAILED; OUT_OF_MEMORY */
GN_EXPORT gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                                        gn_executable** out);

/* errors: RUNTIME_FAILED; OUT_OF_MEMORY. Outputs are undefined after a failure. */
GN_EXPORT gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GRAPHNET_ABI_H_ */
