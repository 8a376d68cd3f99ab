#pragma once

#include "inside/peers.h"
#include "net/http_server.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace muster::inside {

/// HTTP for the hosts of the job's tasks only; whoever else asks gets 403, and takes no room from
/// them. Lives on its loop's thread.
class JobServer {
 public:
  using Handler = net::HttpServer::Handler;
  /// Called once for each host that is turned away.
  using Refused = std::function<void(const std::string& host)>;

  /// `listening`: a socket that listens, non-blocking. `answer_patience`: how long a handler may
  /// take.
  JobServer(rt::IoLoop& loop, rt::Fd listening, Peers peers, Refused refused, Handler handler,
            Duration answer_patience = std::chrono::seconds(60));
  ~JobServer();
  JobServer(const JobServer&) = delete;
  JobServer& operator=(const JobServer&) = delete;

 private:
  void listen();
  void accept_some();
  [[nodiscard]] bool admits(const std::string& peer);

  rt::IoLoop& loop_;
  rt::Fd listening_;
  Peers peers_;
  Refused refused_;
  std::set<std::string> turned_away_;
  rt::TimerId pause_{};
  net::HttpServer server_;              ///< For the job's hosts.
  net::HttpServer strangers_;           ///< For all others, with little room.
  std::unique_ptr<rt::FdWatch> watch_;  ///< Last: it uses all of the above.
};

}  // namespace muster::inside
