#pragma once

#include "base/log.h"
#include "control/stranger.h"
#include "control/transport.h"
#include "net/socket.h"
#include "net/tls.h"
#include "rt/io_loop.h"

#include <chrono>
#include <list>
#include <memory>
#include <set>
#include <string>

namespace muster::control {

/// How much room strangers get.
struct StrangerLimits {
  size_t strangers_max = 256;                             ///< At a time.
  Duration patience = std::chrono::seconds(5);            ///< For each, to prove who it is.
  Duration silence_max = std::chrono::milliseconds(500);  ///< Before it may have to make room.
};

/// A listening port of the control channel. Strangers come in here and leave as channels, or not at
/// all. When all places are taken, the oldest that has said nothing for a while makes room; others
/// wait in the kernel's queue. A cause of refusal is logged once.
class TlsListener final : public Listener {
 public:
  struct Deps {
    rt::IoLoop& loop;
    std::shared_ptr<net::TlsContext> tls;
    log::Logger log;
    PageHandler page;
    StrangerLimits limits = {};
  };

  TlsListener(Deps deps, net::Listening listening, std::string address, KeyLookup keys,
              Transport::Accepted accepted);
  ~TlsListener() override;
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;

  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] size_t strangers() const { return strangers_.size(); }

 private:
  using Place = std::list<std::unique_ptr<Stranger>>::iterator;

  void on_readable();
  [[nodiscard]] bool make_room();
  void welcome(rt::Fd socket);
  void leave(Place place);
  void pause(Duration delay);
  void resume();
  void complain(Refusal refusal);

  Deps deps_;
  std::string address_;
  KeyLookup keys_;
  Transport::Accepted accepted_;
  std::set<Refusal> complained_;
  bool complained_descriptors_ = false;
  rt::TimerId resume_timer_;
  rt::Fd socket_;
  std::list<std::unique_ptr<Stranger>> strangers_;  ///< The oldest first.
  std::unique_ptr<rt::FdWatch> watch_;              // Last: it ends before its descriptor closes.
};

}  // namespace muster::control
