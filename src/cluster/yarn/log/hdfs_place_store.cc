#include "cluster/yarn/log/hdfs_place_store.h"

namespace muster::cluster::yarn {

Status HdfsPlaceStore::publish(const MasterPlaceFile& place) {
  address_ = place.address;
  return {};
}

Status HdfsPlaceStore::write_summary(const std::string& text) {
  summary_ = text;
  return {};
}

rt::Async<Status> HdfsPlaceStore::write_kept() {
  if (summary_.empty()) {
    co_return Status();
  }
  hadoop::hdfs::WriteFileOptions options;
  options.overwrite = true;
  options.permission = 0600;
  auto written = co_await files_.write_whole(path_, summary_, options);
  co_return written;
}

}  // namespace muster::cluster::yarn
