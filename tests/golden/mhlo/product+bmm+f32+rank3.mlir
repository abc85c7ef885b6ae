module @graphnet {
  func.func public @main(%0: tensor<2x3x4xf32>, %1: tensor<2x4x5xf32>) -> (tensor<2x3x5xf32>) attributes {tf.entry_function = {inputs = "input0,input1", input_placements = "cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %2 = "mhlo.dot_general"(%0, %1) {dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32> loc("aten::bmm")
    return %2 : tensor<2x3x5xf32>
  }
}
