#pragma once

#include "inside/kv_store.h"
#include "inside/peers.h"
#include "net/http_server.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace muster::inside {

/// A KvStore over HTTP, as Horovod's ranks ask it: `PUT /SCOPE/KEY` sets a value, `GET` returns it,
/// 404 until it is there, `DELETE` is accepted and forgets nothing that others may still want.
/// Answers the hosts of the job's tasks only. Lives on its loop's thread.
class Rendezvous {
 public:
  /// `listening`: a socket that listens, non-blocking. `refused` is called once for each host that
  /// is turned away.
  Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers,
             std::function<void(const std::string& host)> refused);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

 private:
  void listen();
  void accept_some();
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request, std::string peer);
  [[nodiscard]] net::HttpResponse answer_now(net::HttpRequest& request, const std::string& peer);

  rt::IoLoop& loop_;
  rt::Fd listening_;
  Peers peers_;
  std::function<void(const std::string&)> refused_;
  std::set<std::string> turned_away_;
  KvStore store_;
  rt::TimerId pause_{};
  net::HttpServer server_;
  std::unique_ptr<rt::FdWatch> watch_;  ///< Last: it uses all of the above.
};

}  // namespace muster::inside
