#pragma once

#include "base/time.h"
#include "hadoop/rpc/failure.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/proxy.h"

#include <cstddef>
#include <cstdint>

namespace muster::hadoop::rpc {

/// What follows a failed attempt.
enum class NextStep : uint8_t {
  GiveUp,       ///< The caller gets the failure.
  SameServer,   ///< Again, after a pause.
  OtherServer,  ///< Again with the next server.
};

/// What is known about the attempt.
struct Attempted {
  Repetition repetition = Repetition::NotRepeated;
  size_t servers = 1;
  bool kerberos = false;
};

/// Decides what follows `failure`:
///
///     the server is not the active one                   OtherServer
///     RetriableException                                  SameServer
///     a Kerberos handshake failed by SaslException        SameServer (replay caches)
///     any other exception of the server                   GiveUp
///     no credentials, not Hadoop's protocol, ...          GiveUp
///     nothing was sent; or sent and may be repeated       OtherServer
///     sent, its fate unknown, may not be repeated         GiveUp
///     a name that nobody knows                            OtherServer if there is one
[[nodiscard]] NextStep next_step(const Failure& failure, const Attempted& attempted);

/// The pause before attempt `attempt` (the first is 0): none while there are servers that were not
/// asked in this round, then doubling from `pause_first` to `pause_max`, each between a half and
/// the whole of that by `jitter` in 0..255.
[[nodiscard]] Duration retry_pause(const RetryOptions& options, int attempt, size_t servers,
                                   NextStep step, uint8_t jitter);

/// How often a Kerberos handshake is tried again: replay caches refuse two in one second.
inline constexpr int kKerberosAttemptsMax = 5;

}  // namespace muster::hadoop::rpc
