module @graphnet {
  func.func public @main(%0: tensor<1x3x4x5xf32>, %1: tensor<3x2x3x3xf32>, %2: tensor<2xf32>) -> (tensor<1x2x4x11xf32>) attributes {tf.entry_function = {inputs = "input0,weight0,weight1", input_placements = "cpu,cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %3 = mhlo.reshape %1 : (tensor<3x2x3x3xf32>) -> tensor<1x3x2x3x3xf32> loc("aten::conv_transpose2d.input")
    %4 = "mhlo.transpose"(%3) {permutation = dense<[0, 2, 1, 3, 4]> : tensor<5xi64>} : (tensor<1x3x2x3x3xf32>) -> tensor<1x2x3x3x3xf32> loc("aten::conv_transpose2d.input")
    %5 = mhlo.reshape %4 : (tensor<1x2x3x3x3xf32>) -> tensor<2x3x3x3xf32> loc("aten::conv_transpose2d.input")
    %6 = "mhlo.reverse"(%5) {dimensions = dense<[2, 3]> : tensor<2xi64>} : (tensor<2x3x3x3xf32>) -> tensor<2x3x3x3xf32> loc("aten::conv_transpose2d.input")
    %h0 = mhlo.constant dense<0x00000000> : tensor<f32> loc("aten::conv_transpose2d.input")
    %7 = "mhlo.pad"(%0, %h0) {edge_padding_low = dense<[0, 0, 1, 2]> : tensor<4xi64>, edge_padding_high = dense<[0, 0, 1, 2]> : tensor<4xi64>, interior_padding = dense<[0, 0, 0, 1]> : tensor<4xi64>} : (tensor<1x3x4x5xf32>, tensor<f32>) -> tensor<1x3x6x13xf32> loc("aten::conv_transpose2d.input")
    %8 = mhlo.convolution(%7, %6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#mhlo<precision HIGHEST>, #mhlo<precision HIGHEST>]} : (tensor<1x3x6x13xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x4x11xf32> loc("aten::conv_transpose2d.input")
    %9 = "mhlo.broadcast_in_dim"(%2) {broadcast_dimensions = dense<[1]> : tensor<1xi64>} : (tensor<2xf32>) -> tensor<1x2x4x11xf32> loc("aten::conv_transpose2d.input")
    %10 = mhlo.add %8, %9 : tensor<1x2x4x11xf32> loc("aten::conv_transpose2d.input")
    return %10 : tensor<1x2x4x11xf32>
  }
}
