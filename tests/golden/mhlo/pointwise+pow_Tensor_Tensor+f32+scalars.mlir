module @graphnet {
  func.func public @main(%0: tensor<f32>, %1: tensor<f32>) -> (tensor<f32>) attributes {tf.entry_function = {inputs = "input0,input1", input_placements = "cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %2 = mhlo.power %0, %1 : tensor<f32> loc("aten::pow.Tensor_Tensor")
    return %2 : tensor<f32>
  }
}
