// SPDX-License-Identifier: MIT
#include "tvm_plugin/vector_code.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace graphnet::tvm {

namespace {

std::string of_lanes(const std::string& element, int lanes) {
  return lanes == 1 ? element : "<" + std::to_string(lanes) + " x " + element + ">";
}

/// LLVM takes a float in hexadecimal as the bits of the double that equals it.
std::string element_text(Type type, double value) {
  if (type != Type::kF32) return std::to_string(static_cast<std::int64_t>(value));
  const auto rounded = static_cast<double>(static_cast<float>(value));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof bits);
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(bits));
  return text;
}

std::string element_name(Type type) {
  return type == Type::kF32 ? "float" : (type == Type::kBool ? "i1" : "i32");
}

std::string floor_name(int lanes) {
  return lanes == 1 ? "@llvm.floor.f32" : "@llvm.floor.v" + std::to_string(lanes) + "f32";
}

Vector arithmetic(const char* of_float, const char* of_int, const Vector& a, const Vector& b) {
  const char* const instruction = a.type == Type::kF32 ? of_float : of_int;
  return a.writer->add(a.type, std::string(instruction) + " " + a.writer->type_name(a.type) + " " +
                                   a.e + ", " + b.e);
}

Vector comparison(const char* of_float, const char* of_int, const Vector& a, double b) {
  const std::string instruction =
      a.type == Type::kF32 ? std::string("fcmp ") + of_float : std::string("icmp ") + of_int;
  return a.writer->add(Type::kBool, instruction + " " + a.writer->type_name(a.type) + " " + a.e +
                                        ", " + value_like(a, b).e);
}

Vector converted(const char* instruction, const Vector& a, Type type) {
  return a.writer->add(type, std::string(instruction) + " " + a.writer->type_name(a.type) + " " +
                                 a.e + " to " + a.writer->type_name(type));
}

}  // namespace

std::string VectorWriter::type_name(Type type) const {
  return of_lanes(element_name(type), lanes_);
}

Vector VectorWriter::number(Type type, double value) {
  const std::string element = element_text(type, value);
  if (lanes_ == 1) return {this, type, 1, element};
  std::string all;
  for (int i = 0; i < lanes_; ++i) {
    all += (i == 0 ? "<" : ", ") + element_name(type) + " " + element;
  }
  return {this, type, lanes_, all + ">"};
}

Vector VectorWriter::add(Type type, const std::string& text) {
  const std::string name = "%v" + std::to_string(next_++);
  lines_ += "  " + name + " = " + text + "\n";
  return {this, type, lanes_, name};
}

std::string VectorWriter::write(const std::string& name, Vector (*body)(const Vector& x)) {
  const Vector result = body({this, Type::kF32, lanes_, "%x"});
  const std::string type = type_name(Type::kF32);
  return "define " + type + " @" + name + "(" + type + " %x) {\n" + lines_ + "  ret " + type + " " +
         result.e + "\n}\n";
}

std::string vector_declarations(int lanes) {
  const std::string type = of_lanes("float", lanes);
  return "declare " + type + " " + floor_name(lanes) + "(" + type + ")\n";
}

Vector value_like(const Vector& x, double value) {
  return x.writer->number(x.type, value);
}

Vector operator+(const Vector& a, const Vector& b) {
  return arithmetic("fadd", "add", a, b);
}
Vector operator-(const Vector& a, const Vector& b) {
  return arithmetic("fsub", "sub", a, b);
}
Vector operator*(const Vector& a, const Vector& b) {
  return arithmetic("fmul", "mul", a, b);
}
Vector operator/(const Vector& a, const Vector& b) {
  return arithmetic("fdiv", "sdiv", a, b);
}
Vector operator+(const Vector& a, double b) {
  return a + value_like(a, b);
}
Vector operator-(const Vector& a, double b) {
  return a - value_like(a, b);
}
Vector operator*(const Vector& a, double b) {
  return a * value_like(a, b);
}
Vector operator<(const Vector& a, double b) {
  return comparison("olt", "slt", a, b);
}
Vector operator>(const Vector& a, double b) {
  return comparison("ogt", "sgt", a, b);
}
Vector operator==(const Vector& a, double b) {
  return comparison("oeq", "eq", a, b);
}

Vector choice(const Vector& condition, const Vector& yes, const Vector& no) {
  const std::string type = " " + yes.writer->type_name(yes.type) + " ";
  return yes.writer->add(yes.type, "select " + yes.writer->type_name(Type::kBool) + " " +
                                       condition.e + "," + type + yes.e + "," + type + no.e);
}

Vector floor(const Vector& a) {
  const std::string type = a.writer->type_name(a.type);
  return a.writer->add(a.type,
                       "call " + type + " " + floor_name(a.lanes) + "(" + type + " " + a.e + ")");
}

Vector shifted_left(const Vector& a, int by) {
  return arithmetic("", "shl", a, value_like(a, by));
}
Vector shifted_right(const Vector& a, int by) {
  return arithmetic("", "ashr", a, value_like(a, by));
}
Vector masked(const Vector& a, int mask) {
  return arithmetic("", "and", a, value_like(a, mask));
}

Vector to_type(const Vector& a, Type type) {
  return converted(type == Type::kI32 ? "fptosi" : "sitofp", a, type);
}
Vector bits_of(const Vector& a) {
  return converted("bitcast", a, Type::kI32);
}
Vector from_bits(const Vector& a) {
  return converted("bitcast", a, Type::kF32);
}

}  // namespace graphnet::tvm
