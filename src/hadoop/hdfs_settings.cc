#include "hadoop/hdfs_settings.h"

#include "base/text.h"
#include "hadoop/bounded_setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::hadoop {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Status read_new_files(const Configuration& configuration, HdfsSettings& out) {
  const BoundedSettings read(configuration);
  MUSTER_TRY(const int64_t replication, configuration.number("dfs.replication", 1, 512));
  out.replication = static_cast<int32_t>(replication);
  MUSTER_TRY_STATUS(read.bytes("dfs.bytes-per-checksum", 1, out.chunk_bytes));
  constexpr std::string_view kBlock = "dfs.blocksize";
  MUSTER_TRY(const int64_t block, configuration.size_bytes(kBlock));
  if (block <= 0 || block % out.chunk_bytes != 0) {
    return configuration.wrong(
        kBlock, fmt::format("must be a multiple of dfs.bytes-per-checksum ({})", out.chunk_bytes));
  }
  out.block_bytes = static_cast<uint64_t>(block);
  constexpr std::string_view kChecksum = "dfs.checksum.type";
  MUSTER_TRY(const std::string checksum, configuration.text(kChecksum));
  if (checksum == "CRC32C") {
    out.checksum = ChecksumType::Crc32c;
  } else if (checksum == "CRC32") {
    out.checksum = ChecksumType::Crc32;
  } else if (checksum == "NULL") {
    out.checksum = ChecksumType::None;
  } else {
    return configuration.wrong(kChecksum, "must be CRC32C, CRC32 or NULL");
  }
  constexpr std::string_view kUmask = "fs.permissions.umask-mode";
  MUSTER_TRY(const std::string umask, configuration.text(kUmask));
  const std::optional<uint32_t> parsed = parse_umask(umask);
  if (!parsed) {
    return configuration.wrong(kUmask, "must be an octal mask, such as 022");
  }
  out.umask = *parsed;
  MUSTER_TRY(out.home_prefix, configuration.text("dfs.user.home.dir.prefix"));
  return read.time("fs.trash.interval", minutes(1), out.trash_interval);
}

Status read_pipeline(const Configuration& configuration, HdfsSettings& out) {
  const BoundedSettings read(configuration);
  MUSTER_TRY_STATUS(read.bytes("dfs.client-write-packet-size", 1, out.packet_bytes));
  MUSTER_TRY_STATUS(read.bytes("dfs.data.transfer.max.packet.size", 1024, out.packet_bytes_max));
  MUSTER_TRY_STATUS(
      read.count("dfs.client.write.max-packets-in-flight", 1, out.packets_in_flight_max));
  MUSTER_TRY_STATUS(read.count("dfs.client.block.write.retries", 0, out.block_write_retries_max));
  const std::string locate = "dfs.client.block.write.locateFollowingBlock.";
  MUSTER_TRY_STATUS(read.count(locate + "retries", 0, out.locate_block_retries_max));
  MUSTER_TRY_STATUS(
      read.time(locate + "initial.delay.ms", milliseconds(1), out.locate_block_delay));
  MUSTER_TRY_STATUS(
      read.time(locate + "max.delay.ms", milliseconds(1), out.locate_block_delay_max));
  const std::string replace = "dfs.client.block.write.replace-datanode-on-failure.";
  MUSTER_TRY(out.replace_data_node, configuration.flag(replace + "enable"));
  MUSTER_TRY(out.replace_best_effort, configuration.flag(replace + "best-effort"));
  MUSTER_TRY(const std::string policy, configuration.text(replace + "policy"));
  if (policy == "NEVER") {
    out.replace_policy = ReplacePolicy::Never;
  } else if (policy == "ALWAYS") {
    out.replace_policy = ReplacePolicy::Always;
  } else if (policy != "DEFAULT") {
    return configuration.wrong(replace + "policy", "must be DEFAULT, ALWAYS or NEVER");
  }
  return {};
}

