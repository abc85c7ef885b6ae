// SPDX-License-Identifier: MIT
#include "eager/value_record.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "eager/argument_tensor.h"
#include "eager/call_executor.h"
#include "eager/scalar_type.h"
#include "eager/tensor_record.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

using graph::VariableId;

bool has_tensor(const Value& value) {
  return value.is_tensor() || std::any_of(value.items.begin(), value.items.end(), has_tensor);
}

std::string joined(const std::vector<Value>& items, const char* open, const char* close);

std::string memory_format_text(std::int64_t format) {
  switch (static_cast<at::MemoryFormat>(format)) {
    case at::MemoryFormat::Preserve:
      return "torch.preserve_format";
    case at::MemoryFormat::ChannelsLast:
      return "torch.channels_last";
    case at::MemoryFormat::ChannelsLast3d:
      return "torch.channels_last_3d";
    default:
      return "torch.contiguous_format";
  }
}

std::string dtype_text(at::ScalarType type) {
  const auto dtype = from_scalar_type(type);
  return dtype ? base::dtype_name(*dtype) : c10::toString(type);
}

/// A value without tensors as Python writes it.
std::string plain_text(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kBool:
      return value.integer != 0 ? "True" : "False";
    case Value::Kind::kInteger:
      return std::to_string(value.integer);
    case Value::Kind::kFloat:
      return base::python_float(value.number);
    case Value::Kind::kString:
      return "'" + value.text + "'";
    case Value::Kind::kEllipsis:
      return "Ellipsis";
    case Value::Kind::kDType:
      return "torch." + dtype_text(static_cast<at::ScalarType>(value.integer));
    case Value::Kind::kDevice:
      return "device(type='cpu')";
    case Value::Kind::kMemoryFormat:
      return memory_format_text(value.integer);
    case Value::Kind::kLayout:
      return "torch.strided";
    case Value::Kind::kTuple:
      return joined(value.items, "(", value.items.size() == 1 ? ",)" : ")");
    case Value::Kind::kList:
      return joined(value.items, "[", "]");
    case Value::Kind::kSlice:
      return joined(value.items, "slice(", ")");
    case Value::Kind::kNone:
    case Value::Kind::kMarker:
    case Value::Kind::kTensor:
      break;
  }
  return "None";
}

std::string joined(const std::vector<Value>& items, const char* open, const char* close) {
  std::vector<std::string> texts;
  for (const Value& item : items) texts.push_back(plain_text(item));
  return open + base::join(texts, ", ") + close;
}

std::string elements_text(const at::Tensor& tensor) {
  std::string text;
  const auto add = [&](const std::string& number) {
    if (!text.empty()) text += ' ';
    text += number;
  };
  if (tensor.is_floating_point()) {
    const at::Tensor wide = tensor.to(at::kDouble).contiguous().resolve_neg();
    const double* data = wide.const_data_ptr<double>();
    for (std::int64_t i = 0; i < wide.numel(); ++i) add(base::python_float(data[i]));
  } else {
    const at::Tensor wide = tensor.to(at::kLong).contiguous();
    const std::int64_t* data = wide.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < wide.numel(); ++i) add(std::to_string(data[i]));
  }
  return text;
}

void record_moments(const at::Tensor& tensor, ValueRecord& record) {
  const at::Tensor wide = tensor.to(at::kDouble);
  record.mean = wide.mean().item().toDouble();
  record.deviation = wide.numel() > 1 ? wide.std().item().toDouble() : 0;
  const at::Tensor finite = wide.masked_select(wide.isfinite());
  if (finite.numel() == 0) return;
  record.lowest = finite.min().item().toDouble();
  record.highest = finite.max().item().toDouble();
}

}  // namespace

ValueRecord record_tensor(const at::Tensor& tensor, std::int64_t most_elements) {
  ValueRecord record;
  record.kind = ValueRecord::Kind::kTensor;
  record.dtype = dtype_text(tensor.scalar_type());
  record.shape = tensor.sizes().vec();
  if (tensor.numel() == 0 || tensor.is_complex()) return record;
  const bool is_integer = at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
  if (tensor.is_floating_point()) record_moments(tensor, record);
  if (is_integer) {
    record.lowest_integer = tensor.min().item().toLong();
    record.highest_integer = tensor.max().item().toLong();
  }
  const bool is_small = tensor.numel() < kFewElements || tensor.numel() <= most_elements;
  if (is_small) record.elements = elements_text(tensor);
  return record;
}

