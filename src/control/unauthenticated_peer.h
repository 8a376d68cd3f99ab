#pragma once

#include "control/transport.h"
#include "net/tls.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/running.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster::control {

/// Why a connection never became a channel.
enum class Refusal : uint8_t {
  Silent,           ///< Said nothing in time, or closed before it said anything.
  Crowded,          ///< Had to make room for another.
  Slow,             ///< Began, but did not finish in time.
  Broken,           ///< Closed in the middle of the handshake.
  UnknownIdentity,  ///< A name that has no key here.
  WrongKey,         ///< A name that is known, without its key.
  Garbage,          ///< Neither our protocol nor a request for the page.
  Answered,         ///< A request without a page, answered: not a problem.
};
[[nodiscard]] std::string_view to_string(Refusal refusal);

/// One accepted connection until it has proved who it is. The first byte decides: a TLS handshake,
/// or a request for the page, which is handed over, or answered with 401 if there is none. A
/// handshake meant for another party that this port represents is handed over, too. Takes memory
/// for a handshake only once its first message has arrived whole, which only a holder of a key can
/// write.
class UnauthenticatedPeer {
 public:
  struct Deps {
    rt::IoLoop& loop;
    net::TlsContext& tls;
    const KeyLookup& keys;
    const PassOn& pass_on;
    bool has_page;
    Duration patience;  ///< Until it must have proved who it is.
  };
  struct Proved {
    net::TlsStream stream;
    Peer peer;
  };
  /// It speaks HTTP; nothing has been read where there is a page.
  struct PageRequest {
    rt::Fd socket;
  };
  /// To be passed on to this address; nothing has been read.
  struct PassedOn {
    rt::Fd socket;
    std::string address;
  };
  using Verdict = std::variant<Proved, PageRequest, PassedOn, Refusal>;

  /// `judged` is called once, from the loop, and may destroy the peer.
  UnauthenticatedPeer(const Deps& deps, rt::Fd socket, std::function<void(Verdict)> judged);
  UnauthenticatedPeer(const UnauthenticatedPeer&) = delete;
  UnauthenticatedPeer& operator=(const UnauthenticatedPeer&) = delete;

  /// Returns whether its first message is still incomplete, so that it has cost its sender nothing.
  [[nodiscard]] bool idle() const { return idle_; }
  [[nodiscard]] HostTime since() const { return since_; }

 private:
  [[nodiscard]] rt::Async<Verdict> judge(rt::Fd socket);
  [[nodiscard]] rt::Async<Result<Verdict>> listen(rt::Fd socket);
  [[nodiscard]] rt::Async<Verdict> authenticate(rt::Fd socket);
  /// Returns where it is passed on to, by the name in its first message.
  [[nodiscard]] std::optional<std::string> destination(int fd) const;

  Deps deps_;
  HostTime since_;
  bool silent_ = true;
  bool idle_ = true;
  rt::Running running_;  ///< Last: it uses the rest.
};

}  // namespace muster::control
