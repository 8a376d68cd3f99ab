#pragma once

#include "inside/kv_store.h"
#include "net/http.h"
#include "rt/io_loop.h"
#include "rt/wait.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::inside {

/// Answers what Horovod's ranks ask a key-value store: `PUT /SCOPE/KEY` sets a value, `GET` returns
/// it, `DELETE` says that whoever has set it has finished in that scope (KvStore::finish).
///
/// A GET of what is not there yet is answered as soon as it is, by 404 after a quarter of a second:
/// ranks that wait for a late one ask every 10 ms, each by a new connection, which would keep a
/// core busy for 256 of them.
///
/// Lives on its loop's thread.
class KvAnswers {
 public:
  explicit KvAnswers(rt::IoLoop& loop) : loop_(loop), put_(loop) {}
  KvAnswers(const KvAnswers&) = delete;
  KvAnswers& operator=(const KvAnswers&) = delete;

  /// The body of a 200 for what can be answered without waiting, valid until the next call.
  [[nodiscard]] std::optional<std::string_view> answer_at_once(net::HttpRequest& request);
  [[nodiscard]] rt::Async<net::HttpResponse> answer(net::HttpRequest request);
  /// Forgets all values. Waiting requests keep waiting.
  void clear() { store_ = KvStore(); }

 private:
  /// Returns once the value exists.
  [[nodiscard]] rt::Async<Status> until_put(std::string scope, std::string key);

  rt::IoLoop& loop_;
  KvStore store_;
  rt::Event put_;       ///< Pulsed by every PUT.
  size_t waiting_ = 0;  ///< GETs that wait for one.
};

}  // namespace muster::inside
