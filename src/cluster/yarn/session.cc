#include "cluster/yarn/session.h"

#include "hadoop/hdfs_settings.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/yarn/targets.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rpc = hadoop::rpc;
namespace hdfs = hadoop::hdfs;

// A person waits for an answer; a master outlasts a restart of the NameNode.
constexpr int kPersonTriesMax = 5;
constexpr int kMasterTriesMax = 1000;
constexpr Duration kPauseMax = std::chrono::seconds(5);
constexpr Duration kPersonWaitMax = std::chrono::minutes(1);

Result<rpc::ClientOptions> client_options(const hadoop::Configuration& configuration,
                                          const Session::Options& options) {
  MUSTER_TRY(const hadoop::RpcSettings settings, hadoop::rpc_settings(configuration));
  MUSTER_TRY(const hadoop::HdfsSettings hdfs, hadoop::hdfs_settings(configuration));
  rpc::ClientOptions made;
  made.connection = rpc::connection_options(settings);
  made.retry.attempts_max = options.patient ? kMasterTriesMax : kPersonTriesMax;
  made.retry.pause_first = hdfs.failover_delay;
  made.retry.pause_max = std::min<Duration>(hdfs.failover_delay_max, kPauseMax);
  made.caller_context = options.caller;
  return made;
}

}  // namespace

Session::Session(rt::IoLoop& loop, log::Sink& log, Site site, rpc::ClientOptions options)
    : loop_(loop),
      site_(std::move(site)),
      dialer_(loop),
      client_({.loop = loop, .random = random_, .dialer = dialer_, .log = log},
              std::move(options)) {}

Result<std::unique_ptr<Session>> Session::open(rt::IoLoop& loop, log::Sink& log, Site site,
                                               Options options) {
  MUSTER_TRY(rpc::ClientOptions client, client_options(site.configuration, options));
  std::unique_ptr<Session> made(new Session(loop, log, std::move(site), std::move(client)));
  const hdfs::FileSystem::Deps deps{.loop = loop,
                                    .random = made->random_,
                                    .dialer = made->dialer_,
                                    .log = log,
                                    .client = made->client_};
  MUSTER_TRY(made->files_, hdfs::FileSystem::open(deps, made->site_.configuration,
                                                  {.authority = {},
                                                   .identity = made->site_.identity,
                                                   .credentials = made->site_.credentials}));
  auto credentials = std::make_shared<const hadoop::Credentials>(made->site_.credentials);
  MUSTER_TRY(auto calling,
             hadoop::yarn::client_calling(made->site_.configuration, made->site_.identity,
                                          std::move(credentials)));
  if (!options.patient) {
    calling.retry.total_max = std::min(calling.retry.total_max, kPersonWaitMax);
  }
  made->manager_ = made->client_.proxy(calling.target, calling.connection, calling.retry);
  made->applications_ = std::make_unique<hadoop::yarn::ApplicationClient>(loop, *made->manager_);
  return made;
}

}  // namespace muster::cluster::yarn
