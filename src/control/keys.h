#pragma once

#include "control/transport.h"

#include <string>
#include <string_view>

namespace muster::control {

/// The job's random 32-byte secret. It reaches only the master and, by a 0600 file, the owner's
/// clients.
using Secret = Key;

/// Derives the key of `peer` from the job's secret (HKDF-SHA256, the identity as info). An agent's
/// key also authenticates the master that dials that agent, under the identity
/// "master:<container>": both sides derive that one with master_key_of from the agent's own key.
[[nodiscard]] Key derive_key(const Secret& secret, const Peer& peer);

/// Derives from an agent's key the key under which a master dials that agent.
[[nodiscard]] Key master_key_of(const Key& agent_key);

/// Derives from an agent's key the one for a single stream, whose client dials that agent itself
/// and presents this ticket.
[[nodiscard]] Key stream_key_of(const Key& agent_key, std::string_view ticket);

/// Derives what the job's tasks share, if they are to share a secret (`runtime.key`).
[[nodiscard]] Key task_key_of(const Secret& secret);

/// The path of that among the secrets that agents get: no entry of a specification has this path.
inline constexpr const char* kTaskKeySecret = "runtime.key";

/// Lower-case hex, 64 digits; parse is strict.
[[nodiscard]] std::string to_hex(const Key& key);
[[nodiscard]] Result<Key> parse_key(std::string_view hex);

}  // namespace muster::control
