#pragma once

#include "inside/elastic_world.h"
#include "net/address.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"
#include "rt/running.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace muster::inside {

/// Tells rank 0 of newcomers by Horovod's own message, one notice at a time, and again until it has
/// taken it. Remembers of whom it has been told in this round.
///
/// Lives on its loop's thread.
class NewcomerNotices {
 public:
  using Index = ElasticWorld::Index;

  /// `look_again` is called, never inside another call, when a notice was accepted (more may have
  /// arrived meanwhile), or has failed and may be retried.
  NewcomerNotices(rt::IoLoop& loop, std::function<void()> look_again);
  ~NewcomerNotices();
  NewcomerNotices(const NewcomerNotices&) = delete;
  NewcomerNotices& operator=(const NewcomerNotices&) = delete;

  /// Returns whether these contain anyone not announced yet, and no notice is under way.
  [[nodiscard]] bool wants(const std::vector<Index>& newcomers) const;
  /// Sends a notice of these, signed with `key`, to rank 0's desk. Only while wants() says so.
  void send(net::HostPort desk, std::string key, std::vector<Index> newcomers);
  /// A new round has formed: nobody is a newcomer any more.
  void begin_round();

 private:
  [[nodiscard]] rt::Async<Status> notify(net::HostPort desk, std::string key);

  rt::IoLoop& loop_;
  std::function<void()> look_again_;
  net::TcpDialer dialer_;
  std::vector<Index> told_;
  uint64_t round_ = 0;
  int64_t last_time_ = 0;  ///< Of a notice, in ms: it must grow.
  rt::TimerId again_timer_{};
  rt::Running under_way_;
};

}  // namespace muster::inside
