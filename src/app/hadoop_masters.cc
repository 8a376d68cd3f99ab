#include "app/hadoop_masters.h"

#include "base/log.h"
#include "base/text.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/krb5/exchanges.h"
#include "hadoop/rpc/client.h"
#include "hadoop/yarn/application_client.h"
#include "hadoop/yarn/targets.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "rt/system_random.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

namespace muster::app {
namespace {

namespace rpc = hadoop::rpc;
namespace hdfs = hadoop::hdfs;
namespace yarn = hadoop::yarn;

/// Each server of a pair twice: the first answer of one may be that it stands by.
constexpr int kAttemptsMax = 4;

/// What a question needs to go out, for as long as it takes.
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

  /// Runs `work` for `patience` at most; `what` is waited for.
  template <class T>
  Result<T> wait_for(rt::Async<Result<T>> work, const std::string& what, Duration patience) {
    std::optional<Result<T>> result;
    auto bounded = rt::with_deadline(loop, loop.now() + patience, what, std::move(work));
    const auto running = rt::start(loop, std::move(bounded), [&](Result<T> value) {
      result.emplace(std::move(value));
      loop.stop();
    });
    loop.run();
    return *std::move(result);
  }

  rt::IoLoop loop;
  rt::SystemRandom random;
  net::TcpDialer dialer{loop};
  log::NullSink log;
  std::unique_ptr<rpc::KerberosExchanges> kerberos;
  rpc::Client client;
};

}  // namespace

Result<std::string> HadoopMasters::ask_file_system(const hadoop::Configuration& configuration,
                                                   const HadoopLogin& login) const {
  Line line(kerberos_helper_, environment_, patience_);
  MUSTER_TRY(const auto system,
             hdfs::FileSystem::open(
                 {.loop = line.loop,
                  .random = line.random,
                  .dialer = line.dialer,
                  .log = line.log,
                  .client = line.client},
                 configuration,
                 {.authority = {}, .identity = login.identity, .credentials = login.credentials}));
  MUSTER_TRY([[maybe_unused]] const hdfs::FileStatus root,
             line.wait_for(system->stat("/"), system->name() + " to answer", patience_));
  return fmt::format("{} answers to {}", system->name(), printable(login.identity.user));
}

Result<std::string> HadoopMasters::ask_resource_manager(const hadoop::Configuration& configuration,
                                                        const HadoopLogin& login) const {
  Line line(kerberos_helper_, environment_, patience_);
  MUSTER_TRY(yarn::Calling calling,
             yarn::client_calling(configuration, login.identity,
                                  std::make_shared<hadoop::Credentials>(login.credentials)));
  const std::string name = net::to_string(calling.target.servers.front().address);
  const auto proxy = line.client.proxy(std::move(calling.target));
  yarn::ApplicationClient applications(line.loop, *proxy);
  MUSTER_TRY(const yarn::ClusterMetrics metrics,
             line.wait_for(applications.metrics(line.loop.now() + patience_),
                           "the resource manager " + name + " to answer", patience_));
  return fmt::format("the resource manager {} answers to {}: {} of {} nodes are active", name,
                     printable(login.identity.user), metrics.active, metrics.nodes);
}

}  // namespace muster::app
