module @graphnet {
  func.func public @main(%0: tensor<2x4x11xf32>, %1: tensor<6x2x3xf32>) -> (tensor<2x6x9xf32>) attributes {tf.entry_function = {inputs = "input0,weight0", input_placements = "cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %2 = mhlo.convolution(%0, %1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<2x4x11xf32>, tensor<6x2x3xf32>) -> tensor<2x6x9xf32> loc("aten::conv1d")
    return %2 : tensor<2x6x9xf32>
  }
}
