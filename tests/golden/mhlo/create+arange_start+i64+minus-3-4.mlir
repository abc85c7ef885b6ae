module @graphnet {
  func.func public @main() -> (tensor<7xi64>) attributes {tf.entry_function = {inputs = "", input_placements = "", outputs = "output0", output_placements = "cpu"}} {
    %0 = "mhlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<7xi64> loc("aten::arange.start")
    %1 = mhlo.constant dense<-3> : tensor<7xi64> loc("aten::arange.start")
    %2 = mhlo.add %0, %1 : tensor<7xi64> loc("aten::arange.start")
    return %2 : tensor<7xi64>
  }
}
