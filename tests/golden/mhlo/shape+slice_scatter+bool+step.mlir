module @graphnet {
  func.func public @main(%0: tensor<6xi1>, %1: tensor<3xi1>) -> (tensor<6xi1>) attributes {tf.entry_function = {inputs = "input0,input1", input_placements = "cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %2 = mhlo.constant dense<1> : tensor<3xi32> loc("aten::slice_scatter")
    %h0 = mhlo.constant dense<0> : tensor<3xi32> loc("aten::slice_scatter")
    %3 = mhlo.compare NE, %2, %h0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1> loc("aten::slice_scatter")
    %4 = mhlo.convert %3 : (tensor<3xi1>) -> tensor<3xi32> loc("aten::slice_scatter")
    %h1 = mhlo.constant dense<0> : tensor<i32> loc("aten::slice_scatter")
    %5 = "mhlo.pad"(%4, %h1) {edge_padding_low = dense<[0]> : tensor<1xi64>, edge_padding_high = dense<[1]> : tensor<1xi64>, interior_padding = dense<[1]> : tensor<1xi64>} : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32> loc("aten::slice_scatter")
    %h2 = mhlo.constant dense<false> : tensor<i1> loc("aten::slice_scatter")
    %6 = "mhlo.pad"(%1, %h2) {edge_padding_low = dense<[0]> : tensor<1xi64>, edge_padding_high = dense<[1]> : tensor<1xi64>, interior_padding = dense<[1]> : tensor<1xi64>} : (tensor<3xi1>, tensor<i1>) -> tensor<6xi1> loc("aten::slice_scatter")
    %h3 = mhlo.constant dense<0> : tensor<6xi32> loc("aten::slice_scatter")
    %7 = mhlo.compare NE, %5, %h3, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1> loc("aten::slice_scatter")
    %8 = mhlo.select %7, %6, %0 : tensor<6xi1>, tensor<6xi1> loc("aten::slice_scatter")
    return %8 : tensor<6xi1>
  }
}
