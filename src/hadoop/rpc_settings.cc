#include "hadoop/rpc_settings.h"

#include "hadoop/bounded_setting.h"

namespace muster::hadoop {

Result<RpcSettings> rpc_settings(const Configuration& configuration) {
  using std::chrono::milliseconds;
  RpcSettings out;
  const BoundedSettings read(configuration);
  MUSTER_TRY_STATUS(read.time("ipc.client.connect.timeout", milliseconds(1), out.connect_timeout));
  MUSTER_TRY_STATUS(read.count("ipc.client.connect.max.retries", 0, out.connect_retries_max));
  MUSTER_TRY_STATUS(
      read.time("ipc.client.connect.retry.interval", milliseconds(1), out.connect_retry_interval));
  MUSTER_TRY_STATUS(
      read.count("ipc.client.connect.max.retries.on.timeouts", 0, out.connect_timeout_retries_max));
  MUSTER_TRY_STATUS(read.count("ipc.client.connect.max.retries.on.sasl", 0, out.sasl_retries_max));
  MUSTER_TRY_STATUS(read.time("ipc.client.connection.maxidletime", milliseconds(1), out.idle_max));
  MUSTER_TRY(out.ping, configuration.flag("ipc.client.ping"));
  MUSTER_TRY_STATUS(read.time("ipc.ping.interval", milliseconds(1), out.ping_interval));
  MUSTER_TRY_STATUS(read.time("ipc.client.rpc-timeout.ms", milliseconds(1), out.call_timeout));
  MUSTER_TRY_STATUS(read.bytes("ipc.maximum.response.length", 1024, out.response_bytes_max));
  MUSTER_TRY_STATUS(read.bytes("ipc.maximum.data.length", 1024, out.request_bytes_max));
  return out;
}

}  // namespace muster::hadoop
