module @graphnet {
  func.func public @main(%0: tensor<3x5xf32>) -> (tensor<3xf32>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.abs %0 : tensor<3x5xf32> loc("aten::linalg_norm")
    %h0 = mhlo.constant dense<0x7F800000> : tensor<f32> loc("aten::linalg_norm")
    %2 = mhlo.reduce(%1 init: %h0) applies mhlo.minimum across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32> loc("aten::linalg_norm")
    return %2 : tensor<3xf32>
  }
}
