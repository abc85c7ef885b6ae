/* SPDX-License-Identifier: MIT */
/* An interpreter of ten operators on dense float32 tensors, in C11. It shows every step of a
 * plugin; replace what `gn_executable` holds by your compiler's program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphnet/abi.h"

struct gn_backend {
  const gn_host_api* host;
};

typedef float (*function)(float, float);

/* One operator: values are named by their position in gn_graph_body.values. */
struct step {
  function each;
  int64_t left;
  int64_t right; /* negative: none */
  int64_t result;
};

struct gn_executable {
  const gn_host_api* host;
  float** values; /* [num_values], by id; null for other types than float32 */
  size_t* counts; /* [num_values], elements */
  size_t num_values;
  struct step* steps;
  size_t num_steps;
  int64_t* inputs; /* ids, in the order of the signature; weights and outputs too */
  size_t num_inputs;
  int64_t* weights;
  size_t num_weights;
  int64_t* outputs;
  size_t num_outputs;
};

static float relu(float x, float y) {
  return (void)y, x > 0 || isnan(x) ? x : 0;
}
static float sigmoid(float x, float y) {
  return (void)y, 1 / (1 + expf(-x));
}
static float tangent(float x, float y) {
  return (void)y, tanhf(x);
}
static float exponential(float x, float y) {
  return (void)y, expf(x);
}
static float negated(float x, float y) {
  return (void)y, -x;
}
static float root(float x, float y) {
  return (void)y, sqrtf(x);
}
static float same(float x, float y) {
  return (void)y, x;
}
static float product(float x, float y) {
  return x * y;
}
static float sum(float x, float y) {
  return x + y;
}

static const struct row {
  const char* op;
  function each;
} kRows[] = {
    {"aten::relu", relu},       {"aten::sigmoid", sigmoid}, {"aten::tanh", tangent},
    {"aten::exp", exponential}, {"aten::neg", negated},     {"aten::sqrt", root},
    {"aten::view", same},       {"aten::reshape", same},    {"aten::mul.Tensor", product},
    {"aten::add.Tensor", sum},
};

static gn_status* fail(const gn_host_api* host, uint32_t code, const char* message) {
  const gn_string text = {message, strlen(message)};
  return host->status_new(host->host, code, text);
}

