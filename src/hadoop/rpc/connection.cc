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
using ::hadoop::common::RpcSaslProto;

/// Plain bytes in one wrapped message: below the 64 KiB that DIGEST-MD5 allows.
constexpr size_t kWrapBytesMax = size_t{60} << 10;

/// An id that no call has: a frame that is none (context, ping).
constexpr int32_t kNoCall = -2;

std::string server_name(const Server& server) {
  const std::string address = net::to_string(server.address);
  return server.label.empty() ? address : fmt::format("{} ({})", server.label, address);
}

}  // namespace

/// A call's entry in the connection, as long as somebody waits for it.
class Connection::Registration {
 public:
  Registration(Connection& connection, int32_t id) : connection_(&connection), id_(id) {}
  Registration(Registration&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)), id_(other.id_) {}
  ~Registration() {
    if (connection_ != nullptr) {
      connection_->forget(id_);
    }
  }

 private:
  Connection* connection_;
  int32_t id_;
};

std::shared_ptr<Connection> Connection::open(ConnectionSetup setup) {
  const std::shared_ptr<Connection> made(new Connection(std::move(setup)));
  made->scope_.spawn(made->run());
  return made;
}

Connection::Connection(ConnectionSetup setup)
    : setup_(std::move(setup)),
      name_(server_name(setup_.server)),
      inner_(setup_.options.response_bytes_max),
      last_received_(setup_.loop.now()),
      last_used_(last_received_),
      last_ping_(last_received_),
      opened_(setup_.loop),
      work_(setup_.loop),
      scope_(setup_.loop) {}

rt::Async<> Connection::run() {
  const Outcome established = co_await establish();
  if (!established.has_value()) {
    close(established.error());
    co_return;
  }
  state_ = State::Open;
  last_received_ = last_used_ = setup_.loop.now();
  opened_.set();
  scope_.spawn(write_loop());
  scope_.spawn(keep_alive());
  co_await read_loop();
}

rt::Async<Outcome> Connection::establish() {
  rt::Loop& loop = setup_.loop;
  const ConnectionOptions& options = setup_.options;
  auto dialled = co_await rt::with_deadline(
      loop, loop.now() + options.connect_timeout,
      fmt::format("{}, {}, to accept a connection", setup_.target.what, name_),
      setup_.dialer.dial(setup_.server.address));
  if (!dialled.has_value()) {
    co_return std::move(dialled).error();
  }
  channel_ = std::make_unique<FrameChannel>(*std::move(dialled), options.response_bytes_max);
  const TokenQuery query{.server = setup_.server.address, .peer_address = channel_->peer()};
  AuthMethod method = AuthMethod::Simple;
  std::string greeting;
  if (wants_sasl(setup_.target, query)) {
    const HandshakeParty party{.target = setup_.target,
                               .server = fmt::format("{}, {}", setup_.target.what, name_),
                               .query = query,
                               .kerberos = setup_.kerberos,
                               .random = setup_.random};
    auto shaken = co_await rt::with_deadline(
        loop, loop.now() + options.handshake_timeout,
        fmt::format("{}, {}, to authenticate", setup_.target.what, name_),
        shake_hands(*channel_, party));
    if (!shaken.has_value()) {
      co_return std::move(shaken).error();
    }
    method = shaken->method;
    guard_ = std::move(shaken->guard);
  } else {
    greeting = preamble(AuthProtocol::None);
  }
  // Goes out with the first call, so that a refusal can be read.
  greeting += context_frame(setup_.target, method, setup_.client_id);
  queue_.push_front({.id = kNoCall, .frame = std::move(greeting)});
  co_return Outcome();
}

rt::Async<OutcomeOf<std::string>> Connection::exchange(Outgoing call, bool& sent) {
  while (state_ == State::Opening) {
    co_await opened_.wait();
  }
  if (state_ == State::Closed) {
    co_return *failure_;
  }
  auto begin = [&](rt::Answer<OutcomeOf<std::string>> answer) {
    const int32_t id = call.id;
    pending_.insert_or_assign(
        id, Pending{.answer = std::move(answer), .sent = &sent, .method = call.method});
    queue_.push_back(std::move(call));
    last_used_ = setup_.loop.now();
    work_.pulse();
    return Registration(*this, id);
  };
  co_return co_await rt::from_callback<OutcomeOf<std::string>>(setup_.loop, std::move(begin));
}

void Connection::forget(int32_t id) {
  last_used_ = setup_.loop.now();
  const auto found = pending_.find(id);
  if (found == pending_.end()) {
    return;  // Answered.
  }
  if (*found->second.sent) {
    abandoned_.insert(id);
  }
  pending_.erase(found);
  std::erase_if(queue_, [id](const Outgoing& waiting) { return waiting.id == id; });
}

void Connection::close(const Failure& failure) {
  if (state_ == State::Closed) {
    return;
  }
  state_ = State::Closed;
  failure_ = failure;
  opened_.set();
  for (const auto& [id, call] : std::exchange(pending_, {})) {
    Failure own = failure;
    own.may_be_done = *call.sent;
    call.answer(std::move(own));
  }
  queue_.clear();
  // Not here: this may be one of the coroutines that end with it.
  setup_.loop.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->scope_.cancel();
      self->channel_.reset();
    }
  });
}

void Connection::give_up_if_silent(HostTime since) {
  if (state_ == State::Open && last_received_ <= since) {
    close(cluster_error(fmt::format("{}, {}, has been silent for {}", setup_.target.what, name_,
                                    format_duration(setup_.loop.now() - last_received_))));
  }
}

