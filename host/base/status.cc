// SPDX-License-Identifier: MIT
#include "base/status.h"

#include <algorithm>

namespace graphnet::base {

namespace {
const std::string kNoMessage;
const std::vector<std::string> kNoLines;
}  // namespace

const char* code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kUsage:
      return "usage";
    case Code::kInput:
      return "input";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kPlugin:
      return "plugin";
    case Code::kEnvironment:
      return "environment";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

Status::Status(Code code, std::string message)
    : failure_(std::make_shared<Failure>(Failure{code, std::move(message), {}, {}})) {}

const std::string& Status::message() const {
  return failure_ ? failure_->message : kNoMessage;
}
const std::vector<std::string>& Status::context() const {
  return failure_ ? failure_->context : kNoLines;
}
const std::vector<std::string>& Status::hints() const {
  return failure_ ? failure_->hints : kNoLines;
}

Status& Status::add_context(std::string line) & {
  if (failure_) failure_->context.push_back(std::move(line));
  return *this;
}
Status&& Status::add_context(std::string line) && {
  if (failure_) failure_->context.push_back(std::move(line));
  return std::move(*this);
}
Status& Status::add_hint(std::string line) & {
  if (failure_) failure_->hints.push_back(std::move(line));
  return *this;
}
Status&& Status::add_hint(std::string line) && {
  if (failure_) failure_->hints.push_back(std::move(line));
  return std::move(*this);
}

Status& Status::add_failure(const Status& other) & {
  if (other.is_ok()) return *this;
  if (failure_ == nullptr) {
    failure_ = std::make_shared<Failure>(*other.failure_);
    return *this;
  }
  const auto join = [](std::vector<std::string>& lines, const std::vector<std::string>& others) {
    for (const std::string& line : others) {
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  };
  failure_->message += "\n" + other.message();
  join(failure_->context, other.context());
  join(failure_->hints, other.hints());
  return *this;
}

std::string Status::to_string() const {
  if (!failure_) return "ok";
  std::string text = failure_->message;
  for (const auto& line : failure_->context) text += "\n  at:  " + line;
  for (const auto& line : failure_->hints) text += "\n  try: " + line;
  return text;
}

}  // namespace graphnet::base
