#include "agent/master_line.h"

#include "control/keys.h"

#include <algorithm>
#include <utility>

namespace muster::agent {

/// One open channel.
struct MasterLine::Candidate {
  std::unique_ptr<control::Channel> channel;
  bool dialled_by_us = false;
};

MasterLine::MasterLine(Deps deps, control::Peer self, control::Key key)
    : deps_(deps), self_(std::move(self)), key_(key), dropped_(deps.loop) {}

MasterLine::~MasterLine() = default;

Status MasterLine::listen(const control::ListenOptions& options, Guests guests) {
  const control::Peer master{control::Peer::Kind::Master, self_.container};
  const control::Key key = control::master_key_of(key_);
  auto keys = [master, key, others = std::move(guests.key_of)](
                  const control::Peer& peer) -> Result<control::Key> {
    if (peer == master) {
      return key;
    }
    if (peer.container == master.container) {
      return others(peer);
    }
    return Error{Errc::Unauthenticated, Blame::Cluster,
                 "only this container's master and its guests may connect to its agent"};
  };
  auto accepted = [this,
                   others = std::move(guests.accepted)](std::unique_ptr<control::Channel> channel) {
    if (channel->peer().kind == control::Peer::Kind::Master) {
      start(std::move(channel), false);
    } else {
      others(std::move(channel));
    }
  };
  MUSTER_TRY(listener_, deps_.transport.listen(options, std::move(keys), std::move(accepted)));
  return {};
}

void MasterLine::adopt(std::unique_ptr<control::Channel> dialled) {
  start(std::move(dialled), true);
}

void MasterLine::start(std::unique_ptr<control::Channel> channel, bool dialled_by_us) {
  auto owned = std::make_unique<Candidate>();
  Candidate* const candidate = owned.get();
  candidate->channel = std::move(channel);
  candidate->dialled_by_us = dialled_by_us;
  candidates_.push_back(std::move(owned));
  candidate->channel->start({
      .frame = [this, candidate](std::string_view bytes) { on_frame(candidate, bytes); },
      .closed = [this, candidate](const Error& reason) { on_closed(candidate, reason); },
  });
  if (dialled_by_us) {
    candidate->channel->send(wire::encode(wire::AgentFrame(deps_.handler.hello())));
  }
}

bool MasterLine::is_open(const Candidate* candidate) const {
  return std::ranges::any_of(candidates_,
                             [&](const auto& owned) { return owned.get() == candidate; });
}

bool MasterLine::is_lost() const {
  return line_ == nullptr &&
         std::ranges::none_of(candidates_, [](const auto& owned) { return owned->dialled_by_us; });
}

rt::Async<> MasterLine::lost() {
  while (!is_lost()) {
    co_await dropped_.wait();
  }
}

void MasterLine::on_frame(Candidate* from, std::string_view bytes) {
  if (!is_open(from)) {
    return;
  }
  Result<wire::MasterFrame> frame = wire::decode_master_frame(bytes);
  if (!frame.has_value()) {
    deps_.log.warning("master.bad-frame", {{"error", frame.error().message}});
    drop(from);
    return;
  }
  if (const auto* welcome = std::get_if<wire::MasterWelcome>(&*frame)) {
    on_welcome(from, *welcome);
  } else if (from == line_) {
    deps_.handler.received(*std::move(frame));
  }
}

void MasterLine::on_welcome(Candidate* from, const wire::MasterWelcome& welcome) {
  const bool wants_hello = !from->dialled_by_us && from != line_;
  if (!deps_.handler.welcomed(welcome)) {
    deps_.log.info("master.stale", {{"epoch", welcome.epoch.value}});
    drop(from);
    return;
  }
  ++accepted_;
  if (line_ != nullptr && line_ != from) {
    drop(line_);
  }
  line_ = from;
  if (wants_hello) {
    from->channel->send(wire::encode(wire::AgentFrame(deps_.handler.hello())));
  }
}

void MasterLine::on_closed(Candidate* from, const Error& reason) {
  if (!is_open(from)) {
    return;
  }
  const bool was_line = from == line_;
  drop(from);
  if (was_line && !closed_) {
    deps_.handler.closed(reason);
  }
}

void MasterLine::drop(Candidate* candidate) {
  if (candidate == line_) {
    line_ = nullptr;
  }
  const auto found = std::ranges::find_if(
      candidates_, [&](const auto& owned) { return owned.get() == candidate; });
  if (found == candidates_.end()) {
    return;
  }
  // This may run inside one of its callbacks, so it is destroyed only after that has returned.
  std::shared_ptr<Candidate> last = std::move(*found);
  candidates_.erase(found);
  last->channel->close();
  deps_.loop.post([last] {});
  dropped_.pulse();
}

void MasterLine::send(wire::AgentFrame frame) {
  if (line_ != nullptr) {
    line_->channel->send_parts(wire::encode_parts(std::move(frame)));
  }
}

size_t MasterLine::queued_bytes() const {
  return line_ == nullptr ? 0 : line_->channel->queued_bytes();
}

void MasterLine::close() {
  closed_ = true;
  if (line_ != nullptr) {
    line_->channel->close();
  }
}

}  // namespace muster::agent
