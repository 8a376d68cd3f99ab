#pragma once

#include "control/transport.h"
#include "net/http.h"
#include "net/tls.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::control {

/// Takes over a connection that begins with something else than TLS: for the job's page, as far as
/// anybody knows. Without one every request gets 401.
using PageHandler = std::function<void(rt::Fd socket)>;

/// Why a connection never became a channel.
enum class Refusal : uint8_t {
  Silent,           ///< Said nothing in time, or closed before it said anything.
  Slow,             ///< Began, but did not finish in time.
  Broken,           ///< Closed in the middle of the handshake.
  UnknownIdentity,  ///< A name that has no key here.
  WrongKey,         ///< A name that is known, without its key.
  Garbage,          ///< Neither our protocol nor a request for the page.
  Answered,         ///< A request where there is no page, answered: nothing to complain of.
};
[[nodiscard]] std::string_view to_string(Refusal refusal);

/// One accepted connection until it has proved who it is. The first byte decides: a TLS handshake,
/// or a request for the page, which is handed over, or refused here where there is none.
class Stranger {
 public:
  struct Handlers {
    /// The handshake is done; destroys the stranger.
    std::function<void(net::TlsStream stream, Peer peer)> proved;
    /// It asks for the page, which there is; destroys the stranger.
    std::function<void(rt::Fd socket)> asked;
    /// It will never be; destroys the stranger.
    std::function<void(Refusal refusal)> refused;
  };
  struct Deps {
    rt::IoLoop& loop;
    net::TlsContext& tls;
    const KeyLookup& keys;
    bool has_page;
    Duration patience;  ///< Until it must have proved who it is.
  };

  Stranger(Deps deps, rt::Fd socket, Handlers handlers);
  ~Stranger();
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  [[nodiscard]] bool silent() const { return speech_ == Speech::None; }
  [[nodiscard]] HostTime since() const { return since_; }

 private:
  enum class Speech : uint8_t { None, Tls, Http };

  void on_ready();
  void listen_to_first_byte();
  void shake_hands();
  void read_request();
  void write_answer();
  void watch(rt::Interest interest);
  void set_deadline(Duration delay);
  void refuse(Refusal refusal);
  [[nodiscard]] std::optional<net::Psk> find_key(std::string_view identity);

  Deps deps_;
  Handlers handlers_;
  HostTime since_;
  Speech speech_ = Speech::None;
  rt::TimerId deadline_;
  net::TlsContext::Lookup lookup_;
  Peer claimed_;
  rt::Fd socket_;
  std::optional<net::TlsStream> stream_;
  std::string request_;
  std::string answer_;  ///< What is still to be written of it.
  rt::Interest interest_ = rt::Interest::Read;
  std::unique_ptr<rt::FdWatch> watch_;  // Last: it ends before its descriptor closes.
};

}  // namespace muster::control
