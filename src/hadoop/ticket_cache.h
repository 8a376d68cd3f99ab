#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// One ticket of a cache; its keys are not kept.
struct Ticket {
  std::string client;
  std::string server;
  WallTime starts{};
  WallTime ends{};
  WallTime renewable_until{};  ///< The epoch: not renewable.
  bool operator==(const Ticket&) const = default;
};

/// What kinit leaves in a file.
struct TicketCache {
  std::string principal;  ///< Whose it is.
  std::vector<Ticket> tickets;

  /// Returns the ticket with which others are obtained (krbtgt/REALM@REALM of the principal's
  /// realm), the one that expires last; nullptr if there is none.
  [[nodiscard]] const Ticket* granting() const;
};

/// Parses a credential cache file of version 3 or 4, as MIT and Heimdal write it. Corrupt with the
/// byte when it is damaged, Unsupported for older versions.
[[nodiscard]] Result<TicketCache> parse_ticket_cache(std::string_view bytes);

}  // namespace muster::hadoop
