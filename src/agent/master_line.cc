#include "agent/master_line.h"

#include "control/keys.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

constexpr Duration kBackOffLow = std::chrono::milliseconds(50);
constexpr Duration kBackOffHigh = std::chrono::seconds(2);
constexpr Duration kDialDeadline = std::chrono::seconds(5);

}  // namespace

/// One open channel, and whether its master was accepted.
struct MasterLine::Candidate {
  std::unique_ptr<control::Channel> channel;
  bool dialled_by_us = false;
};

MasterLine::MasterLine(Deps deps, control::Peer self, control::Key key, Handlers handlers)
    : deps_(deps),
      self_(std::move(self)),
      key_(key),
      handlers_(std::move(handlers)),
      back_off_(kBackOffLow) {}

MasterLine::~MasterLine() { deps_.loop.cancel(retry_); }

Status MasterLine::listen(const control::ListenOptions& options) {
  const control::Peer master{control::Peer::Kind::Master, self_.container};
  const control::Key key = control::master_key_of(key_);
  auto keys = [master, key](const control::Peer& peer) -> Result<control::Key> {
    if (peer == master) {
      return key;
    }
    return Error{Errc::Unauthenticated, Blame::Cluster,
                 "only this container's master may dial its agent"};
  };
  MUSTER_TRY(listener_, deps_.transport.listen(options, std::move(keys),
                                               [this](std::unique_ptr<control::Channel> channel) {
                                                 adopt(std::move(channel), false);
                                               }));
  return {};
}

void MasterLine::dial(std::string master) {
  if (master != master_) {
    master_ = std::move(master);
    back_off_ = kBackOffLow;
  }
  redial();
}

void MasterLine::redial() {
  if (dialling_ || line_ != nullptr || done_ || master_.empty()) {
    return;
  }
  deps_.loop.cancel(std::exchange(retry_, {}));
  dialling_ = true;
  deps_.transport.dial(master_, self_, key_, kDialDeadline,
                       [this](Result<std::unique_ptr<control::Channel>> channel) {
                         on_dialled(std::move(channel));
                       });
}

void MasterLine::on_dialled(Result<std::unique_ptr<control::Channel>> dialled) {
  dialling_ = false;
  if (done_) {
    return;
  }
  if (dialled.has_value()) {
    adopt(std::move(*dialled), true);
    return;
  }
  deps_.log.debug("master.unreachable", {{"master", master_}, {"error", dialled.error().message}});
  retry_ = deps_.loop.call_after(back_off_, [this] { redial(); });
  back_off_ = std::min(back_off_ * 2, kBackOffHigh);
  handlers_.unreachable();
}

void MasterLine::adopt(std::unique_ptr<control::Channel> channel, bool dialled_by_us) {
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
    candidate->channel->send(wire::encode(wire::AgentFrame(handlers_.hello())));
  }
}

bool MasterLine::is_open(const Candidate* candidate) const {
  return std::ranges::any_of(candidates_,
                             [&](const auto& owned) { return owned.get() == candidate; });
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
  const auto* welcome = std::get_if<wire::MasterWelcome>(&*frame);
  if (welcome == nullptr) {
    if (from == line_) {
      handlers_.frame(*frame);
    }
    return;
  }
  const bool answers = !from->dialled_by_us && from != line_;
  if (!handlers_.welcomed(*welcome)) {
    deps_.log.info("master.stale", {{"epoch", welcome->epoch.value}});
    drop(from);
    return;
  }
  back_off_ = kBackOffLow;
  if (line_ != nullptr && line_ != from) {
    drop(line_);
  }
  line_ = from;
  if (!welcome->master_address.empty()) {
    master_ = welcome->master_address;
  }
  if (answers) {
    from->channel->send(wire::encode(wire::AgentFrame(handlers_.hello())));
  }
}

void MasterLine::on_closed(Candidate* from, const Error& reason) {
  if (!is_open(from)) {
    return;
  }
  const bool was_line = from == line_;
  const bool dialled_by_us = from->dialled_by_us;
  drop(from);
  if (done_) {
    return;
  }
  if (was_line) {
    handlers_.closed(reason);
  }
  if (line_ == nullptr && (was_line || dialled_by_us)) {
    deps_.loop.cancel(retry_);
    retry_ = deps_.loop.call_after(back_off_, [this] { redial(); });
    back_off_ = std::min(back_off_ * 2, kBackOffHigh);
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
  // We may stand inside one of its callbacks: it is destroyed after that has returned.
  std::shared_ptr<Candidate> last = std::move(*found);
  candidates_.erase(found);
  last->channel->close();
  deps_.loop.post([last] {});
}

void MasterLine::send(const wire::AgentFrame& frame) {
  if (line_ != nullptr) {
    line_->channel->send(wire::encode(frame));
  }
}

size_t MasterLine::queued_bytes() const {
  return line_ == nullptr ? 0 : line_->channel->queued_bytes();
}

void MasterLine::close() {
  done_ = true;
  deps_.loop.cancel(std::exchange(retry_, {}));
  if (line_ != nullptr) {
    line_->channel->close();
  }
}

}  // namespace muster::agent
