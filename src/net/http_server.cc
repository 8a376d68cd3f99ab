#include "net/http_server.h"

#include "rt/wait.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace muster::net {
namespace {

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

rt::Async<Result<size_t>> read_more(Stream* stream, HttpRequestReader* reader) {
  std::array<uint8_t, 8192> buffer{};
  auto read = co_await stream->read_some(buffer);
  if (read.has_value()) {
    reader->feed({reinterpret_cast<const char*>(buffer.data()), *read});
  }
  co_return read;
}

rt::Async<Result<std::optional<HttpRequest>>> read_whole(rt::Loop* loop, Stream* stream,
                                                         HttpRequestReader* reader) {
  while (true) {
    auto request = reader->next();
    if (!request.has_value() || request->has_value()) {
      co_return request;
    }
    auto more = co_await read_more(stream, reader);
    if (!more.has_value()) {
      co_return std::move(more).error();
    }
    if (*more == 0) {
      co_return std::optional<HttpRequest>();
    }
    co_await rt::next_turn(*loop);
  }
}

rt::Async<Status> write_text(Stream* stream, std::string text) {
  co_return co_await stream->write(bytes_of(text));
}

rt::Async<Result<HttpResponse>> as_result(rt::Async<HttpResponse> work) {
  co_return co_await std::move(work);
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

void HttpServer::serve(std::unique_ptr<Stream> stream) {
  if (!make_room()) {
    return;
  }
  const uint64_t id = ++last_;
  Connection& connection = connections_[id];
  connection.since = loop_->now();
  connection.running =
      rt::start(*loop_, converse(id, std::move(stream)), [this, id] { connections_.erase(id); });
}

bool HttpServer::make_room() {
  if (connections_.size() < limits_.connections_max) {
    return true;
  }
  auto victim = longest_in(Phase::Waiting, HostTime::max());
  if (victim == connections_.end()) {
    victim = longest_in(Phase::Sending, loop_->now() - limits_.unread_max);
  }
  if (victim == connections_.end()) {
    victim = longest_in(Phase::Handling, loop_->now() - limits_.held_max);
  }
  if (victim == connections_.end()) {
    return false;
  }
  const bool answered = victim->second.phase != Phase::Waiting;
  connections_.erase(victim);
  if (answered) {
    end_answer();
  }
  return true;
}

/// Leaves places for new requests: if too many connections are upgraded, the oldest is closed.
void HttpServer::make_room_upgraded() {
  const auto upgraded = std::ranges::count_if(
      connections_, [](const auto& each) { return each.second.phase == Phase::Upgraded; });
  if (upgraded > 0 && static_cast<size_t>(upgraded) >= limits_.upgraded_max) {
    connections_.erase(longest_in(Phase::Upgraded, HostTime::max()));
  }
}

/// Returns the connection that has been in the phase for longest, and since before `before`.
HttpServer::Connections::iterator HttpServer::longest_in(Phase phase, HostTime before) {
  auto longest = connections_.end();
  for (auto each = connections_.begin(); each != connections_.end(); ++each) {
    const Connection& connection = each->second;
    if (connection.phase == phase && connection.since < before &&
        (longest == connections_.end() || connection.since < longest->second.since)) {
      longest = each;
    }
  }
  return longest;
}

rt::Async<> HttpServer::converse(uint64_t id, std::unique_ptr<Stream> stream) {
  HttpRequestReader reader([this, peer = stream->peer()](const HttpRequest& head) {
    return body_max_ ? body_max_(head, peer) : limits_.body_max;
  });
  Duration first_byte_within = limits_.request_patience;
  for (size_t count = 1;; ++count) {
    auto asked = co_await read_request(stream.get(), &reader, first_byte_within);
    if (!asked.has_value() && asked.error().code == Errc::Corrupt) {
      co_await refuse(stream.get(), asked.error().message);
      co_return;
    }
    if (!asked.has_value() || !asked->request.has_value()) {
      co_return;
    }
    const bool keep = asked->request->keep_alive && count < limits_.requests_max;
    begin_answer(id);
    auto answered = co_await answer(id, stream.get(), *std::move(asked->request), keep);
    const bool upgraded = answered.has_value() && answered->upgraded;
    if (upgraded) {
      make_room_upgraded();
    }
    enter(id, upgraded ? Phase::Upgraded : Phase::Waiting);
    end_answer();
    if (upgraded) {
      co_await answered->upgraded(stream.get(), reader.take_rest());
      co_return;
    }
    if (!answered.has_value() || !answered->keep) {
      stream->close_write();
      co_return;
    }
    first_byte_within = limits_.idle;
    co_await rt::next_turn(*loop_);
  }
}

rt::Async<> HttpServer::refuse(Stream* stream, std::string why) {
  auto refusal = format_http_response({.status = 400, .headers = {}, .body = why + "\n"});
  (void)co_await send(stream, std::move(refusal));
  stream->close_write();
}

rt::Async<Result<HttpServer::Asked>> HttpServer::read_request(Stream* stream,
                                                              HttpRequestReader* reader,
                                                              Duration first_byte_within) {
  if (!reader->has_rest()) {
    auto first = co_await rt::with_deadline(*loop_, loop_->now() + first_byte_within, "a request",
                                            read_more(stream, reader));
    if (!first.has_value()) {
      co_return std::move(first).error();
    }
    if (*first == 0) {
      co_return Asked();
    }
  }
  auto whole =
      co_await rt::with_deadline(*loop_, loop_->now() + limits_.request_patience,
                                 "the rest of a request", read_whole(loop_, stream, reader));
  if (!whole.has_value()) {
    co_return std::move(whole).error();
  }
  co_return Asked{.request = *std::move(whole)};
}

rt::Async<Result<HttpServer::Answered>> HttpServer::answer(uint64_t id, Stream* stream,
                                                           HttpRequest request, bool keep) {
  const bool head_only = request.method == "HEAD";
  const bool reads_chunks = request.reads_chunks;
  auto handled =
      co_await rt::with_deadline(*loop_, loop_->now() + limits_.answer_patience, "an answer",
                                 as_result(handler_(std::move(request), stream->peer())));
  HttpResponse response =
      handled.has_value()
          ? *std::move(handled)
          : HttpResponse{.status = 503, .headers = {}, .body = "503 Service Unavailable\n"};
  const bool in_pieces = response.pieces != nullptr && has_body(response.status);
  const auto unknown = reads_chunks ? Framing::Chunks : Framing::Connection;
  const bool kept = keep && (!in_pieces || reads_chunks) && !response.upgraded;
  auto text = format_http_head(response, kept ? Afterwards::Keep : Afterwards::Close,
                               in_pieces ? unknown : Framing::Length);
  if (!head_only && !in_pieces) {
    text += response.body;
  }
  auto sent = co_await send_part(id, stream, std::move(text));
  MUSTER_CO_TRY_STATUS(std::move(sent));
  if (!head_only && in_pieces) {
    const auto patience = response.piece_patience > Duration::zero() ? response.piece_patience
                                                                     : limits_.answer_patience;
    auto passed = co_await send_pieces(id, stream, response.pieces.get(), reads_chunks, patience);
    MUSTER_CO_TRY_STATUS(std::move(passed));
  }
  co_return Answered{.keep = kept, .upgraded = std::move(response.upgraded)};
}

rt::Async<Status> HttpServer::send_pieces(uint64_t id, Stream* stream, HttpBody* pieces,
                                          bool in_chunks, Duration patience) {
  while (true) {
    auto work = pieces->next();
    auto next = co_await rt::with_deadline(*loop_, loop_->now() + patience, "a piece of an answer",
                                           std::move(work));
    MUSTER_CO_TRY(std::string piece, std::move(next));
    const bool last = piece.empty();
    if (in_chunks) {
      piece = format_http_chunk(piece);
    }
    auto sent = co_await send_part(id, stream, std::move(piece));
    if (last || !sent.has_value()) {
      co_return sent;
    }
    co_await rt::next_turn(*loop_);
  }
}

rt::Async<Status> HttpServer::send_part(uint64_t id, Stream* stream, std::string text) {
  enter(id, Phase::Sending);
  auto sent = co_await send(stream, std::move(text));
  enter(id, Phase::Handling);
  co_return sent;
}

rt::Async<Status> HttpServer::send(Stream* stream, std::string text) {
  auto work = write_text(stream, std::move(text));
  co_return co_await rt::with_deadline(*loop_, loop_->now() + limits_.reader_patience, "a reader",
                                       std::move(work));
}

void HttpServer::enter(uint64_t id, Phase phase) {
  Connection& connection = connections_.at(id);
  connection.phase = phase;
  connection.since = loop_->now();
}

void HttpServer::begin_answer(uint64_t id) {
  ++answering_;
  enter(id, Phase::Handling);
}

void HttpServer::end_answer() {
  --answering_;
  if (answering_ == 0 && on_idle_) {
    idle_ = rt::start(*loop_, none_answering(), [this](bool idle) {
      if (idle) {
        on_idle_();  // May destroy this server.
      }
    });
  }
}

rt::Async<bool> HttpServer::none_answering() { co_return answering_ == 0; }

}  // namespace muster::net
