#pragma once

#include "inside/door.h"
#include "inside/peers.h"
#include "net/address.h"
#include "net/http.h"
#include "net/http_server.h"
#include "rt/accept_watch.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/scope.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::inside {

/// HTTP for the hosts of the job's tasks only; whoever else asks gets 403, and takes no room from
/// them.
///
/// Ranks by the hundred ask each for what every other one has said, by a connection for each
/// request. So a request that is there when its connection is accepted, and that `AtOnce` answers,
/// costs four system calls and no coroutine; all others go the way of net::HttpServer.
///
/// Lives on its loop's thread.
class JobServer {
 public:
  using Handler = net::HttpServer::Handler;
  /// Returns the body of a 200, which must stay valid until the next call, or nothing: the handler
  /// gets the request then, as it came. The connection closes after such an answer.
  using AtOnce = std::function<std::optional<std::string_view>(net::HttpRequest& request)>;
  using Refused = Door::Refused;

  struct Answers {
    Handler handler;
    Duration patience = std::chrono::seconds(60);  ///< How long the handler may take.
    AtOnce at_once = nullptr;
  };

  /// `listening`: a socket that listens, non-blocking.
  JobServer(rt::IoLoop& loop, rt::Fd listening, Peers peers, Refused refused, Answers answers);
  JobServer(const JobServer&) = delete;
  JobServer& operator=(const JobServer&) = delete;

 private:
  struct Accepted {
    rt::Fd socket;
    net::SocketAddress peer;
  };

  void accept_some();
  /// Returns false if there are no more now.
  [[nodiscard]] bool accept_one();
  void take(Accepted one);
  /// Returns whether the request of `one` has been answered, or is about to be. If not, `early` has
  /// what was read of it.
  [[nodiscard]] bool answer_at_once(Accepted& one, std::string& early);
  void send(Accepted one, std::string_view body);

  rt::IoLoop& loop_;
  rt::Fd listening_;
  Door door_;
  AtOnce at_once_;
  std::vector<Accepted> accepted_;  ///< In this turn.
  std::vector<char> buffer_;        ///< For a request that is read in one piece.
  net::HttpServer server_;          ///< For the job's hosts.
  net::HttpServer strangers_;       ///< For all others, with little room.
  rt::Scope sending_;               ///< What did not go out in one piece.
  rt::AcceptWatch watch_;           ///< Last: it uses all of the above.
};

}  // namespace muster::inside
