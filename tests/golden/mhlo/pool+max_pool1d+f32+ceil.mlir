module @graphnet {
  func.func public @main(%0: tensor<1x2x7xf32>) -> (tensor<1x2x4xf32>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %h0 = mhlo.constant dense<0xFF800000> : tensor<f32> loc("aten::max_pool1d")
    %1 = "mhlo.pad"(%0, %h0) {edge_padding_low = dense<[0, 0, 0]> : tensor<3xi64>, edge_padding_high = dense<[0, 0, 1]> : tensor<3xi64>, interior_padding = dense<[0, 0, 0]> : tensor<3xi64>} : (tensor<1x2x7xf32>, tensor<f32>) -> tensor<1x2x8xf32> loc("aten::max_pool1d")
    %2 = "mhlo.slice"(%1) {start_indices = dense<[0, 0, 0]> : tensor<3xi64>, limit_indices = dense<[1, 2, 7]> : tensor<3xi64>, strides = dense<[1, 1, 2]> : tensor<3xi64>} : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32> loc("aten::max_pool1d")
    %3 = "mhlo.slice"(%1) {start_indices = dense<[0, 0, 1]> : tensor<3xi64>, limit_indices = dense<[1, 2, 8]> : tensor<3xi64>, strides = dense<[1, 1, 2]> : tensor<3xi64>} : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32> loc("aten::max_pool1d")
    %4 = mhlo.maximum %2, %3 : tensor<1x2x4xf32> loc("aten::max_pool1d")
    return %4 : tensor<1x2x4xf32>
  }
}
