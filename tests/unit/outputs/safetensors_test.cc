// SPDX-License-Identifier: MIT
#include "outputs/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "support/temp_dir.h"

namespace graphnet::outputs {
namespace safetensors_test {

using base::Code;
using base::DType;
using base::Json;
using tests::TempDir;

constexpr DType kAllTypes[] = {DType::kBool,    DType::kUInt8,     DType::kInt8,
                               DType::kInt16,   DType::kInt32,     DType::kInt64,
                               DType::kFloat16, DType::kBFloat16,  DType::kFloat32,
                               DType::kFloat64, DType::kComplex64, DType::kComplex128};

/// `count` elements of any type, no two bytes beside each other alike.
std::string some_bytes(DType dtype, std::size_t count) {
  std::string bytes(count * base::dtype_bytes(dtype), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + 1);
  if (dtype == DType::kBool) std::fill(bytes.begin(), bytes.end(), '\1');
  return bytes;
}

std::string with_length(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i)
    length[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return length + header + data;
}

std::string bytes_of(const base::DenseTensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.num_bytes()};
}

TEST(Safetensors, EveryTypeComesBackWithItsBytes) {
  const TempDir folder;
  const auto file = folder.path() / "all.safetensors";
  std::vector<std::string> bytes;
  std::vector<NamedTensor> tensors;
  for (const DType dtype : kAllTypes) bytes.push_back(some_bytes(dtype, 6));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    tensors.push_back({base::dtype_name(kAllTypes[i]), {kAllTypes[i], {2, 3}, bytes[i].data()}});
  }
  ASSERT_TRUE(write_safetensors(file, tensors, {{"who", "\"quoted\" \xc3\xa4"}}).is_ok());
  const auto opened = SafetensorsFile::open(file);
  ASSERT_TRUE(opened.is_ok()) << opened.status().to_string();
  EXPECT_EQ(opened->metadata().at("who"), "\"quoted\" \xc3\xa4");
  EXPECT_EQ(opened->names().size(), std::size(kAllTypes));
  const auto read = opened->read();
  ASSERT_TRUE(read.is_ok()) << read.status().to_string();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const base::DenseTensor& tensor = read->at(base::dtype_name(kAllTypes[i]));
    EXPECT_EQ(tensor.dtype, kAllTypes[i]);
    EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(bytes_of(tensor), bytes[i]) << base::dtype_name(kAllTypes[i]);
  }
}

// What other readers see: real parts with one dimension more, aligned, without gaps.
TEST(Safetensors, HeaderIsThatOfTheFormat) {
  const TempDir folder;
  const auto file = folder.path() / "x.safetensors";
  const std::string small = some_bytes(DType::kBool, 3);
  const std::string complex = some_bytes(DType::kComplex64, 2);
  ASSERT_TRUE(write_safetensors(file,
                                {{"b", {DType::kBool, {3}, small.data()}},
                                 {"c", {DType::kComplex64, {2}, complex.data()}},
                                 {"scalar", {DType::kInt64, {}, complex.data()}},
                                 {"none", {DType::kFloat32, {0, 4}, nullptr}}},
                                {})
                  .is_ok());
  const std::string text = base::read_file(file, 10000).value();
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(text[0])) |
                      static_cast<std::size_t>(static_cast<unsigned char>(text[1])) << 8;
  EXPECT_EQ(length % 8, 0U);
  const Json header = base::parse_json(text.substr(8, length), "header").value();
  EXPECT_EQ(header["c"]["dtype"], "F32");
  EXPECT_EQ(header["c"]["shape"], (Json{2, 2}));
  EXPECT_EQ(header["scalar"]["shape"], Json::array());
  EXPECT_EQ(header["b"]["dtype"], "BOOL");
  EXPECT_EQ(header["b"]["data_offsets"], (Json{24, 27}));
  EXPECT_EQ(text.size(), 8 + length + 27);
  const auto read = SafetensorsFile::open(file)->read();
  ASSERT_TRUE(read.is_ok()) << read.status().to_string();
  EXPECT_EQ(read->at("none").shape, (std::vector<std::int64_t>{0, 4}));
  EXPECT_EQ(read->at("c").dtype, DType::kComplex64);
}

