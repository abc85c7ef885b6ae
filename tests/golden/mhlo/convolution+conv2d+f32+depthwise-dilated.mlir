module @graphnet {
  func.func public @main(%0: tensor<1x4x9x9xf32>, %1: tensor<4x1x3x3xf32>) -> (tensor<1x4x9x9xf32>) attributes {tf.entry_function = {inputs = "input0,weight0", input_placements = "cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %2 = mhlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<1x4x9x9xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x9x9xf32> loc("aten::conv2d")
    return %2 : tensor<1x4x9x9xf32>
  }
}
