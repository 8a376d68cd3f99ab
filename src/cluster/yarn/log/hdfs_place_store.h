#pragma once

#include "base/result.h"
#include "cluster/place_store.h"
#include "hadoop/hdfs/file_system.h"
#include "rt/async.h"

#include <string>
#include <utility>

namespace muster::cluster::yarn {

/// Clients find this master by what it registers with, so nothing is written for that; the summary
/// is kept in HDFS, in a file that appears as a whole.
class HdfsPlaceStore final : public PlaceStore {
 public:
  /// `path`: the summary's. `files` must outlive this.
  HdfsPlaceStore(hadoop::hdfs::FileSystem& files, std::string path)
      : files_(files), path_(std::move(path)) {}

  /// "host:port"; "" before the master has published it.
  [[nodiscard]] const std::string& address() const { return address_; }
  Status publish(const MasterPlaceFile& place) override;
  /// Remembers the text for write_kept().
  Status write_summary(const std::string& text) override;
  /// Reserving space is not possible in HDFS.
  Status keep_room() override { return {}; }
  void free_room() override {}

  /// Writes the remembered summary; does nothing if there is none.
  [[nodiscard]] rt::Async<Status> write_kept();

 private:
  hadoop::hdfs::FileSystem& files_;
  std::string path_;
  std::string address_;
  std::string summary_;
};

}  // namespace muster::cluster::yarn
