module @graphnet {
  func.func public @main(%0: tensor<1x2x9xf32>) -> (tensor<1x2x4xf32>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.constant dense<"0x0000000000000000020000000000000004000000000000000600000000000000"> : tensor<4xi64> loc("aten::upsample_nearest1d")
    %2 = mhlo.reshape %1 : (tensor<4xi64>) -> tensor<4x1xi64> loc("aten::upsample_nearest1d")
    %3 = "mhlo.gather"(%0, %2) {dimension_numbers = #mhlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2], index_vector_dim = 1>, slice_sizes = dense<[1, 2, 1]> : tensor<3xi64>, indices_are_sorted = false} : (tensor<1x2x9xf32>, tensor<4x1xi64>) -> tensor<1x2x4xf32> loc("aten::upsample_nearest1d")
    return %3 : tensor<1x2x4xf32>
  }
}
