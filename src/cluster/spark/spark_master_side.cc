#include "cluster/spark/spark_master_side.h"

#include "cluster/spark/spark_link.h"

#include <fcntl.h>

namespace muster::cluster::spark {

SparkMasterSide::SparkMasterSide(std::unique_ptr<MasterSide> host, Options options)
    : host_(std::move(host)), options_(std::move(options)) {
  ::fcntl(options_.driver.get(), F_SETFD, FD_CLOEXEC);
}

Result<MasterPost> SparkMasterSide::open(const Deps& deps) {
  MUSTER_TRY(MasterPost post, host_->open(deps));
  post.listen_host = options_.listen_host;
  post.output = MasterPost::Output::AgentsKept;
  return post;
}

Result<std::unique_ptr<Link>> SparkMasterSide::open_link(const Deps& deps) {
  return std::unique_ptr<Link>(std::make_unique<SparkLink>(
      deps.loop, deps.log, SparkLinkOptions{&deps.plan, std::move(options_.driver)}));
}

}  // namespace muster::cluster::spark
