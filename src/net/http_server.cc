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

rt::Async<Result<size_t>> read_more(Stream* stream, std::string* bytes) {
  std::array<uint8_t, 8192> buffer{};
  auto read = co_await stream->read_some(buffer);
  if (read.has_value()) {
    bytes->append(reinterpret_cast<const char*>(buffer.data()), *read);
  }
  co_return read;
}

rt::Async<Result<std::optional<HttpRequest>>> read_whole(Stream* stream, std::string* bytes) {
  while (true) {
    auto parsed = parse_http_request(*bytes);
    if (!parsed.has_value() || parsed->has_value()) {
      co_return parsed;
    }
    auto more = co_await read_more(stream, bytes);
    if (!more.has_value()) {
      co_return std::move(more).error();
    }
    if (*more == 0) {
      co_return std::optional<HttpRequest>();
    }
  }
}

rt::Async<Status> write_text(Stream* stream, std::string text) {
  co_return co_await stream->write(bytes_of(text));
}

rt::Async<Result<HttpResponse>> as_result(rt::Async<HttpResponse> work) {
  co_return co_await std::move(work);
}

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
  auto longest = connections_.end();
  for (auto each = connections_.begin(); each != connections_.end(); ++each) {
    if (each->second.waits &&
        (longest == connections_.end() || each->second.since < longest->second.since)) {
      longest = each;
    }
  }
  if (longest == connections_.end()) {
    return false;
  }
  connections_.erase(longest);
  return true;
}

rt::Async<> HttpServer::converse(uint64_t id, std::unique_ptr<Stream> stream) {
  std::string bytes;
  Duration first_byte_within = limits_.request_patience;
  while (true) {
    const auto asked = co_await read_request(stream.get(), &bytes, first_byte_within);
    if (!asked.has_value() && asked.error().code == Errc::Corrupt) {
      auto refusal = format_http_response(
          {.status = 400, .headers = {}, .body = asked.error().message + "\n"});
      (void)co_await rt::with_deadline(*loop_, loop_->now() + limits_.request_patience, "a reader",
                                       write_text(stream.get(), std::move(refusal)));
      stream->close_write();
      co_return;
    }
    if (!asked.has_value() || !asked->request.has_value()) {
      co_return;
    }
    bytes.erase(0, asked->request->size_bytes);
    const bool keep = asked->request->keep_alive;
    begin_answer(id);
    auto answered = co_await answer(stream.get(), *asked->request, keep);
    end_answer(id);
    if (!answered.has_value() || !keep) {
      stream->close_write();
      co_return;
    }
    first_byte_within = limits_.idle;
  }
}

rt::Async<Result<HttpServer::Asked>> HttpServer::read_request(Stream* stream, std::string* bytes,
                                                              Duration first_byte_within) {
  if (bytes->empty()) {
    auto first = co_await rt::with_deadline(*loop_, loop_->now() + first_byte_within, "a request",
                                            read_more(stream, bytes));
    if (!first.has_value()) {
      co_return std::move(first).error();
    }
    if (*first == 0) {
      co_return Asked();
    }
  }
  auto whole = co_await rt::with_deadline(*loop_, loop_->now() + limits_.request_patience,
                                          "the rest of a request", read_whole(stream, bytes));
  if (!whole.has_value()) {
    co_return std::move(whole).error();
  }
  co_return Asked{.request = *std::move(whole)};
}

rt::Async<Status> HttpServer::answer(Stream* stream, HttpRequest request, bool keep) {
  const bool head = request.method == "HEAD";
  auto handled =
      co_await rt::with_deadline(*loop_, loop_->now() + limits_.answer_patience, "an answer",
                                 as_result(handler_(std::move(request), stream->peer())));
  const HttpResponse response =
      handled.has_value()
          ? *std::move(handled)
          : HttpResponse{.status = 503, .headers = {}, .body = "503 Service Unavailable\n"};
  auto text = format_http_response(response, keep ? Afterwards::Keep : Afterwards::Close);
  if (head) {
    text.resize(text.size() - response.body.size());
  }
  co_return co_await rt::with_deadline(*loop_, loop_->now() + limits_.answer_patience, "a reader",
                                       write_text(stream, std::move(text)));
}

void HttpServer::begin_answer(uint64_t id) {
  ++answering_;
  connections_.at(id).waits = false;
}

void HttpServer::end_answer(uint64_t id) {
  --answering_;
  Connection& connection = connections_.at(id);
  connection.waits = true;
  connection.since = loop_->now();
  if (answering_ == 0 && on_idle_) {
    loop_->post([this, alive = std::weak_ptr<bool>(alive_)] {
      if (!alive.expired() && answering_ == 0) {
        on_idle_();
      }
    });
  }
}

}  // namespace muster::net
