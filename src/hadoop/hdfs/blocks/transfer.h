#pragma once

#include "base/result.h"
#include "hadoop/hdfs/file_system.h"
#include "os/file/files.h"
#include "rt/async.h"

#include <cstdint>
#include <functional>
#include <string>

namespace muster::hadoop::hdfs {

/// Called with how many more bytes have been moved.
using Moved = std::function<void(uint64_t bytes)>;

struct TransferDeps {
  rt::Loop& loop;
  os::Files& files;  ///< The local side; used on the blocking pool.
  FileSystem& fs;
};

struct PutOptions {
  bool overwrite = false;  ///< Else AlreadyExists.
  WriteFileOptions write;  ///< Replication, block size; the rest is set here.
  Moved moved;
};
/// Copies a local file to HDFS. Readers never see a part of it under its name: it is written next
/// to it and renamed, which replaces an old one at once; on an error nothing is left behind.
[[nodiscard]] rt::Async<Status> put_file(TransferDeps deps, os::Path from, std::string to,
                                         PutOptions options);

/// Returns the next piece of what is to be written; empty at the end.
using Source = std::function<rt::Async<Result<std::string>>()>;
/// The same for data from anywhere.
[[nodiscard]] rt::Async<Status> put_source(FileSystem* fs, Source source, std::string to,
                                           PutOptions options);

struct GetOptions {
  bool overwrite = false;  ///< Else AlreadyExists.
  Moved moved;
};
/// Copies a file in HDFS to the local disk, written next to its name and then renamed. Checksums
/// are verified. OutOfSpace if the disk is full; after an error nothing is left behind.
[[nodiscard]] rt::Async<Status> get_file(TransferDeps deps, std::string from, os::Path to,
                                         GetOptions options);

/// Receives the bytes of a file, one piece after the other; the piece is valid until the coroutine
/// has ended.
using Sink = std::function<rt::Async<Status>(std::string_view piece)>;
/// Reads a range of a file piece by piece.
[[nodiscard]] rt::Async<Status> read_to(FileSystem* fs, std::string from, ByteRange range,
                                        Sink sink);

}  // namespace muster::hadoop::hdfs
