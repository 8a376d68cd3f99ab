#include "cluster/yarn/client/hadoop_masters.h"

#include "base/log.h"
#include "base/text.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/hdfs/names/path.h"
#include "hadoop/krb5/exchanges.h"
#include "hadoop/rpc/client.h"
#include "hadoop/yarn/application_client.h"
#include "hadoop/yarn/targets.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"
#include "rt/run_to_end.h"
#include "rt/system_random.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rpc = hadoop::rpc;
namespace hdfs = hadoop::hdfs;
namespace rm = hadoop::yarn;

/// Each server of a pair twice: the first answer of one may be that it is on standby.
constexpr int kAttemptsMax = 4;

/// What it takes to send a request, for as long as it lasts.
struct Line {
  Line(const std::filesystem::path& helper, const std::map<std::string, std::string>& environment,
       Duration patience)
      : kerberos(
            hadoop::krb5::make_exchanges(loop, {.program = helper, .environment = environment})),
        client({.loop = loop,
                .random = random,
                .dialer = dialer,
                .log = log,
                .kerberos = kerberos.get()},
               {.connection = {.connect_timeout = patience,
                               .handshake_timeout = patience,
                               .call_timeout = patience},
                .retry = {.attempts_max = kAttemptsMax, .total_max = patience},
                .caller_context = "muster_doctor"}) {}

  /// Runs `work` for `patience` at most; `what` names what is waited for.
  template <class T>
  Result<T> wait_for(rt::Async<Result<T>> work, const std::string& what, Duration patience) {
    return rt::run_to_end(loop,
                          rt::with_deadline(loop, loop.now() + patience, what, std::move(work)));
  }

  Result<std::unique_ptr<hdfs::FileSystem>> open_files(const hadoop::Configuration& configuration,
                                                       const HadoopLogin& login) {
    return hdfs::FileSystem::open(
        {.loop = loop, .random = random, .dialer = dialer, .log = log, .client = client},
        configuration,
        {.authority = {}, .identity = login.identity, .credentials = login.credentials});
  }

  rt::IoLoop loop;
  rt::SystemRandom random;
  net::TcpDialer dialer{loop};
  log::NullSink log;
  std::unique_ptr<rpc::KerberosExchanges> kerberos;
  rpc::Client client;
};

Result<rm::Calling> call_manager(const hadoop::Configuration& configuration,
                                 const HadoopLogin& login) {
  return rm::client_calling(configuration, login.identity,
                            std::make_shared<hadoop::Credentials>(login.credentials));
}

rt::Async<Result<std::string>> write_and_remove(hdfs::FileSystem* system, std::string path) {
  constexpr uint32_t kMode = 0600;
  hdfs::WriteFileOptions options;
  options.overwrite = true;
  options.permission = kMode;
  auto written = co_await system->write_whole(path, "muster doctor\n", options);
  MUSTER_CO_TRY_STATUS(std::move(written));
  auto asked = co_await system->stat(path);
  MUSTER_CO_TRY(const hdfs::FileStatus status, std::move(asked));
  auto removed = co_await system->remove(path, false);
  MUSTER_CO_TRY([[maybe_unused]] const bool gone, std::move(removed));
  if (status.encrypted) {
    co_return Error{Errc::Unsupported, Blame::User,
                    path +
                        " is in an encryption zone, which this version cannot write to; name "
                        "another folder (yarn.staging)"};
  }
  co_return "files can be written to " + std::string(hdfs::parent_of(path));
}

}  // namespace

Result<std::string> HadoopMasters::ask_queues(const hadoop::Configuration& configuration,
                                              const HadoopLogin& login) const {
  Line line(kerberos_helper_, environment_, patience_);
  MUSTER_TRY(rm::Calling calling, call_manager(configuration, login));
  const auto proxy = line.client.proxy(std::move(calling.target));
  rm::ApplicationClient applications(line.loop, *proxy);
  MUSTER_TRY(const std::vector<rm::QueueRights> rights,
             line.wait_for(applications.queue_rights(line.loop.now() + patience_),
                           "the resource manager to list its queues", patience_));
  constexpr size_t kShown = 8;
  std::string names;
  size_t open = 0;
  for (const rm::QueueRights& one : rights) {
    if (!one.submit || one.queue == "root") {
      continue;
    }
    open += 1;
    if (open <= kShown) {
      names += (names.empty() ? "" : ", ") + one.queue;
    }
  }
  if (open == 0) {
    return Error{
        Errc::PermissionDenied, Blame::User,
        fmt::format(
            "{} may not submit to any of the {} queues; ask the cluster's administrators for one",
            printable(login.identity.user), rights.size())};
  }
  return fmt::format("{} may submit to {}{}", printable(login.identity.user), names,
                     open > kShown ? ", ..." : "");
}

Result<std::string> HadoopMasters::try_to_write(const hadoop::Configuration& configuration,
                                                const HadoopLogin& login) const {
  Line line(kerberos_helper_, environment_, patience_);
  MUSTER_TRY(const auto system, line.open_files(configuration, login));
  return line.wait_for(write_and_remove(system.get(), system->home() + "/.muster-doctor"),
                       system->name() + " to take a file", patience_);
}

Result<std::string> HadoopMasters::ask_file_system(const hadoop::Configuration& configuration,
                                                   const HadoopLogin& login) const {
  Line line(kerberos_helper_, environment_, patience_);
  MUSTER_TRY(const auto system, line.open_files(configuration, login));
  MUSTER_TRY([[maybe_unused]] const hdfs::FileStatus root,
             line.wait_for(system->stat("/"), system->name() + " to answer", patience_));
  return fmt::format("{} responds to {}", system->name(), printable(login.identity.user));
}

Result<std::string> HadoopMasters::ask_resource_manager(const hadoop::Configuration& configuration,
                                                        const HadoopLogin& login) const {
  Line line(kerberos_helper_, environment_, patience_);
  MUSTER_TRY(rm::Calling calling, call_manager(configuration, login));
  const std::string name = net::to_string(calling.target.servers.front().address);
  const auto proxy = line.client.proxy(std::move(calling.target));
  rm::ApplicationClient applications(line.loop, *proxy);
  MUSTER_TRY(const rm::ClusterMetrics metrics,
             line.wait_for(applications.metrics(line.loop.now() + patience_),
                           "the resource manager " + name + " to answer", patience_));
  return fmt::format("the resource manager {} responds to {}: {} of {} nodes are active", name,
                     printable(login.identity.user), metrics.active, metrics.nodes);
}

}  // namespace muster::cluster::yarn
