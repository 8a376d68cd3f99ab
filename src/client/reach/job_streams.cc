#include "client/reach/job_streams.h"

#include "client/submit/secret.h"
#include "cluster/job_reading.h"
#include "control/tls_transport.h"

#include <utility>
#include <variant>

namespace muster::client {

Status JobStreams::start(Options options, TaskStreams::Handlers handlers) {
  transport_ = control::make_tls_transport(loop_, log::Logger(quiet_));
  TaskStreams::Options own;
  own.job_id = folder_.id().value;
  MUSTER_TRY(own.secret, read_secret(*session_.files, folder_));
  own.who = session_.environment.who();
  own.patience = options.patience;
  own.reconnects = options.reconnects;
  own.by_master = options.by_master;
  streams_.emplace(TaskStreams::Deps{.loop = loop_,
                                     .transport = *transport_,
                                     .locate = [this] { return locate(); },
                                     .over = [this] { return over_; }},
                   std::move(own));
  streams_->start(std::move(handlers));
  return {};
}

Result<std::string> JobStreams::locate() {
  MUSTER_TRY(const cluster::JobReport report, cluster_.report(folder_));
  over_ = std::holds_alternative<cluster::Ended>(report) ||
          std::holds_alternative<cluster::Lost>(report);
  MUSTER_TRY(cluster::MasterPlace place, cluster::place_in(report, folder_));
  return std::move(place.address);
}

}  // namespace muster::client
