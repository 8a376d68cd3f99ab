#include "inside/horovod_driver.h"
#include "inside/horovod_slots.h"
#include "inside/peers.h"
#include "inside/socket_line.h"
#include "inside/surroundings.h"
#include "net/address.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

namespace muster::inside {
namespace {

/// A little less than what Muster allows a framework's program: this message is the clearer one.
constexpr int kSlotsPatience = 570;  // Seconds.
constexpr const char* kDriver = "driver";
constexpr size_t kTextMax = size_t{16} << 20;

struct Told {
  uint16_t port = 0;  ///< Of the rendezvous, on the driver's host.
  std::vector<Slot> slots;
};

Result<Told> ask(const net::HostPort& where) {
  MUSTER_TRY(const rt::Fd socket, connect_to(where));
  set_patience(socket.get(), kSlotsPatience);
  Result<std::string> line = read_line(socket.get(), kLineMax);
  if (!line.has_value()) {
    return user_error(
        fmt::format("the driver has published no slots ({}): its command must write a file "
                    "PORT____HOROVOD_RENDEZVOUS_SERVER____ in $DRIVER_OUTPUT_PATH",
                    line.error().message));
  }
  Told told;
  size_t size = 0;
  const char* const end = line->data() + line->size();
  const auto port = std::from_chars(line->data(), end, told.port);
  if (port.ec != std::errc() || port.ptr == end ||
      std::from_chars(port.ptr + 1, end, size).ptr != end || size > kTextMax) {
    return user_error("what listens at the driver's address is not Muster's driver");
  }
  MUSTER_TRY(const std::string text, read_bytes(socket.get(), size));
  MUSTER_TRY(told.slots, parse_slots(text));
  return told;
}

Status print_slot(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    return user_error("muster horovod-slot takes HOST:PORT");
  }
  MUSTER_TRY(const net::HostPort where, net::parse_host_port(arguments[0]));
  uint32_t index = 0;
  const std::string own = variable("MUSTER_INDEX");
  std::from_chars(own.data(), own.data() + own.size(), index);
  MUSTER_TRY(const Told told, ask(where));
  MUSTER_TRY(const Slot slot, slot_for(told.slots, text_of(variable("MUSTER_VIEW_FILE")), kDriver,
                                       variable("MUSTER_ROLE"), index));
  fmt::print(
      "HOROVOD_CONTROLLER=gloo\nHOROVOD_CPU_OPERATIONS=gloo\n"
      "HOROVOD_GLOO_RENDEZVOUS_ADDR={}\nHOROVOD_GLOO_RENDEZVOUS_PORT={}\n"
      "HOROVOD_RANK={}\nHOROVOD_SIZE={}\nHOROVOD_LOCAL_RANK={}\nHOROVOD_LOCAL_SIZE={}\n"
      "HOROVOD_CROSS_RANK={}\nHOROVOD_CROSS_SIZE={}\nHOROVOD_HOSTNAME={}\n",
      where.host, told.port, slot.rank, slot.size, slot.local_rank, slot.local_size,
      slot.cross_rank, slot.cross_size, slot.host);
  return {};
}

}  // namespace

int take_slot(const std::vector<std::string>& arguments) {
  const Status printed = print_slot(arguments);
  if (printed.has_value()) {
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  complain(printed.error().message);
  return 1;
}

}  // namespace muster::inside
