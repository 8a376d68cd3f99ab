#pragma once

#include "app/fs_unfinished.h"
#include "app/options.h"
#include "app/session.h"
#include "hadoop/configuration.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"
#include "rt/system_random.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::app {

/// A place in HDFS that a word of the command line names.
struct FsPlace {
  hadoop::hdfs::FileSystem* fs = nullptr;
  std::string path;     ///< Absolute and normal; wildcards are still in it.
  bool folder = false;  ///< Was written with a slash at its end.
  std::string prefix;   ///< "hdfs://nn:8020" if that was written, else empty: put before paths.
};

/// What one `muster fs` command works with: configuration, loop, and a file system for each
/// authority that its words name.
class FsSession {
 public:
  /// Errors: no configuration, or a wrong one.
  static Result<std::unique_ptr<FsSession>> open(Session& session, const FsOptions& options);

  [[nodiscard]] Result<FsPlace> place(std::string_view word);

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const FsOptions& options() const { return options_; }
  [[nodiscard]] rt::IoLoop& loop() { return loop_; }
  [[nodiscard]] const hadoop::Configuration& configuration() const { return configuration_; }

  [[nodiscard]] FsUnfinished& unfinished() { return unfinished_; }

  /// Prints an error and remembers the exit status of the first.
  void fail(const Error& error);
  [[nodiscard]] int exit_status() const { return exit_status_; }

 private:
  FsSession(Session& session, const FsOptions& options, hadoop::Configuration configuration);
  Result<hadoop::hdfs::FileSystem*> file_system(const std::string& authority);
  void wait_for(std::string_view why);

  Session& session_;
  FsOptions options_;
  hadoop::Configuration configuration_;
  hadoop::Credentials credentials_;
  hadoop::rpc::Identity identity_;
  int exit_status_ = 0;
  log::NullSink log_;
  rt::SystemRandom random_;
  rt::IoLoop loop_;
  net::TcpDialer dialer_;
  std::unique_ptr<hadoop::rpc::KerberosExchanges> kerberos_;  ///< Null on an open cluster.
  std::optional<hadoop::rpc::Client> client_;
  std::map<std::string, std::unique_ptr<hadoop::hdfs::FileSystem>> systems_;  ///< By authority.
  FsUnfinished unfinished_;
};

}  // namespace muster::app
