// SPDX-License-Identifier: MIT
//
// See ral_api.h.
#pragma once

#include <stdint.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Names as in RAL. NOLINTBEGIN(readability-identifier-naming)

namespace tao {
namespace ral {

using status_t = int32_t;
using buffer_t = void*;
using const_buffer_t = const void*;
using buffer_shape_t = std::vector<int64_t>;

struct Allocator;

class Context {
 public:
  virtual ~Context();
  virtual void call(const std::string& name, void** arguments);
  status_t getLastError(const char** message);
  void signalError(status_t code, const std::string& message);
  void clearError();

 private:
  status_t code_ = 0;
  std::string message_;
};

class OutputBufferWrapper {
 public:
  virtual ~OutputBufferWrapper();
  virtual const_buffer_t data() = 0;
  virtual const buffer_shape_t& shape() = 0;
};

class ExecutionContext {
 public:
  explicit ExecutionContext(Context* context) : context_(context) {}
  virtual ~ExecutionContext();
  Context* getContext() { return context_; }
  virtual void bindInput(int index, buffer_t buffer, const buffer_shape_t& shape) = 0;
  virtual void bindOutput(int index, std::unique_ptr<OutputBufferWrapper>* output) = 0;

 private:
  Context* context_;
};

template <typename T, typename... Arguments>
std::unique_ptr<T> MakeExecutionContext(Arguments&&... arguments) {
  return std::unique_ptr<T>(new T(std::forward<Arguments>(arguments)...));
}

struct BaseContextOption {
  std::string metadata_file_path;
  bool cache_workspace_mem_across_execution = false;
};

class BaseContext : public Context {
 public:
  explicit BaseContext(BaseContextOption& option);
  ~BaseContext() override;
};

struct Tensor {
  void* buffer;
  std::vector<int64_t> shape;
};

struct BaseExecutionContext : public ExecutionContext {
  explicit BaseExecutionContext(BaseContext* context);
  ~BaseExecutionContext() override;
  void bindInput(int index, buffer_t buffer, const buffer_shape_t& shape) override;
  void bindOutput(int index, std::unique_ptr<OutputBufferWrapper>* output) override;

  std::map<int32_t, Tensor> inputs;
  std::map<int32_t, Tensor> outputs;
};

namespace cpu {

struct BaseCpuContextOption {
  std::shared_ptr<Allocator> cpu_allocator;
};

std::unique_ptr<BaseContext> MakeBaseCpuContext(BaseContextOption& option,
                                                BaseCpuContextOption& cpu_option);

struct BaseCpuExecutionContext : public BaseExecutionContext {
  explicit BaseCpuExecutionContext(BaseContext* context);
  ~BaseCpuExecutionContext() override;
};

}  // namespace cpu
}  // namespace ral
}  // namespace tao

// NOLINTEND(readability-identifier-naming)
