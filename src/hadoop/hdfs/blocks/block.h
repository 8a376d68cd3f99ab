#pragma once

#include "hadoop/hdfs/blocks/checksum.h"
#include "hadoop/token.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::hdfs {

/// One block of a file, as it is in one generation.
struct Block {
  std::string pool;
  uint64_t id = 0;
  uint64_t generation = 0;
  uint64_t size_bytes = 0;

  bool operator==(const Block&) const = default;
};

/// "blk_1073741825_1001", as Hadoop's logs and tools name it.
[[nodiscard]] std::string to_string(const Block& block);

/// Where DataNodes keep data; numbers as on the wire.
enum class StorageType : uint8_t {
  Disk = 1,
  Ssd = 2,
  Archive = 3,
  RamDisk = 4,
  Provided = 5,
  Nvdimm = 6,
};

/// One DataNode, as the NameNode describes it.
struct Datanode {
  std::string ip;
  std::string host_name;
  std::string uuid;
  uint32_t data_port = 0;
  uint32_t info_port = 0;
  uint32_t ipc_port = 0;
  std::string rack;

  bool operator==(const Datanode&) const = default;

  /// "10.0.0.7:9866": how DataNodes name each other.
  [[nodiscard]] std::string data_address() const;
};

/// A DataNode and the storage in it that holds (is to hold) a replica.
struct Replica {
  Datanode node;
  StorageType storage_type = StorageType::Disk;
  std::string storage_id;

  bool operator==(const Replica&) const = default;
};

/// A block, where it begins in its file, and who has it, nearest first.
struct LocatedBlock {
  Block block;
  uint64_t offset = 0;
  std::vector<Replica> replicas;
  bool corrupt = false;  ///< Every replica is known to be damaged.
  Token token;           ///< For these DataNodes; empty fields on a cluster without security.
};

/// A range of a file's blocks.
struct LocatedBlocks {
  uint64_t file_bytes = 0;           ///< Without a block that is still being written.
  std::vector<LocatedBlock> blocks;  ///< In order; those that touch the range that was asked for.
  /// The block that is still being written, if there is one. Its size is what the NameNode knows.
  std::optional<LocatedBlock> unfinished;
  std::string erasure_coding;  ///< The policy's name; empty for a replicated file.
  bool encrypted = false;      ///< In an encryption zone.
};

enum class FileType : uint8_t { File, Folder, Link };

/// What the NameNode knows about a file or folder.
struct FileStatus {
  FileType type = FileType::File;
  std::string name;  ///< The last part of its path; empty for the path that was asked for itself.
  uint64_t size_bytes = 0;
  uint32_t permission = 0;  ///< Bits, the sticky bit (01000) included.
  std::string owner;
  std::string group;
  int64_t modified_ms = 0;  ///< Milliseconds since 1970.
  int64_t accessed_ms = 0;
  std::string link_target;
  uint32_t replication = 0;  ///< 0 for folders.
  uint64_t block_bytes = 0;
  uint64_t file_id = 0;
  std::string erasure_coding;  ///< The policy's name; empty for a replicated file.
  bool encrypted = false;

  bool operator==(const FileStatus&) const = default;
};

/// What the NameNode wants clients to use unless they were told otherwise.
struct ServerDefaults {
  uint64_t block_bytes = 128U << 20;
  Checksum checksum;
  uint32_t packet_bytes = 64U << 10;
  uint32_t replication = 3;
  bool encrypt_data = false;
};

/// The key of dfs.encrypt.data.transfer.
struct EncryptionKey {
  int32_t key_id = 0;
  std::string pool;
  std::string nonce;
  std::string key;
  int64_t expires_ms = 0;
  std::string algorithm;
};

}  // namespace muster::hadoop::hdfs
