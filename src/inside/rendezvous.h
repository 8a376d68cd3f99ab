#pragma once

#include "inside/job_server.h"
#include "inside/kv_store.h"
#include "inside/peers.h"
#include "net/http.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/wait.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::inside {

/// Answers a request of Horovod's ranks by `store`: `PUT /SCOPE/KEY` sets a value, `GET` returns
/// it, 404 until it is there, `DELETE` is accepted and forgets nothing that others may still want.
[[nodiscard]] net::HttpResponse answer_from(KvStore& store, net::HttpRequest& request);

/// A KvStore over HTTP for the hosts of the job's tasks. A GET of what is not there yet is answered
/// as soon as it is, after a quarter of a second at the latest: ranks that wait for a late one ask
/// every 10 ms, each by a new connection, which would keep a core busy for 256 of them.
///
/// Lives on its loop's thread.
class Rendezvous {
 public:
  /// `listening`: a socket that listens, non-blocking. `refused` is called once for each host that
  /// is turned away.
  Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers, JobServer::Refused refused);

 private:
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request);
  [[nodiscard]] std::optional<std::string_view> answer_at_once(net::HttpRequest& request);
  /// Returns when the value is there.
  [[nodiscard]] rt::Async<Status> until_put(std::string scope, std::string key);

  rt::IoLoop& loop_;
  KvStore store_;
  rt::Event put_;       ///< Pulsed by every PUT.
  size_t waiting_ = 0;  ///< GETs that wait for one.
  JobServer server_;    ///< Last: it uses the store.
};

}  // namespace muster::inside
