module @graphnet {
  func.func public @main(%0: tensor<3x7xf32>) -> (tensor<3x7xf32>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.constant dense<0xC0800000> : tensor<3x7xf32> loc("aten::div.Scalar_mode")
    %2 = mhlo.divide %0, %1 : tensor<3x7xf32> loc("aten::div.Scalar_mode")
    %3 = mhlo.floor %2 : tensor<3x7xf32> loc("aten::div.Scalar_mode")
    %4 = mhlo.ceil %2 : tensor<3x7xf32> loc("aten::div.Scalar_mode")
    %5 = mhlo.constant dense<0x00000000> : tensor<3x7xf32> loc("aten::div.Scalar_mode")
    %6 = mhlo.compare LT, %2, %5, FLOAT : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xi1> loc("aten::div.Scalar_mode")
    %7 = mhlo.select %6, %4, %3 : tensor<3x7xi1>, tensor<3x7xf32> loc("aten::div.Scalar_mode")
    return %7 : tensor<3x7xf32>
  }
}
