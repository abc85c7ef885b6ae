module @graphnet {
  func.func public @main(%0: tensor<2x2x3x4xf16>, %1: tensor<2x2x5x4xf16>, %2: tensor<2x2x5x4xf16>) -> (tensor<2x2x3x4xf16>) attributes {tf.entry_function = {inputs = "input0,input1,input2", input_placements = "cpu,cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %3 = mhlo.convert %0 : (tensor<2x2x3x4xf16>) -> tensor<2x2x3x4xf32> loc("aten::scaled_dot_product_attention")
    %4 = mhlo.convert %1 : (tensor<2x2x5x4xf16>) -> tensor<2x2x5x4xf32> loc("aten::scaled_dot_product_attention")
    %5 = mhlo.convert %2 : (tensor<2x2x5x4xf16>) -> tensor<2x2x5x4xf32> loc("aten::scaled_dot_product_attention")
    %6 = "mhlo.transpose"(%4) {permutation = dense<[0, 1, 3, 2]> : tensor<4xi64>} : (tensor<2x2x5x4xf32>) -> tensor<2x2x4x5xf32> loc("aten::scaled_dot_product_attention")
    %7 = mhlo.constant dense<0x3F000000> : tensor<2x2x3x4xf32> loc("aten::scaled_dot_product_attention")
    %8 = mhlo.multiply %3, %7 : tensor<2x2x3x4xf32> loc("aten::scaled_dot_product_attention")
    %9 = "mhlo.dot_general"(%8, %6) {dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<2x2x3x4xf32>, tensor<2x2x4x5xf32>) -> tensor<2x2x3x5xf32> loc("aten::scaled_dot_product_attention")
    %h0 = mhlo.constant dense<0xFF800000> : tensor<f32> loc("aten::scaled_dot_product_attention")
    %10 = mhlo.reduce(%9 init: %h0) applies mhlo.maximum across dimensions = [3] : (tensor<2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x3xf32> loc("aten::scaled_dot_product_attention")
    %11 = mhlo.reshape %10 : (tensor<2x2x3xf32>) -> tensor<2x2x3x1xf32> loc("aten::scaled_dot_product_attention")
    %12 = "mhlo.broadcast_in_dim"(%11) {broadcast_dimensions = dense<[0, 1, 2, 3]> : tensor<4xi64>} : (tensor<2x2x3x1xf32>) -> tensor<2x2x3x5xf32> loc("aten::scaled_dot_product_attention")
    %13 = mhlo.subtract %9, %12 : tensor<2x2x3x5xf32> loc("aten::scaled_dot_product_attention")
    %14 = mhlo.exponential %13 : tensor<2x2x3x5xf32> loc("aten::scaled_dot_product_attention")
    %h1 = mhlo.constant dense<0x00000000> : tensor<f32> loc("aten::scaled_dot_product_attention")
    %15 = mhlo.reduce(%14 init: %h1) applies mhlo.add across dimensions = [3] : (tensor<2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x3xf32> loc("aten::scaled_dot_product_attention")
    %16 = mhlo.reshape %15 : (tensor<2x2x3xf32>) -> tensor<2x2x3x1xf32> loc("aten::scaled_dot_product_attention")
    %17 = "mhlo.broadcast_in_dim"(%16) {broadcast_dimensions = dense<[0, 1, 2, 3]> : tensor<4xi64>} : (tensor<2x2x3x1xf32>) -> tensor<2x2x3x5xf32> loc("aten::scaled_dot_product_attention")
    %18 = mhlo.divide %14, %17 : tensor<2x2x3x5xf32> loc("aten::scaled_dot_product_attention")
    %19 = "mhlo.dot_general"(%18, %5) {dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0, 1], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<2x2x3x5xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x3x4xf32> loc("aten::scaled_dot_product_attention")
    %20 = mhlo.convert %19 : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xf16> loc("aten::scaled_dot_product_attention")
    return %20 : tensor<2x2x3x4xf16>
  }
}
