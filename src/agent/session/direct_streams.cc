#include "agent/session/direct_streams.h"

#include "control/keys.h"
#include "net/tls.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::agent {

using wire::StreamFault;
using wire::StreamReset;

DirectStreams::DirectStreams(rt::Loop& loop, const log::Logger& log, Handlers handlers)
    : loop_(loop), log_(log), handlers_(std::move(handlers)) {}

DirectStreams::~DirectStreams() {
  for (const auto& [ticket, expected] : expected_) {
    loop_.cancel(expected.expiry);
  }
  for (const auto& [id, line] : lines_) {
    loop_.cancel(line.farewell);
  }
  if (agent_key_) {
    net::wipe(*agent_key_);
  }
}

void DirectStreams::expect(uint64_t id, wire::StreamOpen request) {
  const std::string ticket = std::exchange(request.ticket, "");
  if (expected_.contains(ticket) || expected_.size() >= wire::kStreamsMax) {
    handlers_.to_master({id, StreamReset{StreamFault::Refused, "too many streams are awaited"}});
    return;
  }
  Expected& expected = expected_[ticket];
  expected.id = id;
  expected.request = std::move(request);
  expected.expiry = loop_.call_after(kTicketLife, [this, ticket] {
    const auto late = expected_.find(ticket);
    const uint64_t id = late->second.id;
    forget(late);
    handlers_.to_master(
        {id, StreamReset{StreamFault::Deadline, "the client did not connect in time"}});
  });
}

std::optional<wire::StreamOpen> DirectStreams::withdraw(uint64_t id) {
  const auto found =
      std::ranges::find_if(expected_, [id](const auto& each) { return each.second.id == id; });
  if (found == expected_.end()) {
    return std::nullopt;
  }
  wire::StreamOpen request = std::move(found->second.request);
  forget(found);
  return request;
}

void DirectStreams::withdraw_all() {
  while (!expected_.empty()) {
    forget(expected_.begin());
  }
}

void DirectStreams::forget(Tickets::iterator expected) {
  loop_.cancel(expected->second.expiry);
  expected_.erase(expected);
}

Result<control::Key> DirectStreams::key_of(const control::Peer& peer) const {
  if (!agent_key_ || peer.kind != control::Peer::Kind::Stream || !expected_.contains(peer.ticket)) {
    return Error{Errc::Unauthenticated, Blame::Cluster,
                 "only this container's master, and clients with a ticket from it, may connect"};
  }
  return control::stream_key_of(*agent_key_, peer.ticket);
}

void DirectStreams::accept(std::unique_ptr<control::Channel> channel) {
  const auto expected = expected_.find(channel->peer().ticket);
  if (expected == expected_.end()) {
    return;  // Somebody else was faster with the same ticket, or it has expired.
  }
  const uint64_t id = ++last_id_;
  log_.info("session.direct", {{"from", channel->address()}});
  channel->start({.frame = [this, id](std::string_view bytes) { on_frame(id, bytes); },
                  .closed = [this, id](const Error&) { on_closed(id); }});
  lines_.emplace(id, Line{.channel = std::move(channel)});
  handlers_.to_master({expected->second.id, wire::StreamTaken{}});
  const wire::StreamOpen request = std::move(expected->second.request);
  forget(expected);
  handlers_.to_sessions({id, request});
}

void DirectStreams::on_frame(uint64_t id, std::string_view bytes) {
  const auto line = lines_.find(id);
  if (line == lines_.end() || line->second.over) {
    return;
  }
  Result<wire::StreamFrame> frame = wire::decode_stream_frame(bytes);
  const bool is_open = frame && std::holds_alternative<wire::StreamOpen>(frame->kind);
  if (!frame || is_open) {
    log_.warning("session.bad-frame",
                 {{"error", frame ? "a second stream" : frame.error().message}});
    send({id, StreamReset{StreamFault::Protocol, "a frame that an agent does not take"}});
    close(id);
    handlers_.to_sessions({id, StreamReset{StreamFault::Protocol, ""}});
    return;
  }
  frame->id = id;
  handlers_.to_sessions(*std::move(frame));
}

void DirectStreams::on_closed(uint64_t id) {
  const auto line = lines_.find(id);
  if (line == lines_.end()) {
    return;
  }
  const bool was_over = line->second.over;
  close(id);
  if (!was_over) {
    handlers_.to_sessions({id, StreamReset{StreamFault::Lost, "the client has gone"}});
  }
}

void DirectStreams::send(wire::StreamFrame frame) {
  const auto found = lines_.find(frame.id);
  if (found == lines_.end() || found->second.over) {
    return;
  }
  const uint64_t id = frame.id;
  const bool last = std::holds_alternative<StreamReset>(frame.kind);
  found->second.channel->send_parts(wire::encode_stream_parts(std::move(frame)));
  if (last) {
    found->second.over = true;
    found->second.farewell = loop_.call_after(kFarewellMax, [this, id] { close(id); });
  }
}

void DirectStreams::end(uint64_t id) { send({id, StreamReset{StreamFault::Cancelled, ""}}); }

void DirectStreams::close(uint64_t id) {
  const auto found = lines_.find(id);
  loop_.cancel(found->second.farewell);
  // This may run inside one of its callbacks, so it is destroyed only after that has returned.
  const std::shared_ptr<control::Channel> last = std::move(found->second.channel);
  lines_.erase(found);
  last->close();
  loop_.post([last] {});
}

}  // namespace muster::agent
