#include "hadoop/rpc/options.h"

namespace muster::hadoop::rpc {

ConnectionOptions connection_options(const RpcSettings& settings) {
  ConnectionOptions options;
  options.connect_timeout = settings.connect_timeout;
  options.handshake_timeout = settings.connect_timeout;
  options.call_timeout = settings.call_timeout;
  options.ping_interval = settings.ping ? settings.ping_interval : Duration::zero();
  options.idle_max = settings.idle_max;
  options.request_bytes_max = settings.request_bytes_max;
  options.response_bytes_max = settings.response_bytes_max;
  return options;
}

RetryOptions retry_options(const RpcSettings& settings) {
  return {.attempts_max = settings.connect_retries_max + 1,
          .pause_first = settings.connect_retry_interval,
          .pause_max = settings.connect_retry_interval};
}

}  // namespace muster::hadoop::rpc
