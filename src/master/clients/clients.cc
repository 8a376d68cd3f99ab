#include "master/clients/clients.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::master {
namespace {

/// More clients than the people of any job open; beyond this, new ones are turned away.
constexpr size_t kClientsMax = 256;
/// How many of these are kept for the owner, so that viewers cannot keep anybody from stopping the
/// job.
constexpr size_t kOwnersMin = 64;
/// A client that has been silent for this long may have to make room for a new one.
constexpr Duration kSilentMin = std::chrono::seconds(10);
/// How soon to look again at clients that ask but do not read.
constexpr Duration kAnswerPause = std::chrono::milliseconds(20);

}  // namespace

void Clients::accept(std::unique_ptr<control::Channel> channel) {
  const bool owner = channel->peer().kind == control::Peer::Kind::Owner;
  if (sessions_.size() >= (owner ? kClientsMax : kClientsMax - kOwnersMin) && !evict_one(owner)) {
    deps_.log.warning("client.refused", {{"reason", "too many clients"}});
    return;
  }
  last_number_ = ClientNumber(last_number_.value + 1);
  sessions_.push_back({last_number_, std::make_unique<ClientSession>(
                                         ClientSession::Deps{.loop = deps_.loop,
                                                             .log = deps_.log,
                                                             .history = history_,
                                                             .admission = deps_.admission,
                                                             .report = deps_.report},
                                         std::move(channel))});
  const auto entry = std::prev(sessions_.end());
  ClientSession& session = *entry->session;
  session.start({.stop = handlers_.stop,
                 .stream =
                     [this, number = entry->number, &session](wire::StreamFrame&& frame) {
                       handlers_.stream({number, session.who(), session.address()},
                                        std::move(frame));
                     },
                 .follows_output = [this] { return on_follows_output(); },
                 .metrics = handlers_.metrics,
                 .follows_metrics = [this] { handlers_.follow_metrics(anybody_follows_metrics()); },
                 .asked = [this] { on_asked(); },
                 .closed = [this, entry] { on_closed(entry); }});
  if (last_frame_) {
    session.end(last_frame_);
  }
}

/// Closes the client with the least business here, and among equals the one that has been silent
/// for longest: a follower dials again. Viewers make room for the owner, never the other way round.
/// Returns false if nobody has been silent for a while.
bool Clients::evict_one(bool for_owner) {
  const HostTime now = deps_.loop.now();
  const auto rank = [](const ClientSession& session) {
    return std::tuple(session.is_owner(), session.business(), session.heard());
  };
  auto victim = sessions_.end();
  for (auto entry = sessions_.begin(); entry != sessions_.end(); ++entry) {
    const ClientSession& session = *entry->session;
    const bool may = session.business() != ClientSession::Business::Reaches &&
                     (for_owner || !session.is_owner()) && now - session.heard() >= kSilentMin;
    if (may && (victim == sessions_.end() || rank(session) < rank(*victim->session))) {
      victim = entry;
    }
  }
  if (victim == sessions_.end()) {
    return false;
  }
  deps_.log.warning("client.evicted", {{"who", victim->session->who()}});
  (void)remove(victim);
  return true;
}

void Clients::fact(const eventlog::Record& record) {
  history_.add(record);
  for (const Entry& entry : sessions_) {
    entry.session->pump();
  }
}

void Clients::output(const wire::Output& piece) {
  for (const Entry& entry : sessions_) {
    entry.session->output(piece);
  }
}

void Clients::metrics(const wire::MetricsPushed& pushed) {
  const wire::ClientEvent event = pushed;
  const auto frame = std::make_shared<const std::string>(wire::encode(event));
  for (const Entry& entry : sessions_) {
    entry.session->metrics(frame);
  }
}

void Clients::stream(ClientNumber client, wire::StreamFrame frame) {
  const auto entry = std::ranges::find(sessions_, client, &Entry::number);
  if (entry != sessions_.end()) {
    entry->session->stream(std::move(frame));
  }
}

void Clients::tell_status() {
  for (const Entry& entry : sessions_) {
    entry.session->tell_status();
  }
}

void Clients::end(const job::Outcome& outcome) {
  const wire::ClientEvent event = wire::JobEnded{outcome};
  last_frame_ = std::make_shared<const std::string>(wire::encode(event));
  for (const Entry& entry : sessions_) {
    entry.session->end(last_frame_);
  }
}

void Clients::close_all() { sessions_.clear(); }

void Clients::on_asked() {
  if (answer_timer_ == rt::TimerId()) {
    answer_one();
  }
}

/// Answers one question of the next client in turn. Then everything else on the loop has its turn:
/// questions are small, and a hundred thousand of them may arrive in one piece.
void Clients::answer_one() {
  answer_timer_ = {};
  const auto waits = [](const Entry& entry) {
    return entry.session->asks() && entry.session->reads();
  };
  auto next = std::ranges::find_if(
      sessions_, [&](const Entry& entry) { return answered_ < entry.number && waits(entry); });
  if (next == sessions_.end()) {
    next = std::ranges::find_if(sessions_, waits);
  }
  if (next != sessions_.end()) {
    answered_ = next->number;
    next->session->answer_next();
    answer_timer_ = deps_.loop.call_after(Duration::zero(), [this] { answer_one(); });
  } else if (std::ranges::any_of(sessions_, [](const Entry& e) { return e.session->asks(); })) {
    answer_timer_ = deps_.loop.call_after(kAnswerPause, [this] { answer_one(); });
  }
}

std::vector<wire::Output> Clients::on_follows_output() {
  std::vector<wire::Output> missed = handlers_.missed_output();
  handlers_.follow_output(true);
  return missed;
}

void Clients::on_closed(Sessions::iterator entry) {
  // Posted, because this is the session whose callback is running.
  deps_.loop.post([gone = remove(entry)] {});
}

std::unique_ptr<ClientSession> Clients::remove(Sessions::iterator entry) {
  had_follower_ = had_follower_ || entry->session->follows_facts();
  const bool followed = entry->session->follows_output();
  const bool followed_metrics = entry->session->follows_metrics();
  const ClientNumber number = entry->number;
  std::unique_ptr<ClientSession> gone = std::move(entry->session);
  sessions_.erase(entry);
  handlers_.gone(number);
  if (followed && !anybody_follows_output()) {
    handlers_.follow_output(false);
  }
  if (followed_metrics) {
    handlers_.follow_metrics(anybody_follows_metrics());
  }
  handlers_.left();
  return gone;
}

bool Clients::anybody_follows_metrics() const {
  return std::ranges::any_of(sessions_,
                             [](const Entry& entry) { return entry.session->follows_metrics(); });
}

bool Clients::anybody_follows_output() const {
  return std::ranges::any_of(sessions_,
                             [](const Entry& entry) { return entry.session->follows_output(); });
}

}  // namespace muster::master
