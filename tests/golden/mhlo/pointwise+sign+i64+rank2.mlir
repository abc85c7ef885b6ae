module @graphnet {
  func.func public @main(%0: tensor<3x5xi64>) -> (tensor<3x5xi64>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.sign %0 : tensor<3x5xi64> loc("aten::sign")
    return %1 : tensor<3x5xi64>
  }
}
