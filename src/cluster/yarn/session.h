#pragma once

#include "base/log.h"
#include "base/result.h"
#include "cluster/yarn/site.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "hadoop/yarn/application_client.h"
#include "net/resolver.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"
#include "rt/system_random.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// One process's connections to one Hadoop cluster, on one loop: file system, resource manager, and
/// what further proxies are made of. Nothing is connected before it is used. Must outlive what it
/// hands out.
class Session {
 public:
  struct Options {
    std::string caller;    ///< For the servers' audit logs: "muster_digits-7f3k2q".
    bool patient = false;  ///< A master waits for servers that are away; a person does not.
    /// hadoop::hdfs::FileSystem::Deps::on_wait; may be empty.
    std::function<void(std::string_view why)> on_wait = {};
  };

  /// Fails if the configuration is wrong.
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(rt::IoLoop& loop, log::Sink& log,
                                                             Site site, const Options& options);
  /// In the source file, so that users need not know what a session consists of.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Site& site() const { return site_; }
  [[nodiscard]] rt::IoLoop& loop() { return loop_; }
  [[nodiscard]] rt::Random& random() { return random_; }
  [[nodiscard]] net::Dialer& dialer() { return dialer_; }
  [[nodiscard]] net::Resolver& resolver() { return resolver_; }
  [[nodiscard]] hadoop::rpc::Client& client() { return client_; }
  [[nodiscard]] hadoop::hdfs::FileSystem& files() { return *files_; }
  /// Opens another file system, as the same user; `authority`: hdfs::Location's, "" for the default
  /// one. Nothing is connected yet. Fails if the configuration is wrong.
  [[nodiscard]] Result<std::unique_ptr<hadoop::hdfs::FileSystem>> open_files(std::string authority);
  [[nodiscard]] hadoop::yarn::ApplicationClient& applications() { return *applications_; }

 private:
  Session(rt::IoLoop& loop, log::Sink& log, Site site, hadoop::rpc::ClientOptions options);

  rt::IoLoop& loop_;
  log::Sink& log_;
  std::function<void(std::string_view why)> on_wait_;
  Site site_;
  rt::SystemRandom random_;
  net::TcpDialer dialer_;
  net::Resolver resolver_;
  std::unique_ptr<hadoop::rpc::KerberosExchanges> kerberos_;  ///< nullptr: without tickets.
  hadoop::rpc::Client client_;
  std::unique_ptr<hadoop::hdfs::FileSystem> files_;
  std::unique_ptr<hadoop::rpc::Proxy> manager_;
  std::unique_ptr<hadoop::yarn::ApplicationClient> applications_;
};

}  // namespace muster::cluster::yarn
