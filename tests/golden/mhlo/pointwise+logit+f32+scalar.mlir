module @graphnet {
  func.func public @main(%0: tensor<f32>) -> (tensor<f32>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.constant dense<0x358637BD> : tensor<f32> loc("aten::logit")
    %2 = mhlo.maximum %0, %1 : tensor<f32> loc("aten::logit")
    %3 = mhlo.constant dense<0x3F7FFFEF> : tensor<f32> loc("aten::logit")
    %4 = mhlo.minimum %2, %3 : tensor<f32> loc("aten::logit")
    %5 = mhlo.constant dense<0x3F800000> : tensor<f32> loc("aten::logit")
    %6 = mhlo.subtract %5, %4 : tensor<f32> loc("aten::logit")
    %7 = mhlo.divide %4, %6 : tensor<f32> loc("aten::logit")
    %8 = mhlo.log %7 : tensor<f32> loc("aten::logit")
    return %8 : tensor<f32>
  }
}
