#pragma once

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "net/tcp_dialer.h"
#include "os/file/files.h"
#include "rt/io_loop.h"
#include "rt/system_random.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::fs {

/// A place in HDFS that an argument names.
struct Place {
  hadoop::hdfs::FileSystem* fs = nullptr;
  std::string path;     ///< Absolute and normal; wildcards are still in it.
  bool folder = false;  ///< Was written with a slash at its end.
  std::string prefix;   ///< "hdfs://nn:8020" if that was written, else empty: put before paths.
};

/// The file systems that this machine's Hadoop configuration leads to, one for each authority
/// named, and the loop on which they work. Single-threaded.
class FileSystems {
 public:
  struct Deps {
    os::Files& files;
    const std::map<std::string, std::string, std::less<>>& environment;
    WallTime now;
    std::string conf;  ///< The folder of core-site.xml; empty: Hadoop's default lookup.
    /// Called with the reason why a call waits for the NameNode, and with "" when it no longer
    /// does; may be empty.
    std::function<void(std::string_view why)> on_wait;
  };

  /// Connects to nothing yet. Errors: no configuration, a wrong one, or no user to log in as.
  [[nodiscard]] static Result<std::unique_ptr<FileSystems>> open(Deps deps);

  /// Parses "hdfs://nn:8020/a", "/a" or "a" (below the user's home). Errors: none of these, or an
  /// authority without an address in the configuration.
  [[nodiscard]] Result<Place> place(std::string_view argument);

  [[nodiscard]] rt::IoLoop& loop() { return loop_; }
  [[nodiscard]] const hadoop::Configuration& configuration() const { return configuration_; }

 private:
  FileSystems(Deps deps, hadoop::Configuration configuration);
  Result<hadoop::hdfs::FileSystem*> of_authority(const std::string& authority);

  std::function<void(std::string_view why)> on_wait_;
  hadoop::Configuration configuration_;
  hadoop::Credentials credentials_;
  hadoop::rpc::Identity identity_;
  log::NullSink log_;
  rt::SystemRandom random_;
  rt::IoLoop loop_;
  net::TcpDialer dialer_;
  std::unique_ptr<hadoop::rpc::KerberosExchanges> kerberos_;  ///< Null on an open cluster.
  std::optional<hadoop::rpc::Client> client_;
  std::map<std::string, std::unique_ptr<hadoop::hdfs::FileSystem>> systems_;  ///< By authority.
};

}  // namespace muster::fs
