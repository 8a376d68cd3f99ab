#include "hadoop/conf_defaults.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::hadoop {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Each table is sorted, so that a look-up is a search.
constexpr auto kCoreDefaults = std::to_array<Pair>({
    {"fs.defaultFS", "file:///"},
    {"fs.permissions.umask-mode", "022"},
    {"fs.trash.interval", "0"},
    {"hadoop.rpc.protection", "authentication"},
    {"hadoop.security.auth_to_local", "DEFAULT"},
    {"hadoop.security.auth_to_local.mechanism", "hadoop"},
    {"hadoop.security.authentication", "simple"},
    {"hadoop.security.authorization", "false"},
    {"hadoop.security.token.service.use_ip", "true"},
    {"hadoop.tmp.dir", "/tmp/hadoop-${user.name}"},
    {"ipc.client.connect.max.retries", "10"},
    {"ipc.client.connect.max.retries.on.sasl", "5"},
    {"ipc.client.connect.max.retries.on.timeouts", "45"},
    {"ipc.client.connect.retry.interval", "1000"},
    {"ipc.client.connect.timeout", "20000"},
    {"ipc.client.connection.maxidletime", "10000"},
    {"ipc.client.fallback-to-simple-auth-allowed", "false"},
    {"ipc.client.ping", "true"},
    {"ipc.client.rpc-timeout.ms", "120000"},
    {"ipc.client.tcpnodelay", "true"},
    {"ipc.maximum.data.length", "134217728"},
    {"ipc.maximum.response.length", "134217728"},
    {"ipc.ping.interval", "60000"},
});

