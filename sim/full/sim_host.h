#pragma once

#include "agent/attempt/leftovers.h"
#include "os/host/memory.h"
#include "os/host/ports.h"
#include "sim/faults.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

/// The ports of a simulated host, some of which somebody else may hold.
class SimPorts final : public os::Ports {
 public:
  /// `taken`: called if somebody else had the port that was asked for.
  SimPorts(Faults& faults, std::set<uint16_t>& held, std::function<void()> taken)
      : faults_(faults), held_(held), taken_(std::move(taken)) {}
  Result<std::unique_ptr<os::HeldPort>> reserve(const std::string& host) override;
  Result<std::unique_ptr<os::HeldPort>> reserve_between(const std::string& host, uint16_t low,
                                                        uint16_t high) override;
  Result<std::unique_ptr<os::HeldPort>> reserve_given(const std::string& host,
                                                      uint16_t port) override;

 private:
  Faults& faults_;
  std::set<uint16_t>& held_;
  std::function<void()> taken_;
};

/// Measures what simulated programs say they use.
class SimMeter final : public os::Meter {
 public:
  explicit SimMeter(std::function<uint64_t(std::span<const os::Pid>)> memory_of)
      : memory_of_(std::move(memory_of)) {}
  os::Usage measure(std::span<const os::Pid> processes) override {
    return {.memory_bytes = memory_of_(processes), .exact = true, .cpu = {}};
  }
  os::Footprint glance(std::span<const os::Pid> processes) override {
    const uint64_t bytes = memory_of_(processes);
    return {.least_bytes = bytes, .most_bytes = bytes, .cpu = {}};
  }
  os::FileActivity file_activity(std::span<const os::Pid>) override { return {}; }
  os::Throttling throttling(os::Pid) override { return {}; }
  std::optional<Duration> collector_time(std::span<const os::Pid>) override { return {}; }
  os::Waits waits(std::span<const os::Pid>, os::Pid) override { return {}; }
  os::HostActivity host_activity() override { return {}; }
  std::vector<os::Path> local_folders(std::vector<os::Path>) override { return {}; }
  std::optional<os::DiskSpace> disk_left(std::span<const os::Path>) override { return {}; }
  Duration time_spent() override { return {}; }
  uint64_t oom_kills() override { return 0; }

 private:
  std::function<uint64_t(std::span<const os::Pid>)> memory_of_;
};

/// Simulated programs leave nobody in other sessions.
class NoLeftovers final : public agent::Leftovers {
 public:
  void saw(job::AttemptId, const std::vector<os::Pid>&) override {}
  size_t ask_to_end(job::AttemptId, const agent::AttemptMark&) override { return 0; }
  size_t end(job::AttemptId, const agent::AttemptMark&) override { return 0; }
};

}  // namespace muster::sim
