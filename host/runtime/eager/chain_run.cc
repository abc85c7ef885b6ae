// SPDX-License-Identifier: MIT
#include "eager/chain_run.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <map>
#include <new>
#include <set>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"
#include "eager/tracer.h"
#include "eager/wall.h"
#include "graph/reads.h"

namespace graphnet::eager {

namespace {

using base::Code;
using base::Status;

base::DenseTensor dense_copy(const at::Tensor& tensor) {
  const auto dtype = from_scalar_type(tensor.scalar_type());
  if (!dtype) {
    throw TraceError(Code::kInput,
                     std::string("a result has the type ") + c10::toString(tensor.scalar_type()));
  }
  base::DenseTensor result;
  result.dtype = *dtype;
  result.shape = tensor.sizes().vec();
  result.bytes = base::AlignedBuffer::allocate(static_cast<std::size_t>(tensor.numel()) *
                                               base::dtype_bytes(*dtype));
  if (result.bytes.data() == nullptr) throw std::bad_alloc();
  at::from_blob(result.bytes.data(), result.shape, tensor.options()).copy_(tensor);
  return result;
}

void add_names(const Value& value, const std::string& name, std::vector<std::string>& names) {
  if (value.is_tensor()) names.push_back(name);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    add_names(value.items[i], graph::item_name(name, i), names);
  }
}

/// What a link gave, by name.
struct LinkResults {
  std::vector<std::string> names;
  std::vector<at::Tensor> tensors;
};

/// The tensors that have a name, from link to link.
class ChainRun {
 public:
  explicit ChainRun(const std::vector<ChainLink>& chain) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      for (const graph::Parameter& parameter : chain[i].program->parameters) {
        last_reader_[parameter.name] = i;
      }
    }
  }

  void give(const std::string& name, at::Tensor tensor) { tensors_[name] = std::move(tensor); }

  LinkResults run(const graph::Program& program) {
    const DefaultTypeGuard default_type(program.default_dtype);
    std::vector<at::Tensor> arguments;
    for (const graph::Parameter& parameter : program.parameters) {
      const auto found = tensors_.find(parameter.name);
      if (found == tensors_.end()) {
        throw TraceError(Code::kInput, "nothing gives its parameter '" + parameter.name + "'");
      }
      arguments.push_back(found->second);
    }
    LinkResults results;
    Tracer tracer(program, arguments);
    tracer.watch_statements([&](std::size_t statement, const std::vector<Value>& variables) {
      if (statement < program.statements.size()) return;
      for (const graph::VariableId id : program.results) {
        const auto variable = static_cast<std::size_t>(id);
        add_names(variables[variable], program.variables[variable], results.names);
      }
    });
    results.tensors = tracer.run();
    for (auto& [position, original] : tracer.take_originals()) {
      originals_.emplace_back(arguments[position], std::move(original));
    }
    return results;
  }

  /// Keeps what a later link reads.
  void keep(LinkResults results, std::size_t link) {
    for (std::size_t i = 0; i < results.tensors.size(); ++i) {
      give(results.names[i], std::move(results.tensors[i]));
    }
    for (auto tensor = tensors_.begin(); tensor != tensors_.end();) {
      const auto reader = last_reader_.find(tensor->first);
      const bool is_read = reader != last_reader_.end() && reader->second > link;
      tensor = is_read ? std::next(tensor) : tensors_.erase(tensor);
    }
  }

  void put_back() {
    for (auto written = originals_.rbegin(); written != originals_.rend(); ++written) {
      written->first.copy_(written->second);
    }
  }

 private:
  std::map<std::string, at::Tensor> tensors_;
  std::map<std::string, std::size_t> last_reader_;
  std::vector<std::pair<at::Tensor, at::Tensor>> originals_;
};

}  // namespace

base::Result<std::vector<base::DenseTensor>> run_chain(
    const std::vector<ChainLink>& chain, const std::vector<std::string>& names,
    const std::vector<EngineArgument>& arguments) {
  std::vector<base::DenseTensor> copies;
  std::string at;
  Status ran = guarded([&] {
    const c10::InferenceMode inference(true);
    ChainRun run(chain);
    for (std::size_t i = 0; i < names.size(); ++i) run.give(names[i], wrap(arguments[i]));
    for (std::size_t i = 0; i < chain.size(); ++i) {
      at = chain[i].name;
      LinkResults results = run.run(*chain[i].program);
      if (i + 1 < chain.size()) {
        run.keep(std::move(results), i);
      } else {
        for (const at::Tensor& result : results.tensors) copies.push_back(dense_copy(result));
      }
    }
    run.put_back();
  });
  if (!ran.is_ok()) return ran.add_context("in " + at);
  return copies;
}

}  // namespace graphnet::eager
