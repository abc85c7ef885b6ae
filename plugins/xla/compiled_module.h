// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lowering/stablehlo/program.h"
#include "xla/compile_options.h"
#include "xla/pjrt_client.h"

namespace graphnet::xla {

/// One StableHLO module as XLA compiled it.
class CompiledModule {
 public:
  /// Compiles; overrides that are not needed and that this XLA does not know are taken out of the
  /// list.
  ///
  /// errors   COMPILE_FAILED with the line of the program it is about, OUT_OF_MEMORY,
  ///          INVALID_ARGUMENT: an override that XLA refuses, INTERNAL: XLA's results have other
  ///          types than the module says
  static CompiledModule compile(const PjrtClient& client, lowering::stablehlo::Module module,
                                std::vector<CompileOverride>& overrides);

  /// Loads what serialize() of the same PJRT file made; only the signature of `module` is used.
  ///
  /// errors   INVALID_ARGUMENT
  static CompiledModule load(const PjrtClient& client, lowering::stablehlo::Module module,
                             std::string_view bytes);

  /// Without its text, which nobody needs any more.
  const lowering::stablehlo::Module& signature() const { return signature_; }
  pjrt::LoadedExecutable* executable() const { return loaded_.get(); }

  /// errors   INTERNAL
  std::string serialize() const;
  /// xla.HloModuleProtoWithConfig: the program after all passes.
  ///
  /// errors   INTERNAL
  std::string optimized_program() const;
  /// XLA's name of the program; empty if this XLA has none.
  std::string fingerprint() const;

 private:
  CompiledModule(const PjrtClient& client, lowering::stablehlo::Module module,
                 pjrt::LoadedExecutable* loaded);
  void check_results() const;

  const PjrtLibrary* library_;
  lowering::stablehlo::Module signature_;
  OwnedLoadedExecutable loaded_;
  OwnedExecutable executable_;
};

}  // namespace graphnet::xla