namespace {

ValueRecord record_of(const Value& value, std::int64_t most_elements) {
  if (value.is_tensor()) return record_tensor(value.tensor, most_elements);
  ValueRecord record;
  if (!has_tensor(value)) {
    record.plain = plain_text(value);
    return record;
  }
  record.kind = ValueRecord::Kind::kSequence;
  record.is_list = value.kind == Value::Kind::kList;
  for (const Value& item : value.items) record.items.push_back(record_of(item, most_elements));
  return record;
}

using Storages = std::set<const c10::StorageImpl*>;

bool uses_any(const Value& value, const Storages& storages) {
  if (value.is_tensor() && value.tensor.has_storage()) {
    return storages.count(value.tensor.storage().unsafeGetStorageImpl()) > 0;
  }
  return std::any_of(value.items.begin(), value.items.end(),
                     [&](const Value& item) { return uses_any(item, storages); });
}

/// Runs calls as they are and keeps what memory they write to.
class WriteWatch final : public CallExecutor {
 public:
  void execute(const Overload& overload, c10::Stack& stack) override {
    for (std::size_t i = 0; i < stack.size(); ++i) {
      if (writes(overload, stack, i)) note(stack[i]);
    }
    overload.handle.callBoxed(&stack);
  }
  Storages take() { return std::exchange(written_, {}); }

 private:
  void note(const c10::IValue& value) {
    if (value.isTensorList()) {
      for (const at::Tensor& item : value.toTensorVector()) note(item);
    } else if (value.isTensor()) {
      note(value.toTensor());
    }
  }
  void note(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) return;
    written_.insert(tensor.storage().unsafeGetStorageImpl());
  }

  Storages written_;
};

/// Fills records while a run goes from statement to statement.
class Recorder {
 public:
  Recorder(const std::vector<RecordPoint>& points, std::int64_t most_elements, WriteWatch& watch)
      : points_(points), most_elements_(most_elements), watch_(watch) {}

  void before(std::size_t statement, const std::vector<Value>& variables) {
    note_writes(statement, variables);
    for (; next_ < points_.size() && points_[next_].statement == statement; ++next_) {
      std::vector<ValueRecord> values;
      for (const VariableId id : points_[next_].variables) {
        values.push_back(record_of(variables[static_cast<std::size_t>(id)], most_elements_));
      }
      records_.values.push_back(std::move(values));
    }
  }

  ValueRecords take() { return std::move(records_); }

 private:
  void note_writes(std::size_t statement, const std::vector<Value>& variables) {
    const Storages written = watch_.take();
    if (written.empty()) return;
    StatementWrites writes{statement - 1, {}};
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (uses_any(variables[i], written)) writes.variables.push_back(static_cast<VariableId>(i));
    }
    records_.writes.push_back(std::move(writes));
  }

  const std::vector<RecordPoint>& points_;
  std::int64_t most_elements_;
  WriteWatch& watch_;
  std::size_t next_ = 0;
  ValueRecords records_;
};

}  // namespace

base::Result<ValueRecords> record_values(const graph::Program& program,
                                         const std::vector<EngineArgument>& arguments,
                                         const std::vector<RecordPoint>& points,
                                         std::int64_t most_elements) {
  ValueRecords records;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(program.default_dtype);
    std::vector<at::Tensor> tensors;
    for (const EngineArgument& argument : arguments) tensors.push_back(wrap(argument));
    WriteWatch watch;
    Recorder recorder(points, most_elements, watch);
    Tracer tracer(program, tensors, &watch);
    tracer.watch_statements([&](std::size_t statement, const std::vector<Value>& variables) {
      recorder.before(statement, variables);
    });
    tracer.run();
    records = recorder.take();
    for (const auto& [position, original] : tracer.take_originals()) {
      tensors[position].copy_(original);
    }
  }));
  return records;
}

}  // namespace graphnet::eager
