#pragma once

#include "base/result.h"
#include "job/view.h"
#include "os/host/ports.h"
#include "spec/settings.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

/// The ports of one attempt, held so that nobody else gets them. Destroying it frees them.
class HeldPorts {
 public:
  struct Wanted {
    std::string host;                      ///< A numeric address.
    std::optional<spec::PortRange> range;  ///< nullopt: any free port.
    uint16_t keep_port = 0;          ///< Unless 0, take this one (AlreadyExists if it is in use).
    std::vector<std::string> names;  ///< One more port for each.
  };

  /// Takes the ports and returns where the attempt can be reached. Called once.
  [[nodiscard]] Result<job::Address> take(os::Ports& ports, const Wanted& wanted);
  /// Releases the ports; the address stays.
  void release() { held_.clear(); }
  /// Empty before take().
  [[nodiscard]] const job::Address& address() const { return address_; }

 private:
  job::Address address_;
  std::vector<std::unique_ptr<os::HeldPort>> held_;
};

}  // namespace muster::agent
