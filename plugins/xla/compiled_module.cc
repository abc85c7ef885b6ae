// SPDX-License-Identifier: MIT
#include "xla/compiled_module.h"

#include <algorithm>
#include <utility>

#include "graphnet/own_heap.h"
#include "xla/compile_error.h"

namespace graphnet::xla {

using lowering::stablehlo::Module;

namespace {

constexpr std::string_view kFormat = "mlir";

pjrt::Error* try_compile(const PjrtClient& client, const std::string& text,
                         const std::vector<CompileOverride>& overrides,
                         pjrt::LoadedExecutable*& executable) {
  const std::string options = encode_compile_options(overrides);
  pjrt::Program program;
  program.code = const_cast<char*>(text.data());  // only read here; other calls write through it
  program.code_size = text.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  pjrt::ClientCompileArgs args;
  args.client = client.handle();
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  pjrt::Error* error = nullptr;
  on_own_heap([&] { error = client.library().call(args); });
  executable = args.executable;
  return error;
}

/// Takes the override that XLA does not know out of the list; false if it is none of those that may
/// be left out.
bool drop_unknown(std::vector<CompileOverride>& overrides, const PjrtError& error) {
  if (error.code != pjrt::kInvalidArgument) return false;
  const auto unknown = std::find_if(overrides.begin(), overrides.end(), [&](const auto& entry) {
    return !entry.is_needed && names_option(error.message, entry.name);
  });
  if (unknown == overrides.end()) return false;
  overrides.erase(unknown);
  return true;
}

Failure compile_failure(const PjrtError& error, const std::string& text,
                        const std::vector<CompileOverride>& overrides) {
  for (const CompileOverride& entry : overrides) {
    if (error.code != pjrt::kInvalidArgument || !names_option(error.message, entry.name)) continue;
    return Failure(GN_STATUS_INVALID_ARGUMENT, "XLA refuses option 'overrides': " + error.message);
  }
  return Failure(error.code == pjrt::kResourceExhausted ? std::uint32_t{GN_STATUS_OUT_OF_MEMORY}
                                                        : std::uint32_t{GN_STATUS_COMPILE_FAILED},
                 "XLA cannot compile the program: " + explain_compile_error(error.message, text));
}

}  // namespace

CompiledModule::CompiledModule(const PjrtClient& client, Module module,
                               pjrt::LoadedExecutable* loaded)
    : library_(&client.library()),
      signature_(std::move(module)),
      loaded_(client.library(), loaded) {
  signature_.text = std::string();
  pjrt::LoadedExecutableGetExecutableArgs args;
  args.loaded_executable = loaded;
  library_->check(args, GN_STATUS_INTERNAL, "PJRT has no executable of the program");
  executable_ = OwnedExecutable(*library_, args.executable);
  check_results();
}

CompiledModule CompiledModule::compile(const PjrtClient& client, Module module,
                                       std::vector<CompileOverride>& overrides) {
  while (true) {
    pjrt::LoadedExecutable* loaded = nullptr;
    pjrt::Error* error = try_compile(client, module.text, overrides, loaded);
    if (error == nullptr) return CompiledModule(client, std::move(module), loaded);
    const PjrtError taken = client.library().take(error);
    if (!drop_unknown(overrides, taken)) {
      throw compile_failure(taken, module.text, overrides);
    }
  }
}

CompiledModule CompiledModule::load(const PjrtClient& client, Module module,
                                    std::string_view bytes) {
  pjrt::DeserializeAndLoadArgs args;
  args.client = client.handle();
  args.bytes = bytes.data();
  args.num_bytes = bytes.size();
  client.library().check(args, GN_STATUS_INVALID_ARGUMENT, "XLA cannot load a stored program");
  return CompiledModule(client, std::move(module), args.executable);
}

/// A caller's list of results has room for those of the signature only, and what XLA writes to them
/// must fit.
void CompiledModule::check_results() const {
  const auto refuse = [](const std::string& reason) {
    throw Failure(GN_STATUS_INTERNAL, "the lowered program's signature is wrong: " + reason);
  };
  const std::vector<TensorType>& expected = signature_.results;
  pjrt::OutputElementTypesArgs types;
  types.executable = executable_.get();
  library_->check(types, GN_STATUS_INTERNAL, "PJRT has no result types");
  pjrt::OutputDimensionsArgs shapes;
  shapes.executable = executable_.get();
  library_->check(shapes, GN_STATUS_INTERNAL, "PJRT has no result shapes");
  if (types.num_types != expected.size() || shapes.num_outputs != expected.size()) {
    refuse(std::to_string(types.num_types) + " results, not " + std::to_string(expected.size()));
  }
  const std::int64_t* dims = shapes.dims;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<std::int64_t>& shape = expected[i].shape;
    if (types.types[i] != buffer_type(expected[i].dtype) || shapes.ranks[i] != shape.size() ||
        !std::equal(shape.begin(), shape.end(), dims)) {
      refuse("result " + std::to_string(i) + " is not " + describe(expected[i]));
    }
    dims += shapes.ranks[i];
  }
}

std::string CompiledModule::serialize() const {
  pjrt::ExecutableSerializeArgs args;
  args.executable = executable_.get();
  library_->check(args, GN_STATUS_UNSUPPORTED, "XLA cannot store the program");
  std::string bytes(args.bytes, args.num_bytes);
  if (args.destroy_backing != nullptr) args.destroy_backing(args.backing);
  return bytes;
}

std::string CompiledModule::optimized_program() const {
  constexpr const char* kDoing = "XLA does not show the optimized program";
  pjrt::Program program;
  pjrt::ExecutableOptimizedProgramArgs args;
  args.executable = executable_.get();
  args.program = &program;
  library_->check(args, GN_STATUS_INTERNAL, kDoing);
  std::string code(program.code_size, '\0');
  program.code = code.data();
  library_->check(args, GN_STATUS_INTERNAL, kDoing);
  return code;
}

std::string CompiledModule::fingerprint() const {
  pjrt::ExecutableFingerprintArgs args;
  args.executable = executable_.get();
  if (pjrt::Error* error = library_->call(args)) {
    library_->take(error);
    return "";
  }
  return std::string(args.fingerprint, args.fingerprint_size);
}

}  // namespace graphnet::xla
