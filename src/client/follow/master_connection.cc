#include "client/follow/master_connection.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::client {
namespace {

using std::chrono::milliseconds;

constexpr Duration kDialDeadline = std::chrono::seconds(5);
constexpr Duration kDialDelayLow = milliseconds(20);
constexpr Duration kDialDelayHigh = milliseconds(500);
constexpr int kRefusalsMax = 3;

using Dialled = Result<std::unique_ptr<control::Channel>>;

}  // namespace

MasterConnection::MasterConnection(Deps deps, Options options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      closed_(deps_.loop),
      scope_(deps_.loop) {}

void MasterConnection::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  scope_.spawn(keep_connected());
}

void MasterConnection::send(wire::ClientFrame frame) {
  if (channel_) {
    channel_->send_parts(wire::encode_parts(std::move(frame)));
  }
}

rt::Async<Dialled> MasterConnection::dial(std::string address) {
  const control::Peer self{.kind = control::Peer::Kind::Owner, .container = {}};
  auto begin = [&](const rt::Answer<Dialled>& answer) {
    deps_.transport.dial(address, self, control::derive_key(options_.secret, self), kDialDeadline,
                         [answer](Dialled channel) { answer(std::move(channel)); });
  };
  co_return co_await rt::from_callback<Dialled>(deps_.loop, std::move(begin));
}

rt::Async<std::string> MasterConnection::serve(std::unique_ptr<control::Channel> channel) {
  channel_ = std::move(channel);
  channel_->start({.frame = [this](std::string_view frame) { handlers_.frame(frame); },
                   .closed =
                       [this](const Error& reason) {
                         closed_because_ = reason.message;
                         closed_.set();
                       }});
  handlers_.opened();
  co_await closed_.wait();
  closed_.reset();
  channel_.reset();
  co_return std::move(closed_because_);
}

rt::Async<> MasterConnection::keep_connected() {
  HostTime silent_since = deps_.loop.now();
  Duration delay{};
  int refusals = 0;
  while (true) {
    std::string reason;
    const Result<std::string> address = deps_.locate();
    Dialled channel = address ? co_await dial(*address) : Dialled(address.error());
    if (channel) {
      address_ = *address;
      reason = co_await serve(*std::move(channel));
      silent_since = deps_.loop.now();
      delay = Duration::zero();
      refusals = 0;
    } else {
      // A single refusal may come from another program on a dead master's port; repeated ones come
      // from the job's own master, which rejects our key.
      reason = channel.error().message;
      refusals = channel.error().code == Errc::Unauthenticated ? refusals + 1 : 0;
    }
    if (refusals == kRefusalsMax) {
      handlers_.given_up(
          fmt::format("the master of {} rejected this key: {}", options_.job_id, reason));
      co_return;
    }
    const Duration silent = deps_.loop.now() - silent_since;
    if (!handlers_.silent(reason, silent)) {
      co_return;
    }
    if (silent >= options_.patience) {
      handlers_.given_up(fmt::format("no master of {} answered for {}: {}", options_.job_id,
                                     format_duration(options_.patience), reason));
      co_return;
    }
    delay = std::clamp(delay * 2, Duration(kDialDelayLow), Duration(kDialDelayHigh));
    co_await rt::pause_for(deps_.loop, delay);
  }
}

}  // namespace muster::client
