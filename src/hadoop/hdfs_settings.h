#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::hadoop {

/// How the checksums of new files are made.
enum class ChecksumType : uint8_t { None, Crc32, Crc32c };

/// When a DataNode that left a pipeline is replaced by another.
enum class ReplacePolicy : uint8_t { Never, Default, Always };

/// What an HDFS client does (dfs.client.*) and the defaults of the files it makes.
struct HdfsSettings {
  int32_t replication = 0;
  uint64_t block_bytes = 0;
  uint32_t chunk_bytes = 0;  ///< That one checksum covers.
  ChecksumType checksum = ChecksumType::Crc32c;
  uint32_t packet_bytes = 0;      ///< Wanted size of a packet to the pipeline.
  uint32_t packet_bytes_max = 0;  ///< A larger received one is an error.
  int32_t packets_in_flight_max = 0;
  uint32_t umask = 0;               ///< Of new files and folders.
  std::string home_prefix;          ///< "/user": home folders are below it.
  Duration trash_interval{};        ///< 0: deleting is final.
  Duration socket_timeout{};        ///< Reads from a DataNode; 0: none.
  Duration socket_write_timeout{};  ///< Writes to a DataNode; 0: none.
  Duration data_node_restart_wait{};
  /// Connections to DataNodes that are kept for the next read: how many, how long; 0: none.
  int32_t idle_streams_max = 0;
  Duration idle_stream_max{};
  bool use_data_node_hostname = false;  ///< Dial DataNodes by name instead of by address.

  int32_t block_write_retries_max = 0;
  int32_t locate_block_retries_max = 0;
  Duration locate_block_delay{};  ///< Before the first retry; doubles from there.
  Duration locate_block_delay_max{};
  bool replace_data_node = true;
  ReplacePolicy replace_policy = ReplacePolicy::Default;
  bool replace_best_effort = false;  ///< Go on with fewer nodes when there is no other.
  int32_t last_block_length_retries_max = 0;
  Duration last_block_length_retry_interval{};

  int32_t failover_attempts_max = 0;
  Duration failover_delay{};  ///< Before the first retry; doubles from there.
  Duration failover_delay_max{};
  bool random_order = true;  ///< Begin with any of a name service's NameNodes.
};

/// Reads the settings; values out of range are errors that name their place.
[[nodiscard]] Result<HdfsSettings> hdfs_settings(const Configuration& configuration);

/// Parses fs.permissions.umask-mode: octal ("022") or symbolic ("u=rwx,g=rx,o="). Nothing if it is
/// neither.
[[nodiscard]] std::optional<uint32_t> parse_umask(std::string_view text);

}  // namespace muster::hadoop
