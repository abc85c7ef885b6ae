module @graphnet {
  func.func public @main(%0: tensor<3x5xf64>) -> (tensor<3x5xf64>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.constant dense<0x3FF0000000000000> : tensor<3x5xf64> loc("aten::softplus")
    %2 = mhlo.multiply %0, %1 : tensor<3x5xf64> loc("aten::softplus")
    %3 = mhlo.exponential %2 : tensor<3x5xf64> loc("aten::softplus")
    %4 = mhlo.log_plus_one %3 : tensor<3x5xf64> loc("aten::softplus")
    %5 = mhlo.divide %4, %1 : tensor<3x5xf64> loc("aten::softplus")
    %6 = mhlo.constant dense<0x4034000000000000> : tensor<3x5xf64> loc("aten::softplus")
    %7 = mhlo.compare GT, %2, %6, FLOAT : (tensor<3x5xf64>, tensor<3x5xf64>) -> tensor<3x5xi1> loc("aten::softplus")
    %8 = mhlo.select %7, %0, %5 : tensor<3x5xi1>, tensor<3x5xf64> loc("aten::softplus")
    return %8 : tensor<3x5xf64>
  }
}
