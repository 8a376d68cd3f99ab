#include "net/http_client.h"

#include "rt/wait.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

namespace muster::net {
namespace {

constexpr size_t kReadMax = size_t{64} << 10;

std::string bytes_of(const HttpClientRequest& request) {
  auto text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: {}\r\n", request.method,
                  request.target, request.host.empty() ? to_string(request.server) : request.host,
                  request.upgrade ? "Upgrade" : "close");
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    text += fmt::format("Content-Length: {}\r\n", request.body.size());
  }
  for (const auto& [name, value] : request.headers) {
    text += fmt::format("{}: {}\r\n", name, value);
  }
  return text + "\r\n" + request.body;
}

/// Reads what is there and feeds it. Then the loop's other coroutines and its deadlines have their
/// turn, however fast the server sends.
rt::Async<Status> read_more(rt::Loop* loop, Stream* stream, HttpResponseReader* reader) {
  std::string buffer(kReadMax, '\0');
  const std::span room(reinterpret_cast<uint8_t*>(buffer.data()), buffer.size());
  auto read = co_await stream->read_some(room);
  MUSTER_CO_TRY(const size_t size, std::move(read));
  auto fed = size == 0 ? reader->end() : reader->feed(std::string_view(buffer).substr(0, size));
  MUSTER_CO_TRY_STATUS(std::move(fed));
  co_await rt::next_turn(*loop);
  co_return Status();
}

/// How long a server may take to accept; no longer than `patience`.
constexpr Duration kDialPatience = std::chrono::seconds(30);

rt::Async<Result<std::unique_ptr<HttpDownload>>> open(rt::Loop* loop, Dialer* dialer,
                                                      HttpClientRequest request,
                                                      Duration patience) {
  auto dialing = dialer->dial(request.server);
  auto dialed = co_await rt::with_deadline(*loop, loop->now() + kDialPatience,
                                           fmt::format("{} to accept", to_string(request.server)),
                                           std::move(dialing));
  if (!dialed.has_value() && dialed.error().code == Errc::DeadlineExceeded) {
    co_return Error{Errc::Unavailable, dialed.error().blame, dialed.error().message};
  }
  MUSTER_CO_TRY(auto stream, std::move(dialed));
  const auto bytes = bytes_of(request);
  const std::span sent(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  auto written = co_await stream->write(sent);
  MUSTER_CO_TRY_STATUS(std::move(written));
  HttpResponseReader reader;
  while (!reader.has_head()) {
    auto more = co_await read_more(loop, stream.get(), &reader);
    MUSTER_CO_TRY_STATUS(std::move(more));
  }
  co_return std::make_unique<HttpDownload>(loop, std::move(stream), std::move(reader), patience);
}

rt::Async<Result<HttpClientResponse>> get(rt::Loop* loop, Dialer* dialer, HttpClientRequest request,
                                          Duration patience) {
  auto opened = co_await open(loop, dialer, std::move(request), patience);
  MUSTER_CO_TRY(const auto download, std::move(opened));
  HttpClientResponse response{{.status = download->head().status, .headers = {}}, {}};
  response.headers = download->head().headers;
  while (true) {
    auto next = co_await download->next();
    MUSTER_CO_TRY(const auto piece, std::move(next));
    if (piece.empty()) {
      co_return response;
    }
    response.body += piece;
    if (response.body.size() > kHttpResponseMax) {
      co_return Error{Errc::Corrupt, Blame::Cluster, "malformed HTTP response: body too long"};
    }
  }
}

std::string naming(const HttpClientRequest& request) {
  return fmt::format("http://{}{} to answer", to_string(request.server), request.target);
}

}  // namespace

HttpDownload::HttpDownload(rt::Loop* loop, std::unique_ptr<Stream> stream,
                           HttpResponseReader reader, Duration patience)
    : loop_(loop), stream_(std::move(stream)), reader_(std::move(reader)), patience_(patience) {}

rt::Async<Result<std::string>> HttpDownload::next() {
  auto work = read_piece();
  co_return co_await rt::with_deadline(*loop_, loop_->now() + patience_,
                                       "the next piece of an answer", std::move(work));
}

rt::Async<Result<std::string>> HttpDownload::read_piece() {
  while (true) {
    auto piece = reader_.take_body();
    if (!piece.empty() || reader_.is_whole()) {
      co_return piece;
    }
    auto more = co_await read_more(loop_, stream_.get(), &reader_);
    MUSTER_CO_TRY_STATUS(std::move(more));
  }
}

rt::Async<Result<std::unique_ptr<HttpDownload>>> http_open(rt::Loop* loop, Dialer* dialer,
                                                           HttpClientRequest request,
                                                           Duration patience) {
  auto what = naming(request);
  auto work = open(loop, dialer, std::move(request), patience);
  co_return co_await rt::with_deadline(*loop, loop->now() + patience, std::move(what),
                                       std::move(work));
}

rt::Async<Result<HttpClientResponse>> http_get(rt::Loop* loop, Dialer* dialer,
                                               HttpClientRequest request, HostTime deadline) {
  auto what = naming(request);
  auto work = get(loop, dialer, std::move(request), deadline - loop->now());
  auto response = co_await rt::with_deadline(*loop, deadline, std::move(what), std::move(work));
  co_return response;
}

}  // namespace muster::net
