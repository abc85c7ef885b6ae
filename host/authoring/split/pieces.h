// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sample/sample.h"
#include "split/liveness.h"
#include "split/operators.h"
#include "split/recorded_value.h"

namespace graphnet::split {

/// A range of a sample's operators as a sample.
///
/// `sample` has the folder of the whole one, from which labels are copied when it is written.
struct Piece {
  Range range;
  sample::Sample sample;
  std::size_t num_outputs = 0;  ///< variables that it returns
};

/// Cuts a sample into pieces.
///
/// A piece takes what it reads and, if it changes a value in place that is read behind it, that
/// value; it returns what it made or changed and what is read behind it. Values without tensors
/// (sizes, numbers) stand in it as the run had them; tuples of tensors come item by item
/// (graph::item_name()). Run one after the other on the same tensors, pieces that cover the
/// operators give what the whole gives.
///
/// order    parameters and results by name, as upstream; the results of the last range as the
///          sample's own
/// source   GraphNet decompose_util
class Splitter {
 public:
  /// `passes_through`: each piece takes and returns all that is still read, parameters included, as
  /// upstream's chain style.
  ///
  /// errors   kInput: as check_range()
  static base::Result<Splitter> create(const sample::Sample& sample, std::vector<Range> ranges,
                                       bool passes_through);

  /// What a run must record, in this order.
  const std::vector<RecordPoint>& points() const { return points_; }

  /// The pieces, from what the run recorded.
  ///
  /// order    of the ranges
  /// errors   kUnsupported: a value that no metadata describes, names that collide; kInternal
  base::Result<std::vector<Piece>> make(const Records& records) const;

 private:
  /// A range and where its records are.
  struct Cut {
    Range range;
    std::size_t first = 0;  ///< statement
    std::size_t end = 0;
    std::size_t input_point = 0;
    std::size_t output_point = 0;
    bool is_last = false;
    Variables live_before;
    Variables live_behind;
  };

  Splitter(const sample::Sample& sample, bool passes_through)
      : sample_(&sample), passes_through_(passes_through) {}
  void sort_points();
  void find_live();
  void plan_points(const Cut& cut);
  Variables read_by(const Cut& cut) const;
  base::Result<Piece> make_piece(const Cut& cut, const Records& records) const;
  std::vector<graph::VariableId> results_of(const Cut& cut, const Records& records,
                                            const Variables& written) const;

  const sample::Sample* sample_;
  bool passes_through_;
  std::vector<Cut> cuts_;
  std::vector<RecordPoint> points_;
  std::vector<graph::VariableId> named_;  // parameters_named()
};

}  // namespace graphnet::split
