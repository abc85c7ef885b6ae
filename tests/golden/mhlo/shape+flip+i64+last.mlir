module @graphnet {
  func.func public @main(%0: tensor<5xi64>) -> (tensor<5xi64>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = "mhlo.reverse"(%0) {dimensions = dense<[0]> : tensor<1xi64>} : (tensor<5xi64>) -> tensor<5xi64> loc("aten::flip")
    return %1 : tensor<5xi64>
  }
}
