module @graphnet {
  func.func public @main(%0: tensor<2x3x4x4xf32>, %1: tensor<3xf32>, %2: tensor<3xf32>) -> (tensor<2x3x4x4xf32>) attributes {tf.entry_function = {inputs = "input0,weight0,weight1", input_placements = "cpu,cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %3 = mhlo.constant dense<0x3727C5AC> : tensor<3xf32> loc("aten::batch_norm")
    %4 = mhlo.add %2, %3 : tensor<3xf32> loc("aten::batch_norm")
    %5 = mhlo.rsqrt %4 : tensor<3xf32> loc("aten::batch_norm")
    %6 = mhlo.multiply %1, %5 : tensor<3xf32> loc("aten::batch_norm")
    %7 = mhlo.negate %6 : tensor<3xf32> loc("aten::batch_norm")
    %8 = "mhlo.broadcast_in_dim"(%5) {broadcast_dimensions = dense<[1]> : tensor<1xi64>} : (tensor<3xf32>) -> tensor<2x3x4x4xf32> loc("aten::batch_norm")
    %9 = mhlo.multiply %0, %8 : tensor<2x3x4x4xf32> loc("aten::batch_norm")
    %10 = "mhlo.broadcast_in_dim"(%7) {broadcast_dimensions = dense<[1]> : tensor<1xi64>} : (tensor<3xf32>) -> tensor<2x3x4x4xf32> loc("aten::batch_norm")
    %11 = mhlo.add %9, %10 : tensor<2x3x4x4xf32> loc("aten::batch_norm")
    return %11 : tensor<2x3x4x4xf32>
  }
}