rt::Async<> Connection::write_loop() {
  while (true) {
    while (queue_.empty()) {
      co_await work_.wait();
    }
    std::string bytes;
    for (const Outgoing& waiting : std::exchange(queue_, {})) {
      bytes += waiting.frame;
      if (const auto call = pending_.find(waiting.id); call != pending_.end()) {
        *call->second.sent = true;
      }
    }
    Result<std::string> guarded = co_await protect(std::move(bytes));
    Status written = guarded.has_value() ? co_await channel_->write(*std::move(guarded))
                                         : Status(std::move(guarded).error());
    if (!written.has_value()) {
      close(std::move(written).error().within(
          fmt::format("cannot send to {}, {}", setup_.target.what, name_)));
      co_return;
    }
  }
}

rt::Async<Result<std::string>> Connection::protect(std::string bytes) {
  if (guard_ == nullptr) {
    co_return bytes;
  }
  const RpcRequestHeaderProto header = header_of(kSaslId, "");
  RpcSaslProto message;
  message.set_state(RpcSaslProto::WRAP);
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += kWrapBytesMax) {
    MUSTER_CO_TRY(*message.mutable_token(), co_await guard_->wrap(bytes.substr(at, kWrapBytesMax)));
    out += frame_of({&header, &message});
  }
  co_return out;
}

rt::Async<Result<std::string>> Connection::unprotect(std::string frame) {
  FrameCursor cursor(frame);
  RpcResponseHeaderProto header;
  MUSTER_CO_TRY_STATUS(cursor.take(header, "response header"));
  if (static_cast<int32_t>(header.callid()) != kSaslId) {
    co_return cluster_error("a frame came unprotected", Errc::Corrupt);
  }
  RpcSaslProto message;
  MUSTER_CO_TRY_STATUS(cursor.take(message, "SASL message"));
  MUSTER_CO_TRY_STATUS(cursor.expect_end("SASL message"));
  if (message.state() != RpcSaslProto::WRAP) {
    co_return cluster_error("a SASL message came after the end of the dialogue", Errc::Corrupt);
  }
  co_return co_await guard_->unwrap(std::move(*message.mutable_token()));
}

rt::Async<> Connection::read_loop() {
  const std::string where = fmt::format("{}, {}", setup_.target.what, name_);
  while (state_ == State::Open) {
    auto read = co_await channel_->read();
    last_received_ = setup_.loop.now();
    if (!read.has_value()) {
      close(std::move(read).error().within(where));
      co_return;
    }
    if (!read->has_value()) {
      close(cluster_error(fmt::format("{} closed the connection", where)));
      co_return;
    }
    Outcome handled;
    if (guard_ == nullptr) {
      handled = on_frame(**read);
    } else {
      auto plain = co_await unprotect(**std::move(read));
      if (!plain.has_value()) {
        close(std::move(plain).error().within(where));
        co_return;
      }
      inner_.feed(*plain);
      while (handled.has_value()) {
        auto inner = inner_.next();
        if (!inner.has_value()) {
          handled = std::move(inner).error().within(where);
        } else if (!inner->has_value()) {
          break;
        } else {
          handled = on_frame(**inner);
        }
      }
    }
    if (!handled.has_value()) {
      close(handled.error());
      co_return;
    }
  }
}

Outcome Connection::on_frame(std::string_view payload) {
  const std::string where = fmt::format("{}, {}", setup_.target.what, name_);
  FrameCursor cursor(payload);
  RpcResponseHeaderProto header;
  if (Status taken = cursor.take(header, "response header"); !taken.has_value()) {
    return std::move(taken).error().within(where);
  }
  const auto id = static_cast<int32_t>(header.callid());
  if (header.status() == RpcResponseHeaderProto::FATAL) {
    Failure failure = remote_failure(fmt::format("{} ends the connection", where), header);
    if (failure.error.message.contains("SIMPLE authentication is not enabled")) {
      failure.error.code = Errc::Unauthenticated;
      failure.error.message +=
          "; get a ticket (kinit) and set hadoop.security.authentication=kerberos, or bring a "
          "token (HADOOP_TOKEN_FILE_LOCATION)";
    }
    return failure;
  }
  if (!header.clientid().empty() && header.clientid() != setup_.client_id) {
    return cluster_error(fmt::format("{}: an answer for another client came", where),
                         Errc::Corrupt);
  }
  const auto found = pending_.find(id);
  if (found == pending_.end()) {
    if (abandoned_.erase(id) != 0) {
      return {};
    }
    return cluster_error(
        fmt::format("{}: an answer to call {} came, which was never made", where, id),
        Errc::Corrupt);
  }
  const Pending call = std::move(found->second);
  pending_.erase(found);
  if (header.status() == RpcResponseHeaderProto::SUCCESS) {
    call.answer(std::string(cursor.rest()));
  } else {
    call.answer(remote_failure(fmt::format("{} refuses {}", where, call.method), header));
  }
  return {};
}

rt::Async<> Connection::keep_alive() {
  const Duration ping_after = setup_.options.ping_interval;
  const Duration idle_max = setup_.options.idle_max;
  const bool pings = ping_after > Duration::zero();
  while (true) {
    co_await rt::pause_for(setup_.loop, pings ? std::min(ping_after, idle_max) : idle_max);
    const HostTime now = setup_.loop.now();
    if (pending_.empty() && queue_.empty() && now - last_used_ >= idle_max) {
      close(cluster_error(fmt::format("{}: the idle connection was closed", name_)));
      co_return;
    }
    if (pings && !pending_.empty() && now - std::max(last_received_, last_ping_) >= ping_after) {
      last_ping_ = now;
      ping();
    }
  }
}

void Connection::ping() {
  const RpcRequestHeaderProto header = header_of(kPingId, setup_.client_id);
  queue_.push_back({.id = kNoCall, .frame = frame_of({&header})});
  work_.pulse();
}

}  // namespace muster::hadoop::rpc
