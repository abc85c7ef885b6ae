module @graphnet {
  func.func public @main(%0: tensor<9xi64>) -> (tensor<9xi64>) attributes {tf.entry_function = {inputs = "input0", input_placements = "cpu", outputs = "output0", output_placements = "cpu"}} {
    %1 = mhlo.constant dense<2> : tensor<i64> loc("aten::remainder.Scalar")
    %2 = mhlo.constant dense<2> : tensor<9xi64> loc("aten::remainder.Scalar")
    %3 = mhlo.remainder %0, %2 : tensor<9xi64> loc("aten::remainder.Scalar")
    %4 = mhlo.constant dense<0> : tensor<i64> loc("aten::remainder.Scalar")
    %5 = mhlo.compare LT, %1, %4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1> loc("aten::remainder.Scalar")
    %6 = mhlo.constant dense<0> : tensor<9xi64> loc("aten::remainder.Scalar")
    %7 = mhlo.compare LT, %3, %6, SIGNED : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1> loc("aten::remainder.Scalar")
    %8 = "mhlo.broadcast_in_dim"(%5) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<i1>) -> tensor<9xi1> loc("aten::remainder.Scalar")
    %9 = mhlo.and %7, %8 : tensor<9xi1> loc("aten::remainder.Scalar")
    %10 = mhlo.not %9 : tensor<9xi1> loc("aten::remainder.Scalar")
    %11 = mhlo.or %7, %8 : tensor<9xi1> loc("aten::remainder.Scalar")
    %12 = mhlo.and %11, %10 : tensor<9xi1> loc("aten::remainder.Scalar")
    %13 = mhlo.compare NE, %3, %6, SIGNED : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi1> loc("aten::remainder.Scalar")
    %14 = mhlo.and %13, %12 : tensor<9xi1> loc("aten::remainder.Scalar")
    %15 = mhlo.add %3, %2 : tensor<9xi64> loc("aten::remainder.Scalar")
    %16 = mhlo.select %14, %15, %3 : tensor<9xi1>, tensor<9xi64> loc("aten::remainder.Scalar")
    return %16 : tensor<9xi64>
  }
}
