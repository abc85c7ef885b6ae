module @graphnet {
  func.func public @main(%0: tensor<3x5xbf16>) -> (tensor<3x5xbf16>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    return %0 : tensor<3x5xbf16>
  }
}