TEST(Safetensors, EveryCutIsFound) {
  const TempDir folder;
  const auto file = folder.path() / "x.safetensors";
  const std::string bytes = some_bytes(DType::kFloat32, 5);
  ASSERT_TRUE(write_safetensors(file, {{"a", {DType::kFloat32, {5}, bytes.data()}}}, {}).is_ok());
  const std::string whole = base::read_file(file, 10000).value();
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    const auto opened = SafetensorsFile::open(folder.write("cut", whole.substr(0, size)));
    ASSERT_FALSE(opened.is_ok()) << size;
    EXPECT_EQ(opened.status().code(), Code::kInput);
    EXPECT_NE(opened.status().message().find("cut"), std::string::npos) << size;
  }
  EXPECT_FALSE(SafetensorsFile::open(folder.write("long", whole + "x")).is_ok());
}

TEST(Safetensors, AnotherByteIsFound) {
  const TempDir folder;
  const auto file = folder.path() / "x.safetensors";
  const std::string bytes = some_bytes(DType::kFloat32, 5);
  ASSERT_TRUE(write_safetensors(file, {{"a", {DType::kFloat32, {5}, bytes.data()}}}, {}).is_ok());
  std::string whole = base::read_file(file, 10000).value();
  whole.back() = static_cast<char>(whole.back() ^ 1);
  const auto opened = SafetensorsFile::open(folder.write("other", whole));
  ASSERT_TRUE(opened.is_ok());
  const auto read = opened->read();
  ASSERT_FALSE(read.is_ok());
  EXPECT_NE(read.status().message().find("SHA-256"), std::string::npos);
}

TEST(Safetensors, MadeUpHeadersAreRefused) {
  const TempDir folder;
  const std::string four(4, '\0');
  const auto entry = [](const char* dtype, const char* shape, const char* offsets) {
    return std::string("{\"a\":{\"dtype\":\"") + dtype + "\",\"shape\":" + shape +
           ",\"data_offsets\":" + offsets + "}}";
  };
  for (const std::string& header :
       {std::string(""), std::string("[]"), std::string("{"), std::string("{\"a\":1}"),
        entry("F32", "[2]", "[0,4]"), entry("F32", "[1]", "[4,0]"), entry("F32", "[1]", "[1,5]"),
        entry("F32", "[-1]", "[0,4]"), entry("F32", "1", "[0,4]"), entry("Q9", "[1]", "[0,4]"),
        entry("F32", "[4611686018427387904,4]", "[0,4]"), entry("F32", "[1]", "[0]"),
        entry("F32", "[1.0]", "[0,4]"), std::string("{\"__metadata__\":{\"a\":1}}"),
        std::string(R"({"__metadata__":{"graphnet.complex":"[\"a\"]"},"a":{"dtype":"F32",)"
                    R"("shape":[1],"data_offsets":[0,4]}})")}) {
    const auto opened = SafetensorsFile::open(folder.write("x", with_length(header, four)));
    EXPECT_FALSE(opened.is_ok()) << header;
  }
  const auto good = SafetensorsFile::open(
      folder.write("x", with_length(entry("F32", "[1]", "[0,4]") + "   ", four)));
  EXPECT_TRUE(good.is_ok()) << good.status().to_string();
}

// 2^62 elements of 4 bytes are none in 64 bits.
TEST(Safetensors, BytesThatOverflowAreRefused) {
  const TempDir folder;
  const std::string header =
      R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})";
  const auto opened = SafetensorsFile::open(folder.write("x", with_length(header, "")));
  ASSERT_FALSE(opened.is_ok());
  EXPECT_EQ(opened.status().code(), Code::kInput);
}

TEST(Safetensors, LongNamesAreCutInMessages) {
  const TempDir folder;
  const std::string name(100'000, 'n');
  for (const std::string& header :
       {"{\"" + name + "\":1}",
        "{\"a\":{\"dtype\":\"" + name + R"(","shape":[],"data_offsets":[0,0]}})",
        "{\"__metadata__\":{\"" + name + "\":1}}"}) {
    const auto opened = SafetensorsFile::open(folder.write("x", with_length(header, "")));
    ASSERT_FALSE(opened.is_ok());
    EXPECT_LT(opened.status().message().size(), 1000U);
  }
}

TEST(Safetensors, NamesAreTakenOnce) {
  const TempDir folder;
  const float one = 1;
  const verify::TensorView view = {DType::kFloat32, {1}, &one};
  EXPECT_FALSE(write_safetensors(folder.path() / "x", {{"a", view}, {"a", view}}, {}).is_ok());
  EXPECT_FALSE(write_safetensors(folder.path() / "x", {{"__metadata__", view}}, {}).is_ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x"));
}

}  // namespace safetensors_test
}  // namespace graphnet::outputs
