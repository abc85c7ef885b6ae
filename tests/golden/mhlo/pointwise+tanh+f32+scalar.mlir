module @graphnet {
  func.func public @main(%0: tensor<f32>) -> (tensor<f32>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.tanh %0 : tensor<f32> loc("aten::tanh")
    return %1 : tensor<f32>
  }
}
