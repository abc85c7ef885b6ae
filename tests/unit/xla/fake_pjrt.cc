// SPDX-License-Identifier: MIT
//
// PJRT files that are wrong in one way each: FAKE is its name, FAKE_EXPORT the function they
// export. See pjrt_library_test.cc.
#include <string>
#include <string_view>

#include "xla/pjrt_abi.h"

using namespace graphnet::xla::pjrt;

// What a real library hides behind its handles.
struct graphnet::xla::pjrt::Error {
  std::string message;
  std::int32_t code;
};

namespace {

constexpr std::string_view kFake = FAKE;

int errors_alive = 0;

Error* make_error(std::int32_t code) {
  ++errors_alive;
  return new Error{"out of luck, errors alive: " + std::to_string(errors_alive), code};
}

void destroy_error(ErrorDestroyArgs* args) {
  --errors_alive;
  delete args->object;
}

void error_message(ErrorMessageArgs* args) {
  args->message = args->error->message.data();
  args->message_size = args->error->message.size();
}

Error* error_code(ErrorGetCodeArgs* args) {
  args->code = args->error->code;
  return nullptr;
}

Error* initialize(PluginInitializeArgs*) {
  return kFake == "fails" ? make_error(kInvalidArgument) : nullptr;
}

Error* create_client(ClientCreateArgs* args) {
  if (kFake == "no_client" || args->num_options > 1) return make_error(kInvalidArgument);
  static int client;
  args->client = reinterpret_cast<Client*>(&client);
  return nullptr;
}

Error* destroy_client(ClientDestroyArgs*) {
  return nullptr;
}

Error* devices(ClientAddressableDevicesArgs* args) {
  static int device;
  static Device* list[] = {reinterpret_cast<Device*>(&device)};
  args->devices = list;
  args->num_devices = 1;
  return nullptr;
}

struct Table {
  ApiHead head;
  void* functions[kNumSlots] = {};
};

template <typename Args, typename Function>
void set(Table& table, Function function) {
  table.functions[Args::kSlot] = reinterpret_cast<void*>(function);
}

Table make_table() {
  Table table;
  table.head.struct_size = sizeof(Table);
  table.head.minor_version = 81;
  if (kFake == "wrong_major") {
    table.head.major_version = 1;
    table.head.minor_version = 2;
  }
  if (kFake == "small_table") table.head.struct_size -= sizeof(void*);
  if (kFake == "tiny_table") table.head.struct_size = sizeof(std::size_t);
  set<ErrorDestroyArgs>(table, destroy_error);
  set<ErrorMessageArgs>(table, error_message);
  set<ErrorGetCodeArgs>(table, error_code);
  set<PluginInitializeArgs>(table, initialize);
  set<ClientCreateArgs>(table, create_client);
  set<ClientDestroyArgs>(table, destroy_client);
  set<ClientAddressableDevicesArgs>(table, devices);
  return table;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* FAKE_EXPORT() {
  static const Table table = make_table();
  return kFake == "null_table" ? nullptr : &table;
}
