module @graphnet {
  func.func public @main(%0: tensor<2x3xi64>) -> (tensor<i64>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %h0 = mhlo.constant dense<1> : tensor<i64> loc("aten::prod")
    %1 = mhlo.reduce(%0 init: %h0) applies mhlo.multiply across dimensions = [0, 1] : (tensor<2x3xi64>, tensor<i64>) -> tensor<i64> loc("aten::prod")
    return %1 : tensor<i64>
  }
}
