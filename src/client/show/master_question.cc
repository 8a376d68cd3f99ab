#include "client/show/master_question.h"

#include "client/submit/secret.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "rt/io_loop.h"

#include <memory>
#include <string_view>
#include <utility>

namespace muster::client {

std::optional<wire::ClientEvent> ask_master(
    Session& session, const cluster::JobFolder& folder, const std::string& address,
    const wire::ClientFrame& question, Duration patience,
    const std::function<bool(const wire::ClientEvent&)>& is_answer) {
  const control::Peer self{.kind = control::Peer::Kind::Viewer, .container = {}};
  const Result<control::Secret> secret = read_secret(*session.files, folder);
  if (!secret) {
    return std::nullopt;
  }
  rt::IoLoop loop;
  log::NullSink quiet;
  const std::unique_ptr<control::Transport> transport =
      control::make_tls_transport(loop, log::Logger(quiet));
  std::unique_ptr<control::Channel> channel;
  std::optional<wire::ClientEvent> answer;
  const auto on_frame = [&](std::string_view frame) {
    Result<wire::ClientEvent> event = wire::decode_client_event(frame);
    if (event && is_answer(*event)) {
      answer = *std::move(event);
      loop.stop();
    }
  };
  transport->dial(
      address, self, control::derive_key(*secret, self), patience,
      [&](Result<std::unique_ptr<control::Channel>> dialled) {
        if (!dialled) {
          loop.stop();
          return;
        }
        channel = std::move(*dialled);
        channel->start({.frame = on_frame, .closed = [&](const Error&) { loop.stop(); }});
        wire::ClientHello hello;
        hello.who = session.environment.who();
        channel->send(wire::encode(wire::ClientFrame{hello}));
        channel->send(wire::encode(question));
      });
  loop.run_until(loop.now() + patience);
  return answer;
}

}  // namespace muster::client
