#pragma once

#include "base/result.h"
#include "hadoop/hdfs/file_system.h"
#include "os/file/files.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace muster::fs {

/// The files that copies have under temporary names now, which an interruption would leave behind.
/// Must outlive its holds.
class Unfinished {
 public:
  /// One such file, in HDFS or, if `fs` is null, here.
  struct File {
    hadoop::hdfs::FileSystem* fs = nullptr;
    std::string path;
  };
  using Files = std::map<uint64_t, File>;

  /// One copy under way.
  class Hold {
   public:
    Hold(Unfinished& of, File file) : of_(&of), number_(++of.last_) {
      of.files_.emplace(number_, std::move(file));
    }
    Hold(Hold&&) = delete;
    ~Hold() { of_->files_.erase(number_); }

   private:
    Unfinished* of_;
    uint64_t number_;
  };

  /// Gives up all files: their holds mean nothing any more.
  [[nodiscard]] Files take() { return std::exchange(files_, {}); }

 private:
  uint64_t last_ = 0;
  Files files_;
};

/// Removes them, as far as possible.
[[nodiscard]] rt::Async<Status> remove_unfinished(rt::Loop* loop, os::Files* local,
                                                  Unfinished::Files files);

}  // namespace muster::fs
