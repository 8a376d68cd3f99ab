#include "agent/attempt/held_ports.h"

#include <utility>

namespace muster::agent {

Result<job::Address> HeldPorts::take(os::Ports& ports, const Wanted& wanted) {
  const auto hold_any = [&] {
    return wanted.range ? ports.reserve_between(wanted.host, wanted.range->low, wanted.range->high)
                        : ports.reserve(wanted.host);
  };
  job::Address address;
  address.host = wanted.host;
  MUSTER_TRY(auto port, wanted.keep_port == 0 ? hold_any()
                                              : ports.reserve_given(wanted.host, wanted.keep_port));
  address.port = port->number();
  held_.push_back(std::move(port));
  for (const std::string& name : wanted.names) {
    MUSTER_TRY(auto named, hold_any());
    address.named_ports[name] = named->number();
    held_.push_back(std::move(named));
  }
  address_ = address;
  return address;
}

}  // namespace muster::agent