static int equals(gn_string text, const char* other) {
  return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

static int is_float32(const gn_value* value) {
  return value->dtype.code == kDLFloat && value->dtype.bits == 32;
}

static float* data_of(const DLTensor* tensor) {
  return (float*)((char*)tensor->data + tensor->byte_offset);
}

static void executable_destroy(gn_executable* executable) {
  if (executable == NULL) return;
  for (size_t i = 0; i < executable->num_values && executable->values != NULL; ++i) {
    free(executable->values[i]);
  }
  free(executable->values);
  free(executable->counts);
  free(executable->steps);
  free(executable->inputs);
  free(executable->weights);
  free(executable->outputs);
  free(executable);
}

static gn_status* create(const gn_create_args* args, gn_backend** out) {
  gn_backend* backend = calloc(1, sizeof(*backend));
  if (backend == NULL) return fail(args->host, GN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->host = args->host;
  *out = backend;
  return NULL;
}

static void destroy(gn_backend* backend) {
  free(backend);
}

/* Null, or why the node cannot be. */
static const char* add_node(gn_executable* made, const gn_graph_body* body, const gn_node* node) {
  struct step step = {NULL, -1, -1, node->results[0]};
  for (uint64_t i = 0; i < node->num_arguments; ++i) {
    const gn_argument* argument = &node->arguments[i];
    if (equals(argument->name, "alpha") &&
        (argument->kind != GN_ARGUMENT_INT || argument->integer != 1)) {
      return "alpha is not written yet";
    }
    if (argument->kind != GN_ARGUMENT_VALUE) continue;
    if (!is_float32(&body->values[argument->integers[0]])) return "only float32";
    *(step.left < 0 ? &step.left : &step.right) = argument->integers[0];
  }
  for (size_t i = 0; i < sizeof(kRows) / sizeof(kRows[0]); ++i) {
    if (equals(node->op, kRows[i].op)) step.each = kRows[i].each;
  }
  if (step.each == NULL) return "not written yet";
  if (step.result < 0 || !is_float32(&body->values[step.result])) return "only float32";
  const size_t count = made->counts[step.result];
  if (made->counts[step.left] != count || (step.right >= 0 && made->counts[step.right] != count)) {
    return "no broadcasting";
  }
  made->steps[made->num_steps++] = step;
  return NULL;
}

static int add_value(gn_executable* made, int64_t id, const gn_value* value) {
  size_t count = 1;
  for (int32_t d = 0; d < value->rank; ++d) count *= (size_t)value->shape[d];
  made->counts[id] = count;
  if (value->kind == GN_VALUE_INPUT) made->inputs[made->num_inputs++] = id;
  if (value->kind == GN_VALUE_WEIGHT) made->weights[made->num_weights++] = id;
  if (!is_float32(value)) return 1;
  made->values[id] = calloc(count + 1, sizeof(float));
  if (made->values[id] == NULL) return 0;
  if (value->data != NULL) memcpy(made->values[id], value->data, count * sizeof(float));
  return 1;
}

static gn_executable* new_executable(const gn_host_api* host, const gn_graph_body* body) {
  gn_executable* made = calloc(1, sizeof(*made));
  if (made == NULL) return NULL;
  made->host = host;
  made->num_values = body->num_values;
  made->values = calloc(body->num_values + 1, sizeof(float*));
  made->counts = calloc(body->num_values + 1, sizeof(size_t));
  made->steps = calloc(body->num_nodes + 1, sizeof(struct step));
  made->inputs = calloc(body->num_values + 1, sizeof(int64_t));
  made->weights = calloc(body->num_values + 1, sizeof(int64_t));
  made->outputs = calloc(body->num_outputs + 1, sizeof(int64_t));
  int is_made =
      made->values && made->counts && made->steps && made->inputs && made->weights && made->outputs;
  for (uint64_t id = 0; is_made && id < body->num_values; ++id) {
    is_made = add_value(made, (int64_t)id, &body->values[id]);
  }
  if (is_made) return made;
  executable_destroy(made);
  return NULL;
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  gn_graph_body body = {.struct_size = sizeof(body)};
  gn_status* const status = host->graph_body(host->host, args->graph, &body);
  if (status != NULL) return status;
  gn_executable* made = new_executable(host, &body);
  if (made == NULL) return fail(host, GN_STATUS_OUT_OF_MEMORY, "out of memory");
  char refused[4096] = "";
  size_t used = 0;
  for (uint64_t i = 0; i < body.num_nodes; ++i) {
    const gn_node* node = &body.nodes[i];
    const char* reason = add_node(made, &body, node);
    if (reason == NULL || used >= sizeof(refused)) continue;
    used += (size_t)snprintf(refused + used, sizeof(refused) - used, "%s%.*s at %.*s: %s",
                             used == 0 ? "" : "; ", (int)node->op.size, node->op.data,
                             (int)node->where.size, node->where.data, reason);
  }
  for (uint64_t i = 0; i < body.num_outputs; ++i) {
    made->outputs[made->num_outputs++] = body.outputs[i];
    if (used == 0 && made->values[body.outputs[i]] == NULL) {
      used = (size_t)snprintf(refused, sizeof(refused), "output %d: only float32", (int)i);
    }
  }
  if (used != 0 || args->check_only != 0) {
    executable_destroy(made);
    return used == 0 ? NULL : fail(host, GN_STATUS_UNSUPPORTED, refused);
  }
  *out = made;
  return NULL;
}

static void fill(gn_executable* executable, int64_t id, const DLTensor* tensor) {
  if (executable->values[id] == NULL || tensor->data == NULL) return;
  memcpy(executable->values[id], data_of(tensor), executable->counts[id] * sizeof(float));
}

static gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  for (size_t i = 0; i < executable->num_weights; ++i) {
    fill(executable, executable->weights[i], args->weights[i]);
  }
  args->copied = 1;
  return NULL;
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  for (size_t i = 0; i < executable->num_inputs; ++i) {
    fill(executable, executable->inputs[i], args->inputs[i]);
  }
  for (size_t s = 0; s < executable->num_steps; ++s) {
    const struct step step = executable->steps[s];
    for (size_t i = 0; i < executable->counts[step.result]; ++i) {
      const float right = step.right < 0 ? 0 : executable->values[step.right][i];
      executable->values[step.result][i] = step.each(executable->values[step.left][i], right);
    }
  }
  for (size_t i = 0; i < executable->num_outputs; ++i) {
    const int64_t id = executable->outputs[i];
    if (executable->counts[id] == 0) continue;
    memcpy(data_of(args->outputs[i]), executable->values[id],
           executable->counts[id] * sizeof(float));
  }
  return NULL;
}

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  static const gn_backend_api kApi = {
      sizeof(gn_backend_api),
      create,
      destroy,
      gn_backend_compile,
      gn_backend_run,
      bind,
      executable_destroy,
      NULL,
      NULL,
      NULL,
  };
  out->abi_major = GN_ABI_MAJOR;
  out->abi_minor = GN_ABI_MINOR;
  out->name = (gn_string){"@NAME@", strlen("@NAME@")};
  out->version = (gn_string){"0.1.0", 5};
  out->api = &kApi;
  if (in->abi_major == GN_ABI_MAJOR && in->abi_minor_min <= GN_ABI_MINOR &&
      GN_ABI_MINOR <= in->abi_minor_max) {
    return 0;
  }
  snprintf(out->error, sizeof(out->error), "built for plugin ABI %d.%d", GN_ABI_MAJOR,
           GN_ABI_MINOR);
  return 1;
}
