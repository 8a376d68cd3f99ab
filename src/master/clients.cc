#include "master/clients.h"

#include <algorithm>
#include <utility>

namespace muster::master {
namespace {

/// More clients than any job's people open; above it a new one is turned away.
constexpr size_t kClientsMax = 256;
/// Of these, kept for the owner: viewers cannot keep anybody from stopping the job.
constexpr size_t kOwnersMin = 64;

}  // namespace

void Clients::accept(std::unique_ptr<control::Channel> channel) {
  const bool owner = channel->peer().kind == control::Peer::Kind::Owner;
  if (sessions_.size() >= (owner ? kClientsMax : kClientsMax - kOwnersMin)) {
    deps_.log.warning("client.refused", {{"reason", "too many clients"}});
    return;
  }
  sessions_.push_back(
      std::make_unique<ClientSession>(ClientSession::Deps{.loop = deps_.loop,
                                                          .log = deps_.log,
                                                          .history = history_,
                                                          .admission = deps_.admission,
                                                          .report = deps_.report},
                                      std::move(channel)));
  const auto session = std::prev(sessions_.end());
  (*session)->start({.stop = handlers_.stop,
                     .follows_output = [this] { return on_follows_output(); },
                     .closed = [this, session] { on_closed(session); }});
  if (last_frame_) {
    (*session)->end(last_frame_);
  }
}

void Clients::fact(const eventlog::Record& record) {
  history_.add(record);
  for (const auto& session : sessions_) {
    session->pump();
  }
}

void Clients::output(const wire::Output& piece) {
  for (const auto& session : sessions_) {
    session->output(piece);
  }
}

void Clients::tell_status() {
  for (const auto& session : sessions_) {
    session->tell_status();
  }
}

void Clients::end(const job::Outcome& outcome) {
  const wire::ClientEvent event = wire::JobEnded{outcome};
  last_frame_ = std::make_shared<const std::string>(wire::encode(event));
  for (const auto& session : sessions_) {
    session->end(last_frame_);
  }
}

void Clients::close_all() { sessions_.clear(); }

std::vector<wire::Output> Clients::on_follows_output() {
  std::vector<wire::Output> missed = handlers_.missed_output();
  handlers_.follow_output(true);
  return missed;
}

void Clients::on_closed(Sessions::iterator session) {
  had_follower_ = had_follower_ || (*session)->follows_facts();
  const bool followed = (*session)->follows_output();
  // It is the one whose callback runs now.
  deps_.loop.post([gone = std::move(*session)] {});
  sessions_.erase(session);
  if (followed && !anybody_follows_output()) {
    handlers_.follow_output(false);
  }
  handlers_.left();
}

bool Clients::anybody_follows_output() const {
  return std::ranges::any_of(sessions_,
                             [](const auto& session) { return session->follows_output(); });
}

}  // namespace muster::master
