module @graphnet {
  func.func public @main(%0: tensor<4x3xf32>, %1: tensor<2x2xi64>, %2: tensor<6x3xf32>) -> (tensor<4x3xf32>) attributes {tf.entry_function = {inputs = "input0,input1,input2", input_placements = "cpu,cpu,cpu", outputs = "output0", output_placements = "cpu"}} {
    %3 = mhlo.reshape %1 : (tensor<2x2xi64>) -> tensor<2x2x1xi64> loc("aten::scatter_add")
    %4 = "mhlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x2xi64> loc("aten::scatter_add")
    %5 = mhlo.reshape %4 : (tensor<2x2xi64>) -> tensor<2x2x1xi64> loc("aten::scatter_add")
    %6 = "mhlo.concatenate"(%3, %5) {dimension = 2 : i64} : (tensor<2x2x1xi64>, tensor<2x2x1xi64>) -> tensor<2x2x2xi64> loc("aten::scatter_add")
    %7 = "mhlo.slice"(%2) {start_indices = dense<[0, 0]> : tensor<2xi64>, limit_indices = dense<[2, 2]> : tensor<2xi64>, strides = dense<[1, 1]> : tensor<2xi64>} : (tensor<6x3xf32>) -> tensor<2x2xf32> loc("aten::scatter_add")
    %8 = "mhlo.scatter"(%0, %6, %7) ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %s = mhlo.add %p, %q : tensor<f32> mhlo.return %s : tensor<f32> }) {scatter_dimension_numbers = #mhlo.scatter<update_window_dims = [], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = false} : (tensor<4x3xf32>, tensor<2x2x2xi64>, tensor<2x2xf32>) -> tensor<4x3xf32> loc("aten::scatter_add")
    return %8 : tensor<4x3xf32>
  }
}
