#include "cluster/yarn/hdfs_summary.h"

#include <utility>

namespace muster::cluster::yarn {

rt::Async<Status> HdfsSummary::write() {
  if (text_.empty()) {
    co_return Status();
  }
  hadoop::hdfs::WriteFileOptions options;
  options.overwrite = true;
  options.permission = 0600;
  auto written = co_await files_.write_whole(path_, text_, options);
  co_return written;
}

}  // namespace muster::cluster::yarn
