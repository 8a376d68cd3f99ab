#include "sim/full/sim_host.h"

#include <fmt/format.h>

namespace muster::sim {
namespace {

constexpr uint16_t kFirstPort = 20'000;

class SimHeldPort final : public os::HeldPort {
 public:
  SimHeldPort(std::set<uint16_t>& held, uint16_t port) : held_(held), port_(port) {
    held_.insert(port_);
  }
  ~SimHeldPort() override { held_.erase(port_); }
  SimHeldPort(const SimHeldPort&) = delete;
  SimHeldPort& operator=(const SimHeldPort&) = delete;
  [[nodiscard]] uint16_t number() const override { return port_; }

 private:
  std::set<uint16_t>& held_;
  uint16_t port_;
};

}  // namespace

Result<std::unique_ptr<os::HeldPort>> SimPorts::reserve(const std::string&) {
  uint16_t port = kFirstPort;
  while (held_.contains(port)) {
    ++port;
  }
  return std::make_unique<SimHeldPort>(held_, port);
}

Result<std::unique_ptr<os::HeldPort>> SimPorts::reserve_between(const std::string& host,
                                                                uint16_t low, uint16_t high) {
  for (uint32_t port = low; port <= high; ++port) {
    if (!held_.contains(static_cast<uint16_t>(port))) {
      return std::make_unique<SimHeldPort>(held_, static_cast<uint16_t>(port));
    }
  }
  return Error{Errc::AlreadyExists, Blame::Cluster, fmt::format("no port of {} is free", host)};
}

Result<std::unique_ptr<os::HeldPort>> SimPorts::reserve_given(const std::string& host,
                                                              uint16_t port) {
  if (held_.contains(port) || faults_.strikes(Fault::PortsTaken)) {
    taken_();
    return Error{Errc::AlreadyExists, Blame::Cluster,
                 fmt::format("port {} of {} is taken", port, host)};
  }
  return std::make_unique<SimHeldPort>(held_, port);
}

}  // namespace muster::sim
