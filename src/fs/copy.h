#pragma once

#include "fs/session.h"
#include "hadoop/hdfs/blocks/transfer.h"
#include "rt/async.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::fs {

/// The status line of a copy: "put data.bin: 312 MiB of 1 GiB, 408 MiB/s". Shows nothing without a
/// terminal.
class CopyProgress {
 public:
  CopyProgress(Session& session, std::string_view verb) : session_(&session), verb_(verb) {}

  /// Begins the next file.
  void begin(std::string name, uint64_t size_bytes);
  void add(uint64_t bytes);
  [[nodiscard]] std::function<void(std::string name, uint64_t size_bytes)> begins() {
    return [this](std::string name, uint64_t size_bytes) { begin(std::move(name), size_bytes); };
  }
  [[nodiscard]] hadoop::hdfs::Moved moved() {
    return [this](uint64_t bytes) { add(bytes); };
  }

 private:
  void draw();

  Session* session_;
  std::string verb_;
  std::string name_;
  uint64_t size_bytes_ = 0;
  uint64_t done_bytes_ = 0;
  HostTime begun_{};
  HostTime drawn_{};
};

/// Writes all of `bytes` to a descriptor of this process on the blocking pool.
[[nodiscard]] rt::Async<Status> write_fd(rt::Loop* loop, int fd, std::string_view bytes);
/// Reads the next piece from a descriptor; empty at its end.
[[nodiscard]] rt::Async<Result<std::string>> read_fd(rt::Loop* loop, int fd);
/// Writes a file in HDFS to standard output.
[[nodiscard]] rt::Async<Status> cat_file(Session* session, hadoop::hdfs::FileSystem* fs,
                                         std::string path);

}  // namespace muster::fs
