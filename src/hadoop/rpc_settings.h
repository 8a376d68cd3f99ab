#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"

#include <cstdint>

namespace muster::hadoop {

/// How RPC connections behave (ipc.*). Counts of retries follow the first try; 0: none.
struct RpcSettings {
  Duration connect_timeout{};
  int32_t connect_retries_max = 0;  ///< After a refused connection.
  Duration connect_retry_interval{};
  int32_t connect_timeout_retries_max = 0;  ///< After a connection that nobody answered.
  int32_t sasl_retries_max = 0;             ///< After a handshake that Kerberos broke off.
  Duration idle_max{};                      ///< An unused connection is closed after this.
  bool ping = true;                         ///< Ask silent servers for a sign of life.
  Duration ping_interval{};
  Duration call_timeout{};  ///< Of one call, waiting for its reply; 0: as long as pings pass.
  uint32_t response_bytes_max = 0;  ///< A longer frame is an error.
  uint32_t request_bytes_max = 0;   ///< What servers accept.
};

/// Reads the settings; values out of range are errors that name their place.
[[nodiscard]] Result<RpcSettings> rpc_settings(const Configuration& configuration);

}  // namespace muster::hadoop
