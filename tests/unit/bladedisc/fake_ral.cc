// SPDX-License-Identifier: MIT
//
// A RAL that knows one function, "echo": output i is input i. What it does wrong stands in
// DISC_RAL.
#include <stdlib.h>
#include <string.h>

#include "mlir/ral/context/base/cpu/cpu_context_impl.h"
#include "mlir/ral/ral_api.h"

// Names as in RAL. NOLINTBEGIN(readability-identifier-naming)

namespace tao {
namespace ral {

namespace {

bool does(const char* what) {
  const char* const said = getenv("DISC_RAL");
  return said != nullptr && strcmp(said, what) == 0;
}

class Output : public OutputBufferWrapper {
 public:
  explicit Output(Tensor tensor) : tensor_(std::move(tensor)) {}
  const_buffer_t data() override { return tensor_.buffer; }
  const buffer_shape_t& shape() override { return tensor_.shape; }

 private:
  Tensor tensor_;
};

}  // namespace

Context::~Context() = default;
OutputBufferWrapper::~OutputBufferWrapper() = default;
ExecutionContext::~ExecutionContext() = default;
BaseContext::BaseContext(BaseContextOption& option) {
  if (option.metadata_file_path.empty()) signalError(1, "no metadata");
}
BaseContext::~BaseContext() = default;

void Context::call(const std::string& name, void** arguments) {
  // RAL does nothing once it is in error.
  if (code_ != 0) return;
  if (name != "echo" || does("fail")) return signalError(1, "there is no " + name);
  auto* const execution = *static_cast<BaseExecutionContext**>(arguments[0]);
  execution->outputs = execution->inputs;
  if (does("give another shape")) execution->outputs[0].shape.push_back(1);
}

status_t Context::getLastError(const char** message) {
  *message = message_.c_str();
  return code_;
}
void Context::signalError(status_t code, const std::string& message) {
  code_ = code;
  message_ = message;
}
void Context::clearError() {
  code_ = 0;
  message_.clear();
}

BaseExecutionContext::BaseExecutionContext(BaseContext* context) : ExecutionContext(context) {}
BaseExecutionContext::~BaseExecutionContext() = default;
void BaseExecutionContext::bindInput(int index, buffer_t buffer, const buffer_shape_t& shape) {
  inputs[index] = {buffer, shape};
}
void BaseExecutionContext::bindOutput(int index, std::unique_ptr<OutputBufferWrapper>* output) {
  const auto found = outputs.find(index);
  if (found != outputs.end()) output->reset(new Output(found->second));
}

namespace cpu {

std::unique_ptr<BaseContext> MakeBaseCpuContext(BaseContextOption& option,
                                                BaseCpuContextOption& /*cpu_option*/) {
  return std::unique_ptr<BaseContext>(new BaseContext(option));
}
BaseCpuExecutionContext::BaseCpuExecutionContext(BaseContext* context)
    : BaseExecutionContext(context) {}
BaseCpuExecutionContext::~BaseCpuExecutionContext() = default;

}  // namespace cpu
}  // namespace ral
}  // namespace tao

void tao_ral_call_impl(tao_ral_context_t context, void* name, void** arguments) {
  static_cast<tao::ral::ExecutionContext*>(context)->getContext()->call(
      static_cast<const char*>(name), arguments);
}
tao_ral_status_t tao_ral_last_error(tao_ral_context_t context, const char** message) {
  return static_cast<tao::ral::Context*>(context)->getLastError(message);
}
void tao_ral_clear_error(tao_ral_context_t context) {
  static_cast<tao::ral::Context*>(context)->clearError();
}

// NOLINTEND(readability-identifier-naming)
