#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/rest_reads.h"
#include "net/address.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// Reads the resource manager's REST pages, for what its RPC does not report: why a request waits.
/// Asks several resource managers in turn until one answers; follows a standby's redirection.
/// Errors: Unavailable, NotFound, PermissionDenied (also if only a browser's ticket is accepted),
/// else in the page's own words.
class RestClient {
 public:
  struct Options {
    std::vector<net::HostPort> servers;  ///< Their web addresses, at least one.
    std::string user;                    ///< Who asks, on clusters without security.
  };

  RestClient(rt::Loop& loop, net::Dialer& dialer, Options options)
      : loop_(&loop), dialer_(&dialer), options_(std::move(options)) {}

  [[nodiscard]] rt::Async<Result<std::vector<QueueLoad>>> queues(HostTime deadline);
  /// The first call for an application makes the scheduler start recording, and returns nothing.
  [[nodiscard]] rt::Async<Result<std::vector<Activity>>> activities(ApplicationId id,
                                                                    HostTime deadline);
  /// Returns the resource manager's own value of a setting, or "" if it does not know the setting.
  [[nodiscard]] rt::Async<Result<std::string>> setting(std::string name, HostTime deadline);

 private:
  /// Returns the JSON of a page below /ws/v1/cluster/.
  [[nodiscard]] rt::Async<Result<std::string>> page(std::string path, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::string>> page_at(std::string target, HostTime deadline);
  [[nodiscard]] rt::Async<Result<std::string>> page_of(net::HostPort server, std::string target,
                                                       HostTime deadline);

  rt::Loop* loop_;
  net::Dialer* dialer_;
  Options options_;
};

}  // namespace muster::hadoop::yarn
