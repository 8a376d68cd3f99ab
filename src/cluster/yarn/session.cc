#include "cluster/yarn/session.h"

#include "hadoop/hdfs_settings.h"
#include "hadoop/krb5/exchanges.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/yarn/targets.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rpc = hadoop::rpc;
namespace hdfs = hadoop::hdfs;

// A person is waiting for an answer; a master outlasts a restart of the NameNode.
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

std::unique_ptr<rpc::KerberosExchanges> exchanges_of(rt::IoLoop& loop, const Site& site) {
  if (!site.tickets.has_value()) {
    return nullptr;
  }
  return hadoop::krb5::make_exchanges(
      loop, {.program = hadoop::krb5::shipped_helper(), .environment = *site.tickets});
}

}  // namespace

Session::~Session() = default;

Session::Session(rt::IoLoop& loop, log::Sink& log, Site site, rpc::ClientOptions options)
    : loop_(loop),
      log_(log),
      site_(std::move(site)),
      dialer_(loop),
      resolver_(loop),
      kerberos_(exchanges_of(loop, site_)),
      client_({.loop = loop,
               .random = random_,
               .dialer = dialer_,
               .log = log,
               .kerberos = kerberos_.get()},
              std::move(options)) {}

Result<std::unique_ptr<Session>> Session::open(rt::IoLoop& loop, log::Sink& log, Site site,
                                               const Options& options) {
  MUSTER_TRY(rpc::ClientOptions client, client_options(site.configuration, options));
  std::unique_ptr<Session> made(new Session(loop, log, std::move(site), std::move(client)));
  made->on_wait_ = options.on_wait;
  MUSTER_TRY(made->files_, made->open_files({}));
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

Result<std::unique_ptr<hdfs::FileSystem>> Session::open_files(std::string authority) {
  const hdfs::FileSystem::Deps deps{.loop = loop_,
                                    .random = random_,
                                    .dialer = dialer_,
                                    .log = log_,
                                    .client = client_,
                                    .on_wait = on_wait_};
  return hdfs::FileSystem::open(deps, site_.configuration,
                                {.authority = std::move(authority),
                                 .identity = site_.identity,
                                 .credentials = site_.credentials});
}

}  // namespace muster::cluster::yarn
