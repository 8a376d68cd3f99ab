#pragma once

#include "inside/job_server.h"
#include "inside/kv_store.h"
#include "inside/peers.h"
#include "net/http.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

namespace muster::inside {

/// Answers a request of Horovod's ranks by `store`: `PUT /SCOPE/KEY` sets a value, `GET` returns
/// it, 404 until it is there, `DELETE` is accepted and forgets nothing that others may still want.
[[nodiscard]] net::HttpResponse answer_from(KvStore& store, net::HttpRequest& request);

/// A KvStore over HTTP for the hosts of the job's tasks. Lives on its loop's thread.
class Rendezvous {
 public:
  /// `listening`: a socket that listens, non-blocking. `refused` is called once for each host that
  /// is turned away.
  Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers, JobServer::Refused refused);

 private:
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request);

  KvStore store_;
  JobServer server_;  ///< Last: it uses the store.
};

}  // namespace muster::inside