constexpr auto kHdfsDefaults = std::to_array<Pair>({
    {"dfs.block.access.token.enable", "false"},
    {"dfs.blocksize", "134217728"},
    {"dfs.bytes-per-checksum", "512"},
    {"dfs.checksum.type", "CRC32C"},
    {"dfs.client-write-packet-size", "65536"},
    {"dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "400"},
    {"dfs.client.block.write.locateFollowingBlock.max.delay.ms", "60000"},
    {"dfs.client.block.write.locateFollowingBlock.retries", "5"},
    {"dfs.client.block.write.replace-datanode-on-failure.best-effort", "false"},
    {"dfs.client.block.write.replace-datanode-on-failure.enable", "true"},
    {"dfs.client.block.write.replace-datanode-on-failure.policy", "DEFAULT"},
    {"dfs.client.block.write.retries", "3"},
    {"dfs.client.datanode-restart.timeout", "30"},
    {"dfs.client.failover.max.attempts", "15"},
    {"dfs.client.failover.random.order", "true"},
    {"dfs.client.failover.sleep.base.millis", "500"},
    {"dfs.client.failover.sleep.max.millis", "15000"},
    {"dfs.client.retry.interval-ms.get-last-block-length", "4000"},
    {"dfs.client.retry.max.attempts", "10"},
    {"dfs.client.retry.times.get-last-block-length", "3"},
    {"dfs.client.retry.window.base", "3000"},
    {"dfs.client.socket-timeout", "60000"},
    {"dfs.client.socketcache.capacity", "16"},
    {"dfs.client.socketcache.expiryMsec", "3000"},
    {"dfs.client.use.datanode.hostname", "false"},
    {"dfs.client.write.max-packets-in-flight", "80"},
    {"dfs.data.transfer.max.packet.size", "16777216"},
    {"dfs.datanode.socket.reuse.keepalive", "4000"},
    {"dfs.datanode.socket.write.timeout", "480000"},
    {"dfs.encrypt.data.transfer", "false"},
    {"dfs.encrypt.data.transfer.cipher.key.bitlength", "128"},
    {"dfs.http.policy", "HTTP_ONLY"},
    {"dfs.namenode.fs-limits.min-block-size", "1048576"},
    {"dfs.replication", "3"},
    {"dfs.user.home.dir.prefix", "/user"},
});

constexpr auto kYarnDefaults = std::to_array<Pair>({
    {"yarn.am.liveness-monitor.expiry-interval-ms", "900000"},
    {"yarn.application.classpath", ""},
    {"yarn.client.failover-max-attempts", "-1"},
    {"yarn.client.failover-sleep-base-ms", "-1"},
    {"yarn.client.failover-sleep-max-ms", "-1"},
    {"yarn.client.nodemanager-connect.max-wait-ms", "180000"},
    {"yarn.client.nodemanager-connect.retry-interval-ms", "10000"},
    {"yarn.http.policy", "HTTP_ONLY"},
    {"yarn.log-aggregation-enable", "false"},
    {"yarn.node-labels.enabled", "false"},
    {"yarn.nodemanager.remote-app-log-dir", "/tmp/logs"},
    {"yarn.nodemanager.remote-app-log-dir-suffix", "logs"},
    {"yarn.nodemanager.sleep-delay-before-sigkill.ms", "250"},
    {"yarn.resourcemanager.am.max-attempts", "2"},
    {"yarn.resourcemanager.connect.max-wait.ms", "900000"},
    {"yarn.resourcemanager.connect.retry-interval.ms", "30000"},
    {"yarn.resourcemanager.ha.enabled", "false"},
    {"yarn.resourcemanager.hostname", "0.0.0.0"},
    {"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "1000"},
    {"yarn.resourcemanager.placement-constraints.handler", "disabled"},
    {"yarn.resourcemanager.work-preserving-recovery.enabled", "true"},
    {"yarn.scheduler.maximum-allocation-mb", "8192"},
    {"yarn.scheduler.maximum-allocation-vcores", "4"},
    {"yarn.scheduler.minimum-allocation-mb", "1024"},
    {"yarn.scheduler.minimum-allocation-vcores", "1"},
    {"yarn.timeline-service.enabled", "false"},
});

constexpr auto kOldNames = std::to_array<Pair>({
    {"dfs.block.size", "dfs.blocksize"},
    {"dfs.encryption.key.provider.uri", "hadoop.security.key.provider.path"},
    {"dfs.federation.nameservice.id", "dfs.nameservice.id"},
    {"dfs.federation.nameservices", "dfs.nameservices"},
    {"dfs.http.address", "dfs.namenode.http-address"},
    {"dfs.https.address", "dfs.namenode.https-address"},
    {"dfs.socket.timeout", "dfs.client.socket-timeout"},
    {"dfs.umaskmode", "fs.permissions.umask-mode"},
    {"dfs.write.packet.size", "dfs.client-write-packet-size"},
    {"fs.default.name", "fs.defaultFS"},
    {"io.bytes.per.checksum", "dfs.bytes-per-checksum"},
});

constexpr bool by_name(const Pair& a, const Pair& b) { return a.first < b.first; }
static_assert(std::ranges::is_sorted(kCoreDefaults, by_name));
static_assert(std::ranges::is_sorted(kHdfsDefaults, by_name));
static_assert(std::ranges::is_sorted(kYarnDefaults, by_name));
static_assert(std::ranges::is_sorted(kOldNames, by_name));

template <size_t kSize>
std::optional<std::string_view> look_up(const std::array<Pair, kSize>& table,
                                        std::string_view name) {
  const auto found = std::ranges::lower_bound(table, name, {}, &Pair::first);
  if (found == table.end() || found->first != name) {
    return std::nullopt;
  }
  return found->second;
}

}  // namespace

std::optional<std::string_view> default_value(std::string_view name) {
  if (name.starts_with("dfs.")) {
    return look_up(kHdfsDefaults, name);
  }
  return name.starts_with("yarn.") ? look_up(kYarnDefaults, name) : look_up(kCoreDefaults, name);
}

std::string_view current_name(std::string_view name) {
  return look_up(kOldNames, name).value_or(name);
}

}  // namespace muster::hadoop