/// A DataNode closes idle connections after a time of its own: if that is known, it counts, too.
Status read_idle_streams(const Configuration& configuration, HdfsSettings& out) {
  const BoundedSettings read(configuration);
  MUSTER_TRY_STATUS(read.count("dfs.client.socketcache.capacity", 0, out.idle_streams_max));
  MUSTER_TRY_STATUS(
      read.time("dfs.client.socketcache.expiryMsec", milliseconds(1), out.idle_stream_max));
  Duration served{};
  MUSTER_TRY_STATUS(read.time("dfs.datanode.socket.reuse.keepalive", milliseconds(1), served));
  out.idle_stream_max = std::min(out.idle_stream_max, served);
  return {};
}

}  // namespace

Result<HdfsSettings> hdfs_settings(const Configuration& configuration) {
  HdfsSettings out;
  const BoundedSettings read(configuration);
  MUSTER_TRY_STATUS(read_new_files(configuration, out));
  MUSTER_TRY_STATUS(read_pipeline(configuration, out));
  MUSTER_TRY_STATUS(read_idle_streams(configuration, out));
  MUSTER_TRY_STATUS(read.time("dfs.client.socket-timeout", milliseconds(1), out.socket_timeout));
  MUSTER_TRY_STATUS(
      read.time("dfs.datanode.socket.write.timeout", milliseconds(1), out.socket_write_timeout));
  MUSTER_TRY_STATUS(
      read.time("dfs.client.datanode-restart.timeout", seconds(1), out.data_node_restart_wait));
  MUSTER_TRY(out.use_data_node_hostname, configuration.flag("dfs.client.use.datanode.hostname"));
  MUSTER_TRY_STATUS(read.count("dfs.client.retry.times.get-last-block-length", 0,
                               out.last_block_length_retries_max));
  MUSTER_TRY_STATUS(read.time("dfs.client.retry.interval-ms.get-last-block-length", milliseconds(1),
                              out.last_block_length_retry_interval));
  MUSTER_TRY_STATUS(read.count("dfs.client.failover.max.attempts", 0, out.failover_attempts_max));
  MUSTER_TRY_STATUS(
      read.time("dfs.client.failover.sleep.base.millis", milliseconds(1), out.failover_delay));
  MUSTER_TRY_STATUS(
      read.time("dfs.client.failover.sleep.max.millis", milliseconds(1), out.failover_delay_max));
  MUSTER_TRY(out.random_order, configuration.flag("dfs.client.failover.random.order"));
  return out;
}

namespace {

/// Returns the bits of one symbolic clause such as "g=rx"; in a umask it names what is allowed.
std::optional<uint32_t> clause_bits(std::string_view clause, uint32_t& who_bits) {
  const size_t equals = clause.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return std::nullopt;
  }
  uint32_t who = 0;
  for (const char c : clause.substr(0, equals)) {
    const size_t at = std::string_view("ugo").find(c);
    if (c == 'a') {
      who |= 0777;
    } else if (at != std::string_view::npos) {
      who |= 0700U >> (3 * at);
    } else {
      return std::nullopt;
    }
  }
  uint32_t allowed = 0;
  for (const char c : clause.substr(equals + 1)) {
    const size_t at = std::string_view("rwx").find(c);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    allowed |= 0444U >> at;
  }
  who_bits = who;
  return who & allowed;
}

}  // namespace

std::optional<uint32_t> parse_umask(std::string_view text) {
  text = trim(text);
  if (!text.empty() && text.find('=') == std::string_view::npos) {
    uint32_t mask = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mask, 8);
    return error == std::errc() && end == text.data() + text.size() && mask <= 01777
               ? std::optional(mask & 0777)
               : std::nullopt;
  }
  uint32_t mask = 0;
  for (const std::string_view clause : split(text, ',')) {
    uint32_t who = 0;
    const std::optional<uint32_t> allowed = clause_bits(trim(clause), who);
    if (!allowed) {
      return std::nullopt;
    }
    mask = (mask & ~who) | (who & ~*allowed);
  }
  return mask;
}

}  // namespace muster::hadoop
