#include "hadoop/rpc/connection.h"

#include "hadoop/rpc/handshake.h"
#include "hadoop/rpc/remote_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <hadoop/rpc.pb.h>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

using ::hadoop::common::RpcRequestHeaderProto;
using ::hadoop::common::RpcResponseHeaderProto;

std::string server_name(const Server& server) {
  const std::string address = net::to_string(server.address);
  return server.label.empty() ? address : fmt::format("{} ({})", server.label, address);
}

}  // namespace

std::shared_ptr<Connection> Connection::open(Deps deps) {
  const std::shared_ptr<Connection> made(new Connection(std::move(deps)));
  made->scope_.spawn(made->run());
  return made;
}

Connection::Connection(Deps deps)
    : deps_(std::move(deps)),
      name_(server_name(deps_.server)),
      calls_(deps_.loop),
      last_ping_(deps_.loop.now()),
      opened_(deps_.loop),
      scope_(deps_.loop) {}

std::string Connection::where() const { return fmt::format("{}, {}", deps_.target.what, name_); }

rt::Async<> Connection::run() {
  const Outcome established = co_await establish();
  if (!established.has_value()) {
    close(established.error());
    co_return;
  }
  state_ = State::Open;
  opened_.set();
  scope_.spawn(write_loop());
  scope_.spawn(keep_alive());
  co_await read_loop();
}

rt::Async<Outcome> Connection::establish() {
  rt::Loop& loop = deps_.loop;
  const ConnectionOptions& options = deps_.options;
  auto dialled = co_await rt::with_deadline(loop, loop.now() + options.connect_timeout,
                                            fmt::format("{}, to accept a connection", where()),
                                            deps_.dialer.dial(deps_.server.address));
  if (!dialled.has_value()) {
    co_return std::move(dialled).error();
  }
  FrameChannel frames(*std::move(dialled), options.response_bytes_max);
  const TokenQuery query{.server = deps_.server.address, .peer_address = frames.peer()};
  Handshake handshake;
  std::string greeting;
  if (wants_sasl(deps_.target, query)) {
    const HandshakeParty party{.target = deps_.target,
                               .server = where(),
                               .query = query,
                               .kerberos = deps_.kerberos,
                               .random = deps_.random};
    auto shaken = co_await rt::with_deadline(loop, loop.now() + options.handshake_timeout,
                                             fmt::format("{}, to authenticate", where()),
                                             shake_hands(&frames, &party));
    if (!shaken.has_value()) {
      co_return std::move(shaken).error();
    }
    handshake = *std::move(shaken);
  } else {
    greeting = preamble(AuthProtocol::None);
  }
  // Sent with the first call, so that a refusal can be read.
  greeting += context_frame(deps_.target, handshake.method, deps_.client_id);
  calls_.add_first(std::move(greeting));
  channel_ = std::make_unique<MessageChannel>(loop, std::move(frames), std::move(handshake.guard),
                                              options.response_bytes_max);
  co_return Outcome();
}

rt::Async<OutcomeOf<std::string>> Connection::exchange(Outgoing call, bool* sent) {
  while (state_ == State::Opening) {
    co_await opened_.wait();
  }
  if (state_ == State::Closed) {
    co_return *failure_;
  }
  auto begin = [&](CallTable::Answer answer) {
    return calls_.add(std::move(call), *sent, std::move(answer));
  };
  co_return co_await rt::from_callback<OutcomeOf<std::string>>(deps_.loop, std::move(begin));
}

void Connection::close(const Failure& failure) {
  if (state_ == State::Closed) {
    return;
  }
  state_ = State::Closed;
  failure_ = failure;
  opened_.set();
  calls_.fail(failure);
  // Not here: this may be one of the coroutines that end with the connection.
  deps_.loop.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->scope_.cancel();
      self->channel_.reset();
    }
  });
}

void Connection::give_up_if_silent(HostTime since) {
  if (state_ == State::Open && channel_->last_received() <= since) {
    close(
        cluster_error(fmt::format("{}, has been silent for {}", where(),
                                  format_duration(deps_.loop.now() - channel_->last_received()))));
  }
}

rt::Async<> Connection::write_loop() {
  while (true) {
    std::string frames = co_await calls_.take_frames();
    const Status written = co_await channel_->write(std::move(frames));
    if (!written.has_value()) {
      close(written.error().within(fmt::format("cannot send to {}", where())));
      co_return;
    }
  }
}

rt::Async<> Connection::read_loop() {
  while (state_ == State::Open) {
    auto read = co_await channel_->read();
    if (!read.has_value()) {
      close(std::move(read).error().within(where()));
      co_return;
    }
    if (!read->has_value()) {
      close(cluster_error(fmt::format("{} closed the connection", where())));
      co_return;
    }
    const Outcome handled = on_frame(**read);
    if (!handled.has_value()) {
      close(handled.error());
      co_return;
    }
  }
}

Outcome Connection::on_frame(std::string_view payload) {
  FrameCursor cursor(payload);
  RpcResponseHeaderProto header;
  if (Status taken = cursor.take(header, "response header"); !taken.has_value()) {
    return std::move(taken).error().within(where());
  }
  if (header.status() == RpcResponseHeaderProto::FATAL) {
    Failure failure = remote_failure(fmt::format("{} closed the connection", where()), header);
    if (failure.error.message.contains("SIMPLE authentication is not enabled")) {
      failure.error.code = Errc::Unauthenticated;
      failure.error.message +=
          "; get a ticket (kinit) and set hadoop.security.authentication=kerberos, or provide a "
          "token (HADOOP_TOKEN_FILE_LOCATION)";
    }
    return failure;
  }
  if (!header.clientid().empty() && header.clientid() != deps_.client_id) {
    return cluster_error(fmt::format("{}: a response for another client arrived", where()),
                         Errc::Corrupt);
  }
  auto taken = calls_.take(static_cast<int32_t>(header.callid()));
  if (!taken.has_value()) {
    return std::move(taken).error().within(where());
  }
  if (!taken->has_value()) {
    return {};
  }
  const CallTable::Waiting& call = **taken;
  if (header.status() == RpcResponseHeaderProto::SUCCESS) {
    call.answer(std::string(cursor.rest()));
  } else {
    call.answer(remote_failure(fmt::format("{} refuses {}", where(), call.method), header));
  }
  return {};
}

rt::Async<> Connection::keep_alive() {
  const Duration ping_after = deps_.options.ping_interval;
  const Duration idle_max = deps_.options.idle_max;
  const bool pings = ping_after > Duration::zero();
  while (true) {
    co_await rt::pause_for(deps_.loop, pings ? std::min(ping_after, idle_max) : idle_max);
    const HostTime now = deps_.loop.now();
    if (calls_.is_idle() && now - calls_.last_used() >= idle_max) {
      close(cluster_error(fmt::format("{}: the idle connection was closed", name_)));
      co_return;
    }
    if (pings && calls_.anybody_waits() &&
        now - std::max(channel_->last_received(), last_ping_) >= ping_after) {
      last_ping_ = now;
      const RpcRequestHeaderProto ping = header_of(kPingId, deps_.client_id);
      calls_.add_frame(frame_of({&ping}));
    }
  }
}

}  // namespace muster::hadoop::rpc
