#include "hadoop/hdfs/file_system.h"
#include "hadoop/hdfs_settings.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {
namespace {

Replacing replacing_of(const HdfsSettings& settings) {
  if (!settings.replace_data_node) {
    return Replacing::Never;
  }
  switch (settings.replace_policy) {
    case ReplacePolicy::Never:
      return Replacing::Never;
    case ReplacePolicy::Default:
      return Replacing::Default;
    case ReplacePolicy::Always:
      return Replacing::Always;
  }
  return Replacing::Default;
}

ChecksumType checksum_of(hadoop::ChecksumType type) {
  switch (type) {
    case hadoop::ChecksumType::None:
      return ChecksumType::None;
    case hadoop::ChecksumType::Crc32:
      return ChecksumType::Crc32;
    case hadoop::ChecksumType::Crc32c:
      return ChecksumType::Crc32c;
  }
  return ChecksumType::Crc32c;
}

/// A read from a DataNode that may wait forever would hang: no limit means one hour.
Duration patience_of(Duration configured) {
  return configured == Duration::zero() ? Duration(std::chrono::hours(1)) : configured;
}

}  // namespace

Result<FileSystemOptions> file_system_options(const Configuration& configuration) {
  MUSTER_TRY(const HdfsSettings settings, hdfs_settings(configuration));
  FileSystemOptions options;
  options.umask = settings.umask;
  options.writer.replication = static_cast<uint32_t>(settings.replication);
  options.writer.block_bytes = settings.block_bytes;
  options.writer.packet_bytes = settings.packet_bytes;
  MUSTER_TRY(
      options.writer.checksum,
      make_checksum(static_cast<uint32_t>(checksum_of(settings.checksum)), settings.chunk_bytes));
  options.writer.packets_max = static_cast<size_t>(settings.packets_in_flight_max);
  options.writer.block_tries_max = settings.block_write_retries_max + 1;
  options.writer.restart_wait = settings.data_node_restart_wait;
  options.writer.heartbeat = patience_of(settings.socket_timeout) / 2;
  options.writer.replacing = replacing_of(settings);
  options.writer.replace_best_effort = settings.replace_best_effort;
  options.data_nodes.use_host_name = settings.use_data_node_hostname;
  options.data_nodes.patience = patience_of(settings.socket_timeout);
  options.data_nodes.idle.idle_max = settings.idle_stream_max;
  options.data_nodes.idle.streams_max = settings.idle_stream_max == Duration::zero()
                                            ? 0
                                            : static_cast<size_t>(settings.idle_streams_max);
  options.name_node.locate_retries_max = settings.locate_block_retries_max;
  options.name_node.locate_delay = settings.locate_block_delay;
  options.name_node.locate_delay_max = settings.locate_block_delay_max;
  return options;
}

}  // namespace muster::hadoop::hdfs
