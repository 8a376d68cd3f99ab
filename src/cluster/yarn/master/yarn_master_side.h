#pragma once

#include "cluster/find_variable.h"
#include "cluster/master_side.h"
#include "cluster/yarn/client/web_proxy.h"
#include "cluster/yarn/log/hdfs_host_memory.h"
#include "cluster/yarn/log/hdfs_place_store.h"
#include "cluster/yarn/log/hdfs_sample_store.h"
#include "cluster/yarn/log/hdfs_segment_store.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/staging/staging.h"
#include "hadoop/credentials.h"
#include "rt/async.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {

/// A master as the application master of YARN: its order is beside the process and in the
/// container's credentials, the job is in HDFS, and clients find it by what it registers with.
/// Signals end only this attempt: the cluster also ends masters by SIGTERM, and starts the next.
class YarnMasterSide final : public MasterSide {
 public:
  /// `find`: the container's environment.
  explicit YarnMasterSide(FindVariable find) : find_(std::move(find)) {}

  Result<std::filesystem::path> log_file() override;
  Result<MasterOrder> read_order(os::Files& files) override;
  Result<MasterPost> open(const Deps& deps) override;
  Result<std::unique_ptr<Link>> open_link(const Deps& deps) override;
  void report(const Result<std::string>&) override {}
  bool signalled(int signal) override;
  void ended(bool fenced) override;

 private:
  /// How far the end has progressed: the process exits once both have happened.
  struct End {
    bool master_done = false;
    bool link_left = false;
  };

  Status open_stores();
  [[nodiscard]] Result<std::string> own_address() const;
  [[nodiscard]] hadoop::yarn::NodeId own_node() const;
  [[nodiscard]] std::string application_id() const;
  rt::Async<> write_the_end();
  void quit_if_over();

  FindVariable find_;
  JobPackage package_;
  hadoop::Credentials credentials_;
  std::optional<Deps> deps_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<HdfsSegmentStore> segments_;
  std::optional<HdfsPlaceStore> place_;
  std::optional<HdfsSampleStore> samples_;
  std::optional<HdfsHostMemory> hosts_;
  End end_;
};

}  // namespace muster::cluster::yarn
