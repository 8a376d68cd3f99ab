#pragma once

#include "base/time.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/proxy.h"
#include "rt/loop.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace muster::testing {

/// Who calls a fake daemon, as the connection's handshake would have shown.
struct FakeCaller {
  std::string user;
  std::string token_identifier;  ///< "" without a token.
};

/// What a fake daemon answers: encoded bytes, or an exception.
struct Served {
  std::string reply;
  std::string exception_class;  ///< Empty for a success.
  std::string message;
  bool reply_lost = false;  ///< The call was performed, but the caller must not hear of it.
};

/// A Hadoop daemon without connections: one encoded request in, one encoded answer out. Faults are
/// requested by method; they strike in the order of the requests.
class FakeService {
 public:
  virtual ~FakeService() = default;

  /// Returns the daemon's answer to one call, faults included.
  [[nodiscard]] Served serve(std::string_view method, const std::string& request,
                             const FakeCaller& caller);

  /// The next call of `method` throws, and is not performed.
  void throw_next(const std::string& method, std::string exception_class, std::string message);
  /// The next call of `method` is performed, and its answer is lost.
  void lose_next_reply(const std::string& method);
  /// Sets whether the daemon answers at all.
  void set_reachable(bool reachable) { reachable_ = reachable; }
  [[nodiscard]] bool reachable() const { return reachable_; }
  /// Returns how often `method` has been called.
  [[nodiscard]] int calls(std::string_view method) const;

 protected:
  [[nodiscard]] virtual Served answer(std::string_view method, const std::string& request,
                                      const FakeCaller& caller) = 0;

 private:
  struct Fault {
    Served instead;
    bool only_lose = false;
  };

  std::map<std::string, std::deque<Fault>, std::less<>> faults_;
  std::map<std::string, int, std::less<>> calls_;
  bool reachable_ = true;
};

/// Returns a proxy that calls `service` on the loop, one millisecond there and one back, with the
/// retries of a real one: unreachable servers are tried until the deadline, and calls whose answer
/// was lost are sent again if they may be repeated. `service` must outlive it.
[[nodiscard]] std::unique_ptr<hadoop::rpc::Proxy> direct_proxy(
    rt::Loop& loop, FakeService& service, std::string user,
    hadoop::rpc::TokenFinder find_token = {});

/// Make a Served from a message, or from an exception.
template <class Message>
[[nodiscard]] Served reply(const Message& message) {
  return {.reply = message.SerializeAsString()};
}
[[nodiscard]] Served thrown(std::string exception_class, std::string message);

}  // namespace muster::testing
