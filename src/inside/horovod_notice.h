#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::inside {

/// Where a rank in Horovod's elastic mode accepts notices, according to what it told its
/// rendezvous.
struct NoticeDesk {
  uint16_t port = 0;
  std::string key;  ///< Under which notices are signed.
};

/// Parses what a rank puts under `worker_addresses`: base64 of a Python pickle of its service's
/// addresses and key. Reads only the pickle's tokens and builds no objects from it. An error says
/// what is not as expected.
[[nodiscard]] Result<NoticeDesk> parse_notice_desk(std::string_view text);

/// The message that tells a rank that there are new members, as Horovod's HostsUpdatedRequest:
/// digest, length and pickle. `time` must grow from one to the next.
[[nodiscard]] std::string members_added_notice(std::string_view key, int64_t time);

}  // namespace muster::inside
