#include "client/reach/direct_channels.h"

#include "rt/wait.h"

#include <chrono>
#include <utility>
#include <variant>

namespace muster::client {
namespace {

/// For an agent to answer. A firewall that silently drops everything costs the first stream this
/// much.
constexpr Duration kDialPatience = std::chrono::milliseconds(500);
/// It may also have been busy, or the network down for a moment.
constexpr Duration kTryAgain = std::chrono::seconds(30);

}  // namespace

DirectChannels::DirectChannels(rt::Loop& loop, control::Transport& transport, bool by_master,
                               Handlers handlers)
    : loop_(loop),
      transport_(transport),
      by_master_(by_master),
      handlers_(std::move(handlers)),
      scope_(loop) {}

DirectChannels::~DirectChannels() { scope_.cancel(); }

void DirectChannels::take(uint64_t id, wire::StreamOffer offer, std::string master) {
  scope_.spawn(connect(id, std::move(offer), std::move(master)));
}

rt::Async<> DirectChannels::connect(uint64_t id, wire::StreamOffer offer, std::string master) {
  const uint64_t since = dialling_since_;
  Dialled channel = cluster_error("nobody was dialled", Errc::Unavailable);
  if (!by_master_) {
    channel = co_await dial(offer.address, offer);
  }
  if (!channel.has_value() && since == dialling_since_) {
    channel = co_await dial(std::move(master), std::move(offer));
  }
  if (since != dialling_since_) {
    co_return;  // The agent has forgotten the ticket along with its master.
  }
  if (channel.has_value()) {
    adopt(id, *std::move(channel));
  } else {
    handlers_.declined(id);
  }
}

rt::Async<DirectChannels::Dialled> DirectChannels::dial(std::string address,
                                                        wire::StreamOffer offer) {
  std::pair<std::string, std::string> way(std::move(address), offer.address);
  if (const auto failed = out_of_reach_.find(way);
      failed != out_of_reach_.end() && loop_.now() < failed->second) {
    co_return cluster_error("out of reach", Errc::Unavailable);
  }
  const control::Peer self{.kind = control::Peer::Kind::Stream,
                           .container = std::move(offer.container),
                           .ticket = std::move(offer.ticket)};
  auto begin = [&](const rt::Answer<Dialled>& answer) {
    transport_.dial(way.first, self, offer.key, kDialPatience,
                    [answer](Dialled channel) { answer(std::move(channel)); });
  };
  Dialled channel = co_await rt::from_callback<Dialled>(loop_, std::move(begin));
  if (channel.has_value()) {
    out_of_reach_.erase(way);
  } else {
    out_of_reach_.insert_or_assign(std::move(way), loop_.now() + kTryAgain);
  }
  co_return channel;
}

void DirectChannels::adopt(uint64_t id, std::unique_ptr<control::Channel> channel) {
  control::Channel& started = *channel;
  channels_.emplace(id, std::move(channel));
  started.start({.frame = [this, id](std::string_view bytes) { on_frame(id, bytes); },
                 .closed = [this, id](const Error&) { on_closed(id); }});
}

void DirectChannels::on_frame(uint64_t id, std::string_view bytes) {
  if (!has(id)) {
    return;
  }
  Result<wire::StreamFrame> frame = wire::decode_stream_frame(bytes);
  if (!frame.has_value()) {
    frame = wire::StreamFrame{
        id, wire::StreamReset{wire::StreamFault::Protocol, frame.error().message}};
  }
  frame->id = id;
  if (std::holds_alternative<wire::StreamReset>(frame->kind)) {
    close(id);
  }
  handlers_.frame(*std::move(frame));
}

void DirectChannels::on_closed(uint64_t id) {
  if (has(id)) {
    close(id);
    handlers_.frame({id, wire::StreamReset{wire::StreamFault::Lost,
                                           "the connection to the task's container was lost"}});
  }
}

void DirectChannels::send(wire::StreamFrame frame) {
  const auto channel = channels_.find(frame.id);
  if (channel == channels_.end()) {
    return;
  }
  const uint64_t id = frame.id;
  const bool last = std::holds_alternative<wire::StreamReset>(frame.kind);
  channel->second->send_parts(wire::encode_stream_parts(std::move(frame)));
  if (last) {
    close(id);
  }
}

void DirectChannels::close(uint64_t id) {
  const auto found = channels_.find(id);
  // This may run inside one of its callbacks, so it is destroyed only after that has returned.
  const std::shared_ptr<control::Channel> last = std::move(found->second);
  channels_.erase(found);
  last->close();
  loop_.post([last] {});
}

}  // namespace muster::client
