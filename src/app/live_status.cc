#include "app/live_status.h"

#include "app/yarn_client.h"
#include "base/text.h"
#include "cluster/local/job_lock.h"
#include "cluster/master_place_file.h"
#include "control/keys.h"
#include "control/tls_transport.h"
#include "rt/io_loop.h"
#include "wire/frame.h"

namespace muster::app {
namespace {

constexpr Duration kPatience = std::chrono::seconds(1);

struct Line {
  std::string address;
  control::Key key{};
};

Result<Line> find_line(Session& session, const cluster::JobFolder& folder,
                       const control::Peer& self) {
  Line line;
  if (is_on_yarn(session, folder)) {
    const auto yarn = yarn_client_of(session, folder);
    MUSTER_TRY(cluster::MasterPlace place, yarn->cluster().locate(folder.root()));
    line.address = std::move(place.address);
  } else {
    MUSTER_TRY(const std::string place_text, session.files->read(folder.master_place(), 4096));
    MUSTER_TRY(const cluster::MasterPlaceFile place, cluster::parse_master_place(place_text));
    line.address = place.address;
  }
  MUSTER_TRY(const std::string secret_text, session.files->read(folder.secret(), 4096));
  MUSTER_TRY(const control::Secret secret, control::parse_key(trim(secret_text)));
  line.key = control::derive_key(secret, self);
  return line;
}

}  // namespace

std::optional<std::string> ask_status(Session& session, const cluster::JobFolder& folder) {
  if (!is_on_yarn(session, folder) && !cluster::local::job_lock_is_held(folder.master_lock())) {
    return std::nullopt;
  }
  const control::Peer self{.kind = control::Peer::Kind::Viewer, .container = {}};
  const Result<Line> line = find_line(session, folder, self);
  if (!line) {
    return std::nullopt;
  }
  rt::IoLoop loop;
  log::NullSink quiet;
  const std::unique_ptr<control::Transport> transport =
      control::make_tls_transport(loop, log::Logger(quiet));
  std::unique_ptr<control::Channel> channel;
  std::optional<std::string> answer;
  const auto on_frame = [&](std::string_view frame) {
    Result<wire::ClientEvent> event = wire::decode_client_event(frame);
    if (event && std::holds_alternative<wire::StatusAnswered>(*event)) {
      answer = std::move(std::get<wire::StatusAnswered>(*event).json);
      loop.stop();
    }
  };
  transport->dial(
      line->address, self, line->key, kPatience,
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
        channel->send(wire::encode(wire::ClientFrame{wire::StatusAsked{}}));
      });
  loop.run_until(loop.now() + kPatience);
  return answer;
}

}  // namespace muster::app
